//! Runs of JavaScript: a body over `args`, evaluated by a process of `cogtools-js`.
//!
//! No engine is linked here. The process confines itself before it reads the code, and is killed
//! when its own limits do not end it in time, so that a run costs no more than it may.

mod calls;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use calls::{Answer, Event, Reply, Request, ToolCall, ToolFailure, Toolbox, Violation};
use cogtools_document::{Code, Diagnostic, Hint, Location, json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Cancel;
use crate::environment::Vars;
use crate::process::{Exit, Output, Process};

/// A body of JavaScript with its arguments and limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The body of a strict function with the parameter `args`.
    pub code: String,
    /// The value of `args`, as JSON.
    pub args: String,
    /// Time limit.
    pub timeout: Duration,
    /// The time that its clock shows, in milliseconds since 1970; the real time if there is none.
    pub now: Option<f64>,
    /// True for the code of a tool or a node: it must return something, and what JSON has no
    /// form for, such as a map, has its content in results and logs.
    pub is_tool: bool,
}

/// Result of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The result.
    pub value: Value,
    /// The result as JSON, as the engine wrote it.
    pub json: String,
    /// True if the result is the text of a value that JSON does not have.
    pub stringified: bool,
    /// Logged texts.
    pub logs: Vec<String>,
    /// Duration in milliseconds.
    pub ms: u64,
}

impl Evaluation {
    /// The evaluation as one JSON object: `result`, `logs`, `stringified` and `ms`.
    pub fn render(&self) -> String {
        let Self {
            json,
            logs,
            stringified,
            ms,
            ..
        } = self;
        let logs = Value::from(logs.as_slice());
        format!(r#"{{"result":{json},"logs":{logs},"stringified":{stringified},"ms":{ms}}}"#)
    }
}

impl Script {
    /// The program that evaluates.
    pub const PROGRAM: &'static str = "cogtools-js";
    /// The option with which that program is the confined process; its value is the timeout in
    /// milliseconds.
    pub const OPTION: &'static str = "--worker";
    /// Maximum bytes of a result, as JSON: 1 MiB.
    pub const MAX_RESULT_BYTES: usize = 1 << 20;
    /// Maximum bytes of logs: 64 KiB.
    pub const MAX_LOG_BYTES: usize = 64 << 10;
    /// The option before it for code that calls tools: the arguments are one line, and results of
    /// calls follow.
    pub const CALLS: &'static str = "--calls";
    /// Maximum bytes of memory of a run's values: 64 MiB.
    pub const MEMORY: usize = 64 << 20;

    /// Time after its timeout until a run is killed.
    const GRACE: Duration = Duration::from_millis(150);
    /// Maximum bytes that the process prints: a result and logs, with all escapes.
    const MAX_OUTPUT_BYTES: usize = 4 << 20;

    /// Runs it with the `cogtools-js` in the folder `programs`, until it ends or is cancelled.
    pub fn run(self, programs: Option<&Path>, cancel: &Cancel) -> Result<Evaluation, ScriptError> {
        let file = Self::file(programs).ok_or(ScriptErrorKind::NotInstalled)?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
        let Self {
            code,
            args,
            timeout,
            now,
            is_tool,
        } = self;
        let option = OsString::from(Self::OPTION);
        let milliseconds = (timeout.as_secs_f64() * 1000.0).to_string();
        // Its clock is in UTC, whatever the zone of this machine is.
        let variables = Vars::from([("TZ".into(), "UTC0".into())]);
        let output = Process::new(&file, folder)
            .args([option, milliseconds.into()])
            .variables(variables)
            .input(
                Request {
                    code,
                    now,
                    is_tool,
                    tools: None,
                }
                .encode(&args),
            )
            .stdout_limit(Self::MAX_OUTPUT_BYTES)
            .timeout(timeout.saturating_add(Self::GRACE))
            .run(cancel)
            .map_err(|error| ScriptErrorKind::Start(error.to_string()))?;
        evaluation(&output, timeout)
    }

    /// The file of the program in the folder `programs`, if it is installed.
    pub fn file(programs: Option<&Path>) -> Option<PathBuf> {
        let name = format!("{}{}", Self::PROGRAM, std::env::consts::EXE_SUFFIX);
        let file = programs?.join(name);
        file.is_file().then_some(file)
    }
}

/// Reads what the process reported, or says why it ended without that.
fn evaluation(output: &Output, timeout: Duration) -> Result<Evaluation, ScriptError> {
    let mut logs = Vec::new();
    let fail = |kind: ScriptErrorKind, logs: Vec<String>| {
        let error = ScriptError::from(kind);
        Err(ScriptError { logs, ..error })
    };
    // A process that was killed may have written a part of a line.
    for line in output.stdout.bytes.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(Event::Log(text)) => logs.push(text),
            Ok(Event::Result {
                json,
                stringified,
                ms,
            }) => {
                let Ok(value) = json::parse(&json) else {
                    return fail(ScriptErrorKind::Crashed("no JSON as a result".into()), logs);
                };
                return Ok(Evaluation {
                    value,
                    json,
                    stringified,
                    logs,
                    ms,
                });
            }
            Ok(Event::Error(error)) => return Err(ScriptError { logs, ..error }),
            // The others are of code that calls tools.
            Ok(_) | Err(_) => {}
        }
    }
    fail(
        match output.exit {
            Exit::TimedOut => ScriptErrorKind::Timeout(timeout),
            Exit::Cancelled => ScriptErrorKind::Cancelled,
            exit => ScriptErrorKind::Crashed(exit.describe()),
        },
        logs,
    )
}

/// Why a run failed, where, and what was logged before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptError {
    /// Why.
    pub kind: ScriptErrorKind,
    /// The line and the column of the code, both from 1, if known.
    pub position: Option<(usize, usize)>,
    /// Texts that were logged before it.
    #[serde(skip)]
    pub logs: Vec<String>,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "lowercase")]
pub enum ScriptErrorKind {
    /// The code threw something, described here.
    #[error("{0}")]
    Runtime(String),
    /// The code is not the body of a function.
    #[error("{0}")]
    Syntax(String),
    /// The code called this, which it may not.
    #[error("{0} is forbidden")]
    Forbidden(String),
    /// It took longer than this.
    #[error("exceeded {} ms", .0.as_secs_f64() * 1000.0)]
    Timeout(Duration),
    /// It needed more memory than there is.
    #[error("exceeded {} MiB of memory", Script::MEMORY >> 20)]
    Memory,
    /// It returned something that is not JSON.
    #[error("{0}")]
    Result(String),
    /// The process could not confine itself, for this reason.
    #[error("JavaScript cannot be confined here: {0}")]
    Confine(String),
    /// There is no `cogtools-js`.
    #[error("`cogtools-js` is not installed")]
    NotInstalled,
    /// It cannot be started, for this reason.
    #[error("`cogtools-js` cannot be started: {0}")]
    Start(String),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The process ended in this way, without a result.
    #[error("the engine ended unexpectedly: {0}")]
    Crashed(String),
}

impl ScriptError {
    /// The diagnostic for a model that wrote `code`.
    pub fn diagnostic(self, code: &str) -> Diagnostic {
        let kind = self.kind;
        let mut diagnostic = Diagnostic::new(kind.code(), kind.to_string());
        diagnostic.logs = Some(self.logs);
        diagnostic.hints.extend(kind.hint());
        diagnostic.location = self
            .position
            .map(|(line, column)| Location::new("<code>".as_ref(), code, line, column, 1));
        diagnostic
    }
}

impl ScriptErrorKind {
    /// The code of the failure.
    pub const fn code(&self) -> Code {
        match self {
            Self::Runtime(_) | Self::Crashed(_) | Self::Cancelled => Code::JsRuntime,
            Self::Syntax(_) => Code::JsSyntax,
            Self::Forbidden(_) => Code::JsForbidden,
            Self::Timeout(_) => Code::JsTimeout,
            Self::Memory => Code::JsMemory,
            Self::Result(_) => Code::JsResult,
            Self::Confine(_) | Self::NotInstalled | Self::Start(_) => Code::IoFailed,
        }
    }

    /// Returns the hint for it, if there is one.
    pub fn hint(&self) -> Option<Hint> {
        let text = match self {
            Self::Syntax(_) => {
                "write the body of a function that takes `args`, such as `return args.a + 1`"
            }
            Self::Forbidden(_) => "compute with `args` alone: there is no network and no storage",
            Self::Timeout(_) => "compute less, in fewer steps",
            Self::Memory => "build smaller values, and fewer at a time",
            Self::Result(text) if text.starts_with("returned nothing") => {
                "end the code with `return` and the value"
            }
            Self::Result(text) if text.contains("promise") => {
                "nothing here is asynchronous, and promises never end: return the value itself"
            }
            Self::Result(_) => "return text, numbers, booleans, null, arrays or plain objects",
            Self::Confine(_) => {
                "the kernel must have seccomp, and a container must permit it; \
                 nothing is evaluated without"
            }
            Self::NotInstalled => "install it in the folder of the other programs of cogtools",
            Self::Start(_) => "check that it is an executable program",
            Self::Runtime(text) => return absent(text).map(Into::into),
            Self::Cancelled | Self::Crashed(_) => return None,
        };
        Some(text.into())
    }
}

/// Suggests a replacement for the absent name in the error `text`.
fn absent(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix("ReferenceError: ")?;
    Some(match name.strip_suffix(" is not defined")? {
        "setTimeout"
        | "setInterval"
        | "setImmediate"
        | "queueMicrotask"
        | "requestAnimationFrame" => "nothing here is asynchronous: call the function itself",
        "require" | "module" | "exports" => {
            "there are no modules: write what is needed in the code itself"
        }
        "process" | "Deno" | "Bun" | "window" | "document" | "navigator" | "localStorage" => {
            "there is no host: pass what the code needs in `args`"
        }
        "Buffer" => "use TextEncoder and TextDecoder, atob and btoa, and Uint8Array",
        "performance" => "use Date.now()",
        "Temporal" => "use Date, and toLocaleString with a timeZone",
        _ => return None,
    })
}

impl From<ScriptErrorKind> for ScriptError {
    fn from(kind: ScriptErrorKind) -> Self {
        Self {
            kind,
            position: None,
            logs: Vec::new(),
        }
    }
}

/// Maximum number of UTF-16 units of the code.
const MAX_CODE_UNITS: usize = 1_000;
/// Time limits of the code in milliseconds: the least, the most, and the default.
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
                is_tool: false,
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
    use crate::process::Captured;

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

    fn read(lines: &[u8], exit: Exit) -> Result<Evaluation, ScriptError> {
        let output = Output {
            exit,
            stdout: Captured {
                bytes: lines.to_vec(),
                left_out: 0,
            },
            stderr: Captured::default(),
            left_children: false,
        };
        evaluation(&output, Duration::from_millis(500))
    }

    fn log(text: &str) -> Vec<u8> {
        Event::Log(text.to_owned()).encode()
    }

    #[test]
    fn a_request_is_read_back() {
        let request = Request {
            code: "return \"a\\nb\n\"".to_owned(),
            now: Some(1.5),
            is_tool: false,
            tools: None,
        };
        let input = request.encode("{\"a\":\n1}");
        let expected = (request, b"{\"a\":\n1}".as_slice());
        assert_eq!(Request::decode(&input), Some(expected));
        assert_eq!(Request::decode(b"{}"), None);
        assert_eq!(Request::decode(b"{}\n"), None);
    }

    #[test]
    fn a_result_comes_after_the_logs() {
        let result = Event::Result {
            json: "{\"a\":[1]}".to_owned(),
            stringified: false,
            ms: 7,
        };
        let lines = [log("one"), log("two\n"), result.encode()].concat();
        let expected = Evaluation {
            value: serde_json::json!({"a": [1]}),
            json: "{\"a\":[1]}".to_owned(),
            stringified: false,
            logs: vec!["one".to_owned(), "two\n".to_owned()],
            ms: 7,
        };
        assert_eq!(read(&lines, Exit::TimedOut), Ok(expected));
    }

    #[test]
    fn an_error_keeps_the_logs() {
        let error = ScriptError {
            kind: ScriptErrorKind::Runtime("boom".to_owned()),
            position: Some((2, 3)),
            logs: vec!["one".to_owned()],
        };
        let lines = [log("one"), Event::Error(error.clone()).encode()].concat();
        assert_eq!(read(&lines, Exit::Cancelled), Err(error));
    }

    #[test]
    fn a_process_that_was_ended_has_logged_whole_lines() {
        let kind = ScriptErrorKind::Timeout(Duration::from_millis(500));
        let lines = [log("one"), b"{\"log\":\"tw".to_vec()].concat();
        let expected = ScriptError {
            logs: vec!["one".to_owned()],
            ..kind.into()
        };
        assert_eq!(read(&lines, Exit::TimedOut), Err(expected));
        let cancelled = ScriptErrorKind::Cancelled.into();
        assert_eq!(read(b"", Exit::Cancelled), Err(cancelled));
    }

    #[test]
    fn a_result_that_is_not_json_is_no_result() {
        let result = Event::Result {
            json: "{".to_owned(),
            stringified: false,
            ms: 0,
        };
        let expected = ScriptErrorKind::Crashed("no JSON as a result".to_owned()).into();
        assert_eq!(read(&result.encode(), Exit::TimedOut), Err(expected));
    }

    #[test]
    fn without_the_program_nothing_runs() {
        let expected = Err(ScriptErrorKind::NotInstalled.into());
        let script = Script::default();
        assert_eq!(script.clone().run(None, &Cancel::default()), expected);
        // A folder without it.
        let found = script.run(Some("/".as_ref()), &Cancel::default());
        assert_eq!(found, expected);
    }
}
