//! The built-in tools that compute: JavaScript, and the time.

use std::time::{Duration, SystemTime};

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use crate::run;

fn project() -> Project {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "tool_sources: [builtin]\n");
    project
}

fn call(tool: &str, arguments: &Value) -> Outcome {
    run("cogtools-call", &project())
        .arg(tool)
        .stdin(arguments.to_string())
        .run()
}

/// The result of `run_js` without its time.
fn evaluated(arguments: &Value) -> Value {
    let outcome = call("run_js", arguments);
    outcome.status(0).stderr_is("");
    let mut result = outcome.json();
    let ms = result.as_object_mut().and_then(|it| it.remove("ms"));
    assert!(ms.is_some_and(|ms| ms.is_u64()));
    result
}

#[test]
fn javascript_is_evaluated() {
    let code = "console.log('adding', args.a); return args.a + 1";
    assert_eq!(
        evaluated(&json!({"code": code, "args": {"a": 1}})),
        json!({"result": 2, "logs": ["adding 1"], "stringified": false})
    );
    // Limits are clamped, null is the default, and other keys are ignored.
    for arguments in [
        json!({"code": " return 1n ", "timeoutMs": 99_999, "more": 1}),
        json!({"code": "return 1n", "timeoutMs": null, "args": null}),
        json!({"code": "return 1n", "timeoutMs": -1.5}),
    ] {
        let expected = json!({"result": "1", "logs": [], "stringified": true});
        assert_eq!(evaluated(&arguments), expected, "{arguments}");
    }
}

#[test]
fn failures_of_javascript_have_their_codes() {
    call("run_js", &json!({"code": "fetch('x')"})).fails(
        1,
        str![[r#"
cogtools-call: error[JS_FORBIDDEN]: <code>:1:1: fetch is forbidden
   |
 1 | fetch('x')
   | ^
hint: compute with `args` alone: there is no network and no storage

"#]],
    );
    call(
        "run_js",
        &json!({"code": "console.log('near'); return args.a.b"}),
    )
    .fails(
        1,
        str![[r#"
cogtools-call: error[JS_RUNTIME]: <code>:1:29: TypeError: cannot read property 'b' of undefined
   |
 1 | console.log('near'); return args.a.b
   |                             ^
  | near

"#]],
    );
    call("run_js", &json!({"code": "for (;;) {}", "timeoutMs": 60})).fails(
        124,
        str![[r#"
cogtools-call: error[JS_TIMEOUT]: run_js: exceeded 60 ms
hint: compute less, in fewer steps

"#]],
    );
    call("run_js", &json!({"code": "return ("})).fails(
        1,
        str![[r#"
cogtools-call: error[JS_SYNTAX]: <code>:1:9: unexpected end of the code
   |
 1 | return (
   |         ^
hint: write the body of a function that takes `args`, such as `return args.a + 1`

"#]],
    );
    call("run_js", &json!({"code": "return () => 1"})).fails(
        1,
        str![[r#"
cogtools-call: error[JS_RESULT]: run_js: the result is a function, which is not JSON
hint: return text, numbers, booleans, null, arrays or plain objects

"#]],
    );
}

#[test]
fn what_cannot_be_evaluated_violates_the_schema() {
    call("run_js", &json!({})).fails(65, str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: run_js: /code: required but missing
hint: send code (string, at least 1 character, at most 1000 characters): The body of a function with the parameter args, such as `return args.a + 1`

"#]]);
    call("run_js", &json!({"code": " "})).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: run_js: /code: empty
hint: send the body of a function, as in {"code": "return 1 + 1"}

"#]],
    );
    call(
        "run_js",
        &json!({"code": "x", "args": [1], "timeoutMs": "9"}),
    )
    .fails(65, str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: run_js: /args: expected object or null, got array [1]
hint: send args (object or null): The value of args; `{}` if it is left out
cogtools-call: error[SCHEMA_VIOLATION]: run_js: /timeoutMs: expected number or null, got string "9"
hint: send timeoutMs (number or null): How long the code may run, from 50 to 1,500 ms; 500 if it is left out

"#]]);
    // Each of these is one character, and two UTF-16 units.
    let long = "\u{1F600}".repeat(501);
    call("run_js", &json!({"code": long})).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: run_js: /code: 1002 UTF-16 units long, 1000 at most
hint: send the body of a function, as in {"code": "return 1 + 1"}

"#]],
    );
    call("run_js", &json!({"code": "x".repeat(1001)})).status(65);
}

#[test]
fn the_time_is_that_of_the_user() {
    let before = SystemTime::now();
    let outcome = run("cogtools-call", &project())
        .arg("get_current_date")
        .env("TZ", "Asia/Tokyo")
        .stdin("{}")
        .run();
    outcome.status(0).stderr_is("");
    let found = outcome.json();
    let millis = found["epochMs"].as_u64().expect("milliseconds");
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
    assert!(
        before - Duration::from_secs(1) < time && time <= SystemTime::now(),
        "{found}"
    );
    let iso = found["iso"].as_str().expect("a time");
    assert!(iso.len() == 24 && iso.ends_with('Z'), "{found}");
    assert!(iso.ends_with(&format!(".{:03}Z", millis % 1000)), "{found}");
    let local = found["local"].as_str().expect("a time");
    assert!(local.ends_with(" JST"), "{found}");
    assert_eq!(found.as_object().map(serde_json::Map::len), Some(3));
}
