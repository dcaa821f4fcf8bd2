//! Which examples are tested, and in which order.

use cogtools_test_support::{Project, outcome, str};

use crate::{SAY, run_as_user};

/// A project with the tools `ash`, `elm` and `oak`, whose two examples pass.
fn project() -> Project {
    let project = Project::new();
    for name in ["ash", "elm", "oak"] {
        project
            .file(
                format!("tools/{name}.yaml"),
                SAY.replace("name: say", &format!("name: {name}")),
            )
            .file(format!("tools/{name}.1.golden"), "hello Ada\n")
            .file(format!("tools/{name}.2.golden"), "hello Bob!\n");
    }
    project
}

#[test]
fn a_pattern_selects_examples() {
    let project = project();
    project
        .file("tools/elm.1.golden", "")
        .file("tools/elm.9.golden", "")
        .file("tools/none.1.golden", "");
    outcome!(run_as_user(&project, &["-t", r"^(ash|elm)\.2$"])).outputs(str![[r#"
ok ash (1 example)
ok elm (1 example)

2 tools, 2 examples: all passed

"#]]);
    outcome!(run_as_user(&project, &["--update", "--test", "oak"])).outputs(str![[r#"
ok oak (2 examples)

1 tool, 2 examples: all passed

"#]]);
    assert!(project.path("tools/elm.9.golden").exists());
    outcome!(run_as_user(&project, &["-t", "fir"])).fails(
        2,
        str![[r#"
cogtools-test: error[USAGE]: no example matches `fir`
hint: the pattern is searched in TOOL.NAME or TOOL.N, such as facepalm.1

"#]],
    );
    outcome!(run_as_user(&project, &["-t", "("])).fails(
        2,
        str![[r#"
cogtools-test: error[USAGE]: `(` is not a valid regular expression: Parsing error at position 1: Opening parenthesis without closing parenthesis
hint: a name is a pattern, too: -t facepalm, or -t facepalm.1

"#]],
    );
}

#[test]
fn the_first_failure_ends_the_run() {
    let project = project();
    project
        .file("tools/ash.2.golden", "")
        .file("tools/elm.1.golden", "")
        .file("tools/none.1.golden", "");
    outcome!(run_as_user(&project, &["--fail-fast"])).expect(
        1,
        str![[r#"
FAILED ash (2 examples)
  tools/ash.yaml:8:5: example 2: golden: the result differs from `tools/ash.2.golden`
    --- tools/ash.2.golden
    +++ the result
    @@ -0,0 +1 @@
    +hello Bob!
    hint: if the result is right: cogtools test --update ash

1 tool, 2 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}

/// The names of the tools in the report, in order.
fn order(project: &Project, args: &[&str]) -> Vec<String> {
    let stdout = run_as_user(project, args).stdout;
    let names = ["ash", "elm", "oak"];
    let lines = stdout.lines().filter(|line| !line.starts_with(' '));
    let words = lines.flat_map(|line| line.split_whitespace().skip(1));
    words
        .filter(|word| names.contains(word))
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_failed_last_is_tested_first() {
    let project = project();
    project.file("tools/oak.1.golden", "");
    assert_eq!(order(&project, &[]), ["ash", "elm", "oak"]);
    assert_eq!(order(&project, &[]), ["oak", "ash", "elm"]);
    assert_eq!(order(&project, &["--fail-fast"]), ["oak"]);
    // A run of other tools forgets nothing.
    assert_eq!(order(&project, &["elm"]), ["elm"]);
    let json = run_as_user(&project, &["--format=json"]).stdout;
    let places = ["ash", "elm", "oak"].map(|name| json.find(&format!("\"name\": \"{name}\"")));
    assert!(places.is_sorted(), "{json}");
    project.file("tools/oak.1.golden", "hello Ada\n");
    assert_eq!(order(&project, &[]), ["oak", "ash", "elm"]);
    assert_eq!(order(&project, &[]), ["ash", "elm", "oak"]);
}

#[test]
fn the_record_of_failures_is_not_in_the_project() {
    let project = project();
    project.file("tools/oak.1.golden", "");
    let before = project.files();
    assert_eq!(run_as_user(&project, &[]).status, 1);
    assert_eq!(project.files(), before);
    let folder = project.path("../home/.local/state/cogtools/test");
    let count = || std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(count(), 1);
    // A broken record is ignored.
    let record = std::fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    std::fs::write(&record, "{").unwrap();
    project.file("tools/oak.1.golden", "hello Ada\n");
    assert_eq!(run_as_user(&project, &[]).status, 0);
}
