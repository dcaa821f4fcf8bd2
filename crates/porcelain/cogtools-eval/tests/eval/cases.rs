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
    let check_at = |keys: &str, place: &str, expected: &str| {
        let case = format!("  - {{name: a, task: t, {keys}}}");
        let column = case.find(place).expect("a place") + 1;
        check(
            &format!("cases:\n{case}\n"),
            &format!(":2:{column}: {expected}"),
        );
    };
    for (files, place, expected) in [
        ("{a: y, a/b: z}", "a/b", "the file `a` is in its place"),
        ("{a/b: z, ./a: y}", "./a", "the file `a/b` is in its place"),
        ("{.: y}", ".: y", "a path names a file, not a folder"),
        ("{a/: y}", "a/: y", "a path names a file, not a folder"),
    ] {
        check_at(
            &format!("files: {files}, expect: {{never: [x]}}"),
            place,
            expected,
        );
    }
    for (expect, place, expected) in [
        ("{order: exact}", "exact", "`order` is about `calls`"),
        ("{calls: []}", "[]", "`calls` is empty, and expects nothing"),
        ("{answer: {}}", "{}", "`answer` is empty"),
        ("{answer: {contains: []}}", "[]", "`contains` is empty"),
        ("{answer: {says: []}}", "[]", "`says` is empty"),
        ("{never: []}", "[]", "`never` is empty"),
        ("{at_most: {}}", "{}", "`at_most` is empty"),
        (
            "{first_try: false}",
            "false",
            "`first_try: false` expects nothing",
        ),
    ] {
        check_at(&format!("expect: {expect}"), place, expected);
    }
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

#[test]
fn files_of_a_skill_are_those_of_its_project() {
    let project = project("cases: [{name: a, task: t, expect: {never: [x]}}]");
    let evals = |file: &str| {
        let case =
            format!(r#"{{"prompt": "right", "expected_output": "it", "files": ["{file}"]}}"#);
        project.file("evals/evals.json", format!("[{case}]"));
        eval(&project, &["evals"])
    };
    project
        .file("../secret", "secret")
        .file("evals/own", "text")
        .link("evals/outside", "../../secret");
    let fifo = std::process::Command::new("mkfifo")
        .arg(project.path("evals/fifo"))
        .status();
    assert!(fifo.expect("mkfifo").success());
    for file in ["outside", "fifo", "../../secret", "/dev/zero", "missing"] {
        let run = evals(file);
        assert_eq!(run.status, 78, "{file}: {run:?}");
        let message = format!("the file `{file}` cannot be read");
        assert!(run.stderr.contains(&message), "{run:?}");
    }
    // It needs a judge, which comes after its files.
    assert!(
        evals("own")
            .stderr
            .contains("`says` needs a model that judges")
    );
}
