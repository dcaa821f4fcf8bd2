//! Files with cases: mistakes have a place, and other files are no tools.

use cogtools_test_support::{assert_text, str};

use super::{eval, project, scripted};

/// Runs with these cases, which are invalid.
#[track_caller]
fn check(cases: &str, expected: &str) {
    let run = eval(&project(cases), &[]);
    assert_eq!(run.status, 78, "{run:?}");
    assert!(run.stderr.contains("INVALID_EVALS"), "{}", run.stderr);
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn mistakes_have_a_line_and_a_hint() {
    check(
        "trails: 3\ncases: []\n",
        "tools/convert.evals.yaml:1:1: unknown key `trails`",
    );
    check(
        "cases:\n  - {name: a, task: t, expct: {}}\n",
        "did you mean `expect`?",
    );
    check(
        "cases:\n  - {name: A, task: t, expect: {never: [x]}}\n",
        "a name has the characters",
    );
    check(
        "cases:\n  - {name: a, task: t, expect: {}}\n",
        "`expect` needs at least one key",
    );
    check(
        "cases:\n  - {name: a, task: t, expect: {order: exct}}\n",
        "did you mean `exact`?",
    );
    check(
        "cases:\n  - {name: a, task: t, expect: {calls: [{args: {}}]}}\n",
        "`tool` is missing",
    );
    check(
        "cases:\n  - {name: a, task: t, expect: {answer: {matches: '('}}}\n",
        "this is no pattern",
    );
    check(
        "cases:\n  - {name: a, task: t, files: {../x: y}, expect: {never: [x]}}\n",
        "a path is relative",
    );
    check(
        "cases:\n  - {name: a, task: t, expect: {never: [x]}}\n  - {name: a, task: t, expect: {never: [x]}}\n",
        "convert.evals.yaml:3:1: the name `a` is used twice",
    );
    check(
        "cases:\n  - {name: a, task: t, expect: {calls: [{tool: x, args: {y: {schema: {type: strin}}}}]}}\n",
        "`strin` is not a type",
    );
}

#[test]
fn a_file_of_cases_is_no_tool() {
    let project =
        project("cases: [{name: a, task: right, trials: 1, expect: {calls: [{tool: convert}]}}]");
    let run = scripted(&project, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
}

#[test]
fn a_source_that_cannot_be_listed_is_reported() {
    let project =
        project("cases: [{name: a, task: right, trials: 1, expect: {calls: [{tool: convert}]}}]");
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: ./tools}, {command: {discover: [./p], call: [./p], name: p}}]\n",
    );
    let run = scripted(&project, &[]);
    assert_text(
        &run.stderr,
        str![[r#"
cogtools-eval: warning[DENIED]: the provider `p` is not approved yet
hint: review what it runs, then approve it: cogtools trust p

"#]],
    );
    assert_eq!(run.status, 0);
}

#[test]
fn cases_of_skills_are_read() {
    let project = project("cases: [{name: a, task: t, expect: {never: [x]}}]");
    project.file(
        "evals/evals.json",
        r#"{"evals": [{"id": 1, "prompt": "Hello", "expected_output": "A greeting"}, {"query": "x", "should_trigger": true}]}"#,
    );
    let run = eval(&project, &["evals", "--replay"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stderr.contains("1 of 2 skipped"), "{}", run.stderr);
    let run = eval(&project, &["evals"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("name one with --judge"),
        "{}",
        run.stderr
    );
}
