//! The project's own tools, held to what the project asks of others.

use std::path::Path;

use cogtools_testing::{Project, Run};

#[test]
fn our_tools_have_no_findings() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Run::new(crate::programs().join("cogtools-lint"))
        .project(&Project::new())
        .arg("--deny-warnings")
        .cwd(repository)
        .run()
        .outputs("11 files: nothing to report\n");
}
