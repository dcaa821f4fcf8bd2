//! A request for a run as a model writes it: code, arguments and a time limit within limits.

use std::time::Duration;

use serde_json::{Map, Value};

use super::Script;
use crate::{Code, Diagnostic};

/// How many UTF-16 units the code has at most.
const MAX_CODE_UNITS: usize = 1_000;
/// How long the code may run, in milliseconds: the least, the most, and the default.
const MIN_MS: f64 = 50.0;
const MAX_MS: f64 = 1_500.0;
const DEFAULT_MS: f64 = 500.0;
/// The times that a `Date` can have, in milliseconds before and after 1970.
const MAX_NOW: f64 = 8.64e15;

impl Script {
    /// The script that a model asks for with the keys `code`, `args`, `timeoutMs` and `now`:
    /// trimmed, with defaults, its time clamped to 50 to 1,500 ms; other keys are ignored.
    ///
    /// # Errors
    ///
    /// Every violation: a `SCHEMA_VIOLATION` each.
    pub fn requested(object: &Map<String, Value>) -> Result<Self, Vec<Diagnostic>> {
        let code = code(object.get("code"));
        let args = args(object.get("args"));
        let milliseconds = object.get("timeoutMs").and_then(Value::as_f64);
        let milliseconds = milliseconds.unwrap_or(DEFAULT_MS).clamp(MIN_MS, MAX_MS);
        let now = object.get("now").and_then(Value::as_f64);
        match (code, args) {
            (Ok(code), Ok(args)) => Ok(Self {
                code,
                args,
                timeout: Duration::from_secs_f64(milliseconds / 1000.0),
                now: now.filter(|now| now.abs() <= MAX_NOW).map(f64::trunc),
            }),
            (code, args) => {
                let violations = code.err().into_iter().chain(args.err());
                Err(violations.map(|violation| *violation).collect())
            }
        }
    }
}

fn code(value: Option<&Value>) -> Result<String, Box<Diagnostic>> {
    let hint = r#"send the body of a function, as in {"code": "return 1 + 1"}"#;
    let violation = |message: String| Err(Box::new(violation("/code", message).hint(hint)));
    match value {
        None => violation("required but missing".to_owned()),
        Some(Value::String(code)) if code.trim().is_empty() => violation("empty".to_owned()),
        Some(Value::String(code)) => {
            let code = code.trim();
            let units = code.encode_utf16().count();
            if units > MAX_CODE_UNITS {
                let message = format!("{units} UTF-16 units long, {MAX_CODE_UNITS} at most");
                return violation(message);
            }
            Ok(code.to_owned())
        }
        Some(_) => violation("not a string".to_owned()),
    }
}

fn args(value: Option<&Value>) -> Result<String, Box<Diagnostic>> {
    match value {
        None | Some(Value::Null) => Ok("{}".to_owned()),
        Some(Value::Object(args)) => {
            // Text and numbers can always be serialized.
            Ok(serde_json::to_string(args).unwrap_or_default())
        }
        Some(_) => {
            let hint = r#"send an object, as in {"args": {"a": 1}}"#;
            let violation = violation("/args", "not an object".to_owned());
            Err(Box::new(violation.hint(hint)))
        }
    }
}

fn violation(pointer: &str, message: String) -> Diagnostic {
    Diagnostic::new(Code::SchemaViolation, message).with_pointer(pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code, the arguments, the milliseconds and the time of a request.
    fn check(request: &str, expected: (&str, &str, u64, Option<f64>)) {
        let request: Value = serde_json::from_str(request).expect("it is JSON");
        let script = Script::requested(request.as_object().expect("an object")).expect("valid");
        let (code, args, ms, now) = expected;
        assert_eq!(script.code, code);
        assert_eq!(script.args, args);
        assert_eq!(script.timeout, Duration::from_millis(ms));
        assert_eq!(script.now, now);
    }

    #[test]
    fn a_request_is_brought_within_its_limits() {
        check(r#"{"code": " x\n"}"#, ("x", "{}", 500, None));
        check(
            r#"{"code": "x", "args": null, "timeoutMs": "9"}"#,
            ("x", "{}", 500, None),
        );
        check(
            r#"{"code": "x", "timeoutMs": -1, "now": null}"#,
            ("x", "{}", 50, None),
        );
        check(
            r#"{"code": "x", "args": {"a": 1.0}, "timeoutMs": 99999, "now": 7.9, "k": 1}"#,
            ("x", r#"{"a":1.0}"#, 1_500, Some(7.0)),
        );
        check(r#"{"code": "x", "now": 1e300}"#, ("x", "{}", 500, None));
        let longest = format!(r#"{{"code": " {} "}}"#, "\u{1F600}".repeat(500));
        check(&longest, (&"\u{1F600}".repeat(500), "{}", 500, None));
    }

    #[test]
    fn every_violation_is_reported() {
        let check = |request: &str, expected: &[(&str, &str)]| {
            let object: Value = serde_json::from_str(request).expect("it is JSON");
            let object = object.as_object().expect("an object");
            let found = Script::requested(object).expect_err(request);
            let found: Vec<_> = found
                .iter()
                .map(|one| {
                    assert_eq!(one.code, Code::SchemaViolation, "{request}");
                    (one.pointer.as_deref().unwrap_or(""), one.message.as_str())
                })
                .collect();
            assert_eq!(found, expected, "{request}");
        };
        check("{}", &[("/code", "required but missing")]);
        check(r#"{"code": " \n"}"#, &[("/code", "empty")]);
        check(
            r#"{"code": 5, "args": []}"#,
            &[("/code", "not a string"), ("/args", "not an object")],
        );
        check(
            r#"{"code": "x", "args": "s"}"#,
            &[("/args", "not an object")],
        );
        let long = format!(r#"{{"code": "{}a"}}"#, "\u{1F600}".repeat(500));
        let message = "1001 UTF-16 units long, 1000 at most";
        check(&long, &[("/code", message)]);
    }
}
