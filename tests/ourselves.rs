//! The project's own tools, held to what the project asks of others.

use cogtools_test_support::{Project, Run, str};

#[test]
fn the_table_in_gemini_md_is_current() {
    Run::new(crate::programs().join("cogtools-docs"))
        .project(&Project::new())
        .arg("--check")
        .cwd(crate::repository())
        .run()
        .outputs(str![[r#"
unchanged GEMINI.md

"#]]);
}

#[test]
fn our_tools_have_no_findings() {
    Run::new(crate::programs().join("cogtools-lint"))
        .project(&Project::new())
        .arg("--deny-warnings")
        .cwd(crate::repository())
        .run()
        .outputs(str![[r#"
11 files: nothing to report

"#]]);
}

#[test]
fn the_table_is_the_same_for_everybody() {
    let project = Project::new();
    let tool = "name: mine\ndescription: Nobody else has it\nimplementation: mine\n";
    project
        .file(".cogtoolrc.yaml", "")
        .file("tools/ours.yaml", tool.replace("mine", "ours"))
        .file("../home/.gemini/tools/mine.yaml", tool)
        .file(
            "../home/.gemini/cogtoolrc.yaml",
            "tool_sources:\n  - local: ./tools\n",
        );
    crate::run("cogtools-docs", &project)
        .arg("--print")
        .run()
        .outputs(str![[r#"
| Tool | What it is for | Arguments |
|---|---|---|
| `ours` | Nobody else has it |  |

"#]]);
}

#[test]
fn our_tools_say_what_their_golden_files_hold() {
    let outcome = Run::new(crate::programs().join("cogtools-test"))
        .project(&Project::new())
        .args(["--format", "json", "--spawn"])
        .cwd(crate::repository())
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
