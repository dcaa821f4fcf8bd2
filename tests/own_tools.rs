//! The project's own tools, checked by the project's own rules.

use std::fs;

use cogtools_test_support::{Project, Run, str};

/// Our own tool files, read without our programs.
fn tools() -> Vec<serde_yaml::Value> {
    let folder = crate::repository().join("tools");
    let entries = fs::read_dir(folder).expect("our tools can be listed");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let tools = files.map(|path| {
        let text = fs::read_to_string(&path).expect("a tool file is text");
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let tools: Vec<_> = tools.collect();
    assert!(!tools.is_empty(), "we have no tools");
    tools
}

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
        .outputs(format!("{} files: nothing to report\n", tools().len()));
}

#[test]
fn the_table_is_the_same_for_all_programs() {
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
fn our_tools_match_their_golden_files() {
    let outcome = Run::new(crate::programs().join("cogtools-test"))
        .project(&Project::new())
        .args(["--format", "json", "--spawn"])
        .cwd(crate::repository())
        .run();
    let report = outcome.json();
    let tools = tools();
    let examples = tools.iter().map(|tool| tool["examples"].as_sequence());
    let summary = serde_json::json!({
        "tools": tools.len(),
        "examples": examples.flatten().map(Vec::len).sum::<usize>(),
        "failures": 0,
        "without_examples": 0,
        "written": 0,
        "removed": 0,
    });
    assert_eq!(report["summary"], summary);
}
