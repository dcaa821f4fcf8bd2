//! The project's own tools, held to what the project asks of others.

use cogtools_testing::{Project, Run};

#[test]
fn the_table_in_gemini_md_is_current() {
    Run::new(crate::programs().join("cogtools-docs"))
        .project(&Project::new())
        .arg("--check")
        .cwd(crate::repository())
        .run()
        .outputs("unchanged GEMINI.md\n");
}

#[test]
fn our_tools_have_no_findings() {
    Run::new(crate::programs().join("cogtools-lint"))
        .project(&Project::new())
        .arg("--deny-warnings")
        .cwd(crate::repository())
        .run()
        .outputs("11 files: nothing to report\n");
}
