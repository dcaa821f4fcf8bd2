//! What is read, and how failures are printed.

use cogtools_test_support::{Project, str};

use crate::run;

fn evaluate(input: &str) -> cogtools_test_support::Outcome {
    run("cogtools-js", &Project::new()).stdin(input).run()
}

#[test]
fn a_request_that_is_not_one() {
    evaluate("").fails(65, str![]);
    evaluate("[]").fails(65, str![]);
    evaluate("{\"code\": ").fails(65, str![]);
    evaluate(r#"{"code": 5, "args": [1]}"#).fails(65, str![]);
    evaluate(&format!(r#"{{"code": "{}"}}"#, "x".repeat(1_001))).fails(65, str![]);
}

#[test]
fn a_failure_shows_where_and_what_was_logged() {
    evaluate(r#"{"code": "console.log('one\ntwo', {});\n  args.a.b;"}"#).fails(1, str![]);
    evaluate(r#"{"code": "return 1 +"}"#).fails(1, str![]);
    evaluate(r#"{"code": "const é = '😀'; null.x"}"#).fails(1, str![]);
    evaluate(r#"{"code": "fetch('http://localhost')"}"#).fails(1, str![]);
    evaluate(r#"{"code": "console.log('\u001b[2J\u202e'); for (;;);", "timeoutMs": 1}"#)
        .fails(124, str![]);
    evaluate(r#"{"code": "return {a: [1, () => 1]}"}"#).fails(1, str![]);
}

#[test]
fn a_failure_as_json() {
    let failure = |code: &str| {
        let request = serde_json::json!({"code": code}).to_string();
        run("cogtools-js", &Project::new())
            .args(["--error-format", "json"])
            .stdin(request)
            .run()
    };
    failure("console.log(1); console.warn('a', [2, 3]); x").fails(1, str![]);
    failure("").fails(65, str![]);
}

#[test]
fn without_its_program_nothing_is_evaluated() {
    let project = Project::new();
    project.copy("../bin/cogtools", crate::whole("cogtools"));
    cogtools_test_support::Run::new(project.path("../bin/cogtools"))
        .project(&project)
        .arg("js")
        .stdin(r#"{"code": "return 1"}"#)
        .run()
        .fails(74, str![]);
}

#[test]
fn the_porcelain_runs_it() {
    let project = Project::new();
    let outcome = run("cogtools", &project)
        .arg("js")
        .stdin(r#"{"code": "return args.a + 1", "args": {"a": 1}}"#)
        .run();
    let mut found = outcome.json();
    found["ms"] = 0.into();
    assert_eq!(
        found.to_string(),
        r#"{"result":2,"logs":[],"stringified":false,"ms":0}"#
    );
}
