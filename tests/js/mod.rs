//! `cogtools-js`: what models write is evaluated, and cannot do anything else.

mod attacks;
mod forgery;
mod input;
mod language;
mod limits;
mod results;
mod rows;

use std::time::{Duration, Instant};

use cogtools_test_support::{Outcome, Project, Status};
use serde_json::{Map, Value, json};

use crate::run;

/// The time that a run may take beyond its limit, and the margin of a machine with other things
/// to do.
const GRACE: Duration = Duration::from_millis(250);
const LOAD: Duration = Duration::from_millis(500);

/// Runs `request`.
fn evaluate(request: &Value) -> Outcome {
    let project = Project::new();
    run("cogtools-js", &project)
        .args(["--error-format", "json"])
        .stdin(request.to_string())
        .run()
}

/// The request with `code` and the longest time: what takes no time must not depend on the
/// machine.
fn request(code: &str) -> Value {
    json!({"code": code, "args": {}, "timeoutMs": 1_500})
}

/// Everything that came of `request`, on one line: the result, `~` if it was made to text, the
/// logs; or the code of the failure, its message and the logs.
fn outcome(request: &Value) -> String {
    let outcome = evaluate(request);
    let line = format!("{}{}", text(&outcome.stdout), text(&outcome.stderr));
    let found: Value = serde_json::from_str(&line).expect(&line);
    let logs = match &found["logs"] {
        Value::Array(logs) if logs.is_empty() => String::new(),
        logs => format!(" {logs}"),
    };
    if outcome.status == Status::Exit(0) {
        assert_eq!(text(&outcome.stderr), "", "{request}");
        let keys: Vec<&String> = found.as_object().into_iter().flat_map(Map::keys).collect();
        assert_eq!(keys, ["result", "logs", "stringified", "ms"], "{line}");
        assert!(found["ms"].is_u64(), "{line}");
        let mark = if found["stringified"] == true {
            "~"
        } else {
            ""
        };
        return format!("{mark}{}{logs}", found["result"]);
    }
    assert_eq!(text(&outcome.stdout), "", "{request}");
    let code = found["code"].as_str().expect("a code");
    let status = if code == "JS_TIMEOUT" { 124 } else { 1 };
    assert_eq!(outcome.status, Status::Exit(status), "{line}");
    assert_eq!(found["program"], "cogtools-js", "{line}");
    let message = found["message"].as_str().expect("a message");
    let code = code.strip_prefix("JS_").expect(&line).to_lowercase();
    format!("{code}: {message}{logs}")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

/// Compares what comes of each code with what is expected, all of them at once.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let found: Vec<String> = cases.iter().map(|case| patiently(*case)).collect();
    let wrong: Vec<String> = cases
        .iter()
        .zip(&found)
        .filter(|((_, expected), found)| expected != found)
        .map(|((code, expected), found)| {
            format!("{code}\n  expected {expected}\n  found    {found}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The outcome of a code. A machine with other things to do may need several attempts.
fn patiently((code, expected): (&str, &str)) -> String {
    let mut found = outcome(&request(code));
    for _ in 0..3 {
        if expected == found || !found.starts_with("timeout: ") {
            break;
        }
        found = outcome(&request(code));
    }
    found
}

/// The outcome of a code that must be ended within `ms` milliseconds, and a margin.
#[track_caller]
fn check_ended(ms: u64, cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        let start = Instant::now();
        let found = outcome(&json!({"code": code, "timeoutMs": ms}));
        let took = start.elapsed();
        assert_eq!(found, *expected, "{code}");
        let most = Duration::from_millis(ms) + GRACE + LOAD;
        assert!(took < most, "{code}: {took:?}");
    }
}
