//! Writes the committed schemas: `cargo run -p cogtools-schema --example write`.

use std::path::Path;

use cogtools_schema::Document;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("tool.json"), Document::Tool.text())?;
    std::fs::write(folder.join("config.json"), Document::Config.text())
}
