//! The tools that are tested, and their order.

use cogtools_program::CapturedRun;
use cogtools_test_support::{Project, outcome, str};

use crate::{PASSED, SAY, project, run};

fn two_tools() -> Project {
    let project = project();
    project.file(
        "tools/bare.yaml",
        "name: bare\ndescription: d\nimplementation: x\n",
    );
    project
}

#[test]
fn tools_are_named_by_name_or_path() {
    let project = two_tools();
    for target in ["say", "tools/say.yaml", "./tools/say.yaml"] {
        outcome!(run(&project, &[target])).outputs(PASSED);
    }
    let twice = run(&project, &["say", "say"]);
    outcome!(twice).outputs(PASSED);
    let all = str![[r#"
none bare (no examples)
ok say (2 examples)

2 tools, 2 examples: all passed; 1 tool has no examples

"#]];
    outcome!(run(&project, &[])).outputs(all);
    outcome!(run(&project, &["tools"])).outputs(all);
    outcome!(run(&project, &["tools/"])).outputs(all);
    assert_eq!(run(&project, &["toolz"]).status, 127);
    outcome!(run(&project, &["bare", "say"])).outputs(all);
}

#[test]
fn unknown_targets_are_reported() {
    let project = two_tools();
    let stderr = str![[r#"
cogtools-test: error[TOOL_NOT_FOUND]: sya: no such tool
hint: did you mean `say`?
hint: cogtools-discover lists all tools
cogtools-test: error[IO_FAILED]: `tools/sya.yaml` does not exist
hint: check the path; the file may have been removed meanwhile

"#]];
    let ended = run(&project, &["sya", "say", "tools/sya.yaml"]);
    outcome!(ended).fails(127, stderr);
}

#[test]
fn a_missing_source_is_reported() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: gone}, {local: tools}]",
    );
    let expected = CapturedRun {
        status: 78,
        stdout: PASSED.into(),
        stderr: "\
cogtools-test: error[INVALID_CONFIG]: the folder `gone` does not exist
hint: create it, or change `tool_sources` (cogtools config list --show-origin shows where)
"
        .into(),
    };
    assert_eq!(run(&project, &[]), expected);
}

#[test]
fn shadowed_tools_are_not_tested() {
    let project = project();
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {local: more}]",
        )
        .file("more/say.yaml", SAY)
        .file("more/say.1.golden", "of a shadowed tool");
    outcome!(run(&project, &[])).outputs(PASSED);
}

#[test]
fn many_tools_are_reported_in_order() {
    let project = Project::new();
    let mut expected = String::new();
    for number in 100..200 {
        let name = format!("t{number}");
        let tool = format!(
            "name: {name}\ndescription: d\nexamples: [{{}}]\nimplementation: result {number}\n"
        );
        project.file(format!("tools/{name}.yaml"), tool);
        project.file(format!("tools/{name}.1.golden"), format!("result {number}"));
        expected = format!("{expected}ok {name} (1 example)\n");
    }
    expected.push_str("\n100 tools, 100 examples: all passed\n");
    outcome!(run(&project, &[])).outputs(expected);
}
