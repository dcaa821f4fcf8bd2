//! What a process prints, read back.

use std::time::Duration;

use super::{Evaluation, Event, Request, Script, ScriptError, ScriptErrorKind};
use crate::process::{Captured, Exit, Output};

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
    super::evaluation(&output, Duration::from_millis(500))
}

fn log(text: &str) -> Vec<u8> {
    Event::Log(text.to_owned()).encode()
}

#[test]
fn a_request_is_read_back() {
    let request = Request {
        code: "return \"a\\nb\n\"".to_owned(),
        now: Some(1.5),
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
    assert_eq!(
        script.clone().run(None, &crate::Cancel::default()),
        expected
    );
    // A folder without it.
    let found = script.run(Some("/".as_ref()), &crate::Cancel::default());
    assert_eq!(found, expected);
}
