//! The recorded behaviour of the original sandbox. Its codes have other names here, and where
//! the contract differs from a row, the contract counts.

use cogtools_test_support::{Status, conformance};
use serde_json::{Value, json};

use super::evaluate;

/// Rows that the contract overrides: the code that is expected instead, and why.
const OVERRIDDEN: [(&str, &str, &str); 5] = [
    (
        "sb-61",
        "result",
        "console has log, info, warn, error and debug",
    ),
    (
        "sb-70",
        "JS_RUNTIME",
        "intrinsics are frozen, so JSON.stringify cannot be replaced",
    ),
    (
        "sb-71",
        "JS_RUNTIME",
        "intrinsics are frozen, so Date.now cannot be replaced",
    ),
    (
        "sb-86",
        "result",
        "the engine is newer and has Object.groupBy",
    ),
    (
        "sb-103",
        "JS_RUNTIME",
        "host names that are not forbidden are undefined",
    ),
];
/// The results of the rows that return something.
const RESULTS: [(&str, &str); 2] = [
    (
        "sb-61",
        r#"{"result":"undefined","logs":["x"],"stringified":true}"#,
    ),
    (
        "sb-86",
        r#"{"result":{"odd":[1,3],"even":[2]},"logs":[],"stringified":false}"#,
    ),
];
/// Rows whose code is another one: the contract distinguishes syntax and results.
const SYNTAX: [&str; 3] = ["sb-37", "sb-44", "sb-92"];
const RESULT: [&str; 1] = ["sb-25"];

/// The expectation of a row: the output without its time, or the code of the failure.
fn expected(row: &Value) -> Value {
    let id = row["id"].as_str().expect("an id");
    if let Some((_, code, _)) = OVERRIDDEN.iter().find(|(other, ..)| *other == id) {
        let result = RESULTS.iter().find(|(other, _)| *other == id);
        return match result {
            Some((_, text)) => serde_json::from_str(text).expect("it is JSON"),
            None => json!(code),
        };
    }
    let later = row.get("expected_later").unwrap_or(&row["expected"]);
    let code = match later["error"]["code"].as_str() {
        None => {
            let mut ok = later["ok"].clone();
            // The original kept the value undefined, which JSON does not have.
            if ok["result"].get("$undefined").is_some() {
                ok["result"] = json!("undefined");
                ok["stringified"] = json!(true);
            }
            return ok;
        }
        Some(_) if SYNTAX.contains(&id) => "JS_SYNTAX",
        Some(_) if RESULT.contains(&id) => "JS_RESULT",
        Some("runtime_error") => "JS_RUNTIME",
        Some("forbidden_api") => "JS_FORBIDDEN",
        Some("timeout") => "JS_TIMEOUT",
        Some(other) => panic!("{id}: the code {other}"),
    };
    json!(code)
}

#[test]
fn the_recorded_runs() {
    let Some(rows) = conformance::recorded("agents/002_sandbox_run.jsonl", "cogtools-js") else {
        return;
    };
    for row in &rows {
        let outcome = evaluate(&row["input"]);
        let id = &row["id"];
        let found = if outcome.status == Status::Exit(0) {
            let mut found: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
            let time = found.as_object_mut().and_then(|it| it.remove("ms"));
            time.expect("a time");
            found
        } else {
            let found: Value = serde_json::from_slice(&outcome.stderr).expect("JSON");
            let message = row["expected"]["error"]["message"].as_str();
            if let Some(message) = message.filter(|text| text.ends_with("is forbidden")) {
                assert_eq!(found["message"], message, "{id}");
            }
            found["code"].clone()
        };
        assert_eq!(found, expected(row), "{id} {}", row["input"]["code"]);
    }
    assert_eq!(rows.len(), 37);
}

/// The original had a function for the arguments. Here, arguments that it takes are taken, and
/// what it makes of them shows in the run.
#[test]
fn the_recorded_arguments() {
    let Some(rows) = conformance::recorded("agents/002_sandbox_args.jsonl", "cogtools-js") else {
        return;
    };
    for row in &rows {
        let (id, input) = (&row["id"], &row["input"]);
        let outcome = evaluate(input);
        let error: Value = serde_json::from_slice(&outcome.stderr).unwrap_or_default();
        if row["expected"].get("ok").is_some() {
            // `x` is a name without a value, which the engine finds out: it was run.
            let codes = [&Value::Null, &json!("JS_RUNTIME")];
            assert!(codes.contains(&&error["code"]), "{id}: {error}");
        } else {
            let code = if input.is_object() {
                "SCHEMA_VIOLATION"
            } else {
                "INVALID_ARGUMENTS_SYNTAX"
            };
            assert_eq!(error["code"], code, "{id}");
            assert_eq!(outcome.status, Status::Exit(65), "{id}");
        }
    }
    assert_eq!(rows.len(), 11);
}
