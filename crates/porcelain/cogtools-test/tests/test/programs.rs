//! Tools that run programs: how often, and what is reported of their failures.

use cogtools_test_support::{Project, outcome, str};
use serde_json::Value;

use crate::{answer, run_as_user};

/// A project with the tool `log`, which adds a line to a file, and these annotations.
fn project(annotations: &str) -> Project {
    let project = Project::new();
    project.file(
        "tools/log.yaml",
        format!(
            "name: log\ndescription: d\nexamples: [{{}}]\n{annotations}\
             implementation: {{exec: [sh, -c, 'echo line >> calls']}}\n"
        ),
    );
    project
}

#[test]
fn only_a_read_only_tool_is_called_in_every_way() {
    let check = |annotations: &str, calls: usize| {
        let project = project(annotations);
        assert_eq!(
            run_as_user(&project, &["--update"]).status,
            0,
            "{annotations}"
        );
        let lines = project.read("calls").lines().count();
        assert_eq!(lines, calls, "{annotations}");
    };
    check("", 1);
    check("annotations: {read_only: false}\n", 1);
    check("annotations: {idempotent: true}\n", 1);
    check("annotations: {read_only: true}\n", 3);
}

#[test]
fn a_review_calls_a_tool_once() {
    let project = project("");
    assert_eq!(answer(&project, &["--review"], "a\n").status, 0);
    assert_eq!(project.read("calls"), "line\n");
    assert_eq!(project.read("tools/log.1.golden"), "");
}

/// A project with a program that fails, and one that does not exist.
fn failing_project() -> Project {
    let project = Project::new();
    project
        .file(
            "tools/fails.yaml",
            "name: fails\ndescription: d\nexamples: [{}]\n\
             implementation: {exec: [sh, -c, 'echo \\<why\\> >&2; exit 3']}\n",
        )
        .file(
            "tools/gone.yaml",
            "name: gone\ndescription: d\nexamples: [{}]\n\
             implementation: {exec: [no-such-program-at-all]}\n",
        );
    project
}

#[test]
fn json_names_the_program_and_what_it_wrote() {
    let ended = run_as_user(&failing_project(), &["--format=json"]);
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let failure = |tool: usize| &report["tools"][tool]["examples"][0]["failures"][0];
    assert_eq!(failure(0)["at"], "tool");
    assert_eq!(failure(0)["faults"][0]["details"], "<why>");
    assert_eq!(failure(1)["at"], "implementation");
    let message = failure(1)["faults"][0]["message"].as_str();
    let names = message.is_some_and(|message| message.contains("`no-such-program-at-all`"));
    assert!(names, "{message:?}");
}

#[test]
fn junit_names_the_program_and_what_it_wrote() {
    let ended = run_as_user(&failing_project(), &["--format=junit"]);
    let document = roxmltree::Document::parse(&ended.stdout).expect("well-formed XML");
    let failures = document
        .descendants()
        .filter(|node| node.has_tag_name("failure"))
        .map(|node| {
            format!(
                "{}: {}",
                node.attribute("type").unwrap(),
                node.text().unwrap()
            )
        });
    let text: String = failures.collect();
    cogtools_test_support::assert_text(
        text,
        str![[r#"
tool:   tools/fails.yaml:3:12: example 1: tool: the tool returned no result
    fails: the program exited with status 3
    | <why>
implementation:   tools/gone.yaml:3:12: example 1: implementation: the program cannot be started
    tools/gone.yaml:4:1: the program `no-such-program-at-all` was not found
       |
     4 | implementation: {exec: [no-such-program-at-all]}
       | ^^^^^^^^^^^^^^
    hint: install `no-such-program-at-all`, or add its directory to PATH; write `./no-such-program-at-all` for a file next to the tool

"#]],
    );
}

#[test]
fn the_report_for_people_has_both() {
    outcome!(run_as_user(&failing_project(), &[])).expect(
        1,
        str![[r#"
FAILED fails (1 example)
  tools/fails.yaml:3:12: example 1: tool: the tool returned no result
    fails: the program exited with status 3
    | <why>
FAILED gone (1 example)
  tools/gone.yaml:3:12: example 1: implementation: the program cannot be started
    tools/gone.yaml:4:1: the program `no-such-program-at-all` was not found
       |
     4 | implementation: {exec: [no-such-program-at-all]}
       | ^^^^^^^^^^^^^^
    hint: install `no-such-program-at-all`, or add its directory to PATH; write `./no-such-program-at-all` for a file next to the tool

2 tools, 2 examples: 2 failures

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 2 failures
hint: the report on standard output shows what to fix

"#]],
    );
}

/// A project with a tool that runs `git` and reads a note, whose example has these surroundings.
fn with_fixture(with: &str) -> Project {
    let project = Project::new();
    project
        .file(
            "tools/head.yaml",
            format!(
                "name: head\ndescription: d\nexamples:\n  - arguments: {{}}\n    contains: fake main\n    \
                 with: {with}\nimplementation: {{exec: [sh, -c, 'git branch; cat notes/a.txt; \
                 ls .. | wc -l']}}\n"
            ),
        )
        .program("tools/fixtures/bin/git", "#!/bin/sh\necho fake main\n");
    project
}

#[test]
fn a_program_has_the_surroundings_of_its_example() {
    let project = with_fixture("{PATH: fixtures/bin, files: {notes/a.txt: text}}");
    assert_eq!(run_as_user(&project, &[]).status, 0);
    assert!(!project.path("notes").exists());
    // The sandbox of the project is that of the temporary folder.
    let tool = project.read("tools/head.yaml");
    project.file("tools/head.yaml", format!("sandbox: workspace\n{tool}"));
    assert_eq!(run_as_user(&project, &[]).status, 0);
}

#[test]
fn surroundings_stay_where_they_are() {
    for (with, message) in [
        (
            "{PATH: ../outside}",
            "`../outside` is no folder beside the tool",
        ),
        ("{PATH: /bin}", "`/bin` is no folder beside the tool"),
        ("{PATH: link}", "`link` is no folder beside the tool"),
        (
            "{PATH: fixtures/none}",
            "`fixtures/none` is no folder beside the tool",
        ),
        (
            "{files: {../x: a}}",
            "`../x` is outside the temporary folder",
        ),
        (
            "{files: {/tmp/x: a}}",
            "`/tmp/x` is outside the temporary folder",
        ),
        ("{files: {a: a, a/b: b}}", "`a/b` cannot be written"),
        ("{files: {a: 1}}", "`a` is no text"),
        ("{files: a}", "`files` takes a map from paths to texts"),
        (
            "{Path: a}",
            "`with` of a program has `PATH` and `files`, not `Path`",
        ),
    ] {
        let project = with_fixture(with);
        project.dir("outside");
        std::os::unix::fs::symlink(project.path("outside"), project.path("tools/link")).unwrap();
        let ended = run_as_user(&project, &[]);
        assert_eq!(ended.status, 1, "{with}");
        assert!(ended.stdout.contains(message), "{with}: {}", ended.stdout);
    }
}
