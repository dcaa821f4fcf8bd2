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

#[test]
fn our_tools_say_what_their_golden_files_hold() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let outcome = Run::new(crate::programs().join("cogtools-test"))
        .project(&Project::new())
        .args(["--format", "json", "--spawn"])
        .cwd(repository)
        .run();
    let report = outcome.json();
    let summary = serde_json::json!({
        "tools": 11,
        "examples": 22,
        "failures": 0,
        "without_examples": 0,
        "written": 0,
        "removed": 0,
    });
    assert_eq!(report["summary"], summary);
}
