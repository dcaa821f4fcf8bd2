//! Writes the committed schemas: `cargo run -p cogtools-schema --example write`.

use std::path::Path;

use cogtools_schema::Document;

fn main() -> std::io::Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (document, file) in Document::COMMITTED {
        std::fs::write(repository.join(file), document.text())?;
    }
    Ok(())
}
