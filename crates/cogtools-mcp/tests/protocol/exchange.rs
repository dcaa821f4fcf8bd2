//! One conversation with the server: lines in, lines out, in either era.

use std::ffi::OsString;
use std::io::Cursor;
use std::path::PathBuf;

use cogtools_mcp::PROGRAM;
use cogtools_program::{Format, Input, Io, Reporter, SignalWatch, Terminals, Vars};
use cogtools_test_support::{Project, difference};
use serde_json::{Value, json};

const GREET: &str = "name: greet
title: Greet
description: Greets a person
parameters:
  person: {type: string, description: Who is greeted}
  times: {type: integer, default: 1}
examples:
  - {person: Grace}
annotations: {read_only: true}
implementation: \"{% for _ in range(times) %}Good day, {{ person }}! {% endfor %}\"
";

/// A server that has come to its end: exit status and both outputs.
pub(super) fn serve(project: &Project, input: String, args: &[&str]) -> (u8, String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = Io {
        stdin: Input::new(Cursor::new(input), false),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals: Terminals::default(),
        vars: Vars::new(),
        cwd: project.root(),
        program: PathBuf::new(),
        next: None,
        reporter: Reporter::new(PROGRAM.name, Format::Human, false),
        signals: SignalWatch::default(),
    };
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let status = PROGRAM.launch(&args, &mut io);
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status, text(stdout), text(stderr))
}

pub(super) fn project() -> Project {
    let project = Project::new();
    project.file("tools/greet.yaml", GREET);
    project
}

/// Says hello, sends the line, and compares what comes back besides the answer
/// to hello.
#[track_caller]
pub(super) fn check(hello: &Value, line: &str, expected: &[Value]) {
    let (status, stdout, stderr) = serve(&project(), format!("{hello}\n{line}"), &[]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{line}");
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"));
    let found: Vec<Value> = lines.filter(|line: &Value| line["id"] != "hello").collect();
    let shown = |values: &[Value]| {
        let shown: Vec<String> = values.iter().map(|value| format!("{value:#}\n")).collect();
        shown.concat()
    };
    if let Some(difference) = difference(shown(expected), shown(&found)) {
        panic!("{line}\n{difference}");
    }
}

pub(super) fn older() -> Value {
    json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

fn newer() -> Value {
    request("hello", "server/discover", json!({"_meta": meta()}))
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "it reads better without borrows"
)]
pub(super) fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Checks a request in both eras; the newer one's results say that they are whole.
#[track_caller]
pub(super) fn check_both(method: &str, params: &Value, expected: &Value) {
    let answer = |result: Value| {
        let kind = if expected.get("code").is_some() {
            "error"
        } else {
            "result"
        };
        json!({"jsonrpc": "2.0", "id": "it", kind: result})
    };
    let line = request("it", method, params.clone()).to_string();
    check(&older(), &line, &[answer(expected.clone())]);
    let mut params = params.clone();
    params["_meta"] = meta();
    let mut expected = expected.clone();
    if expected.get("code").is_none() {
        let mut whole = json!({"resultType": "complete"});
        if method.ends_with("/list") {
            whole["ttlMs"] = json!(0);
            whole["cacheScope"] = json!("private");
        }
        let object = expected.as_object_mut().expect("a result is an object");
        whole.as_object_mut().expect("an object").append(object);
        expected = whole;
    }
    let line = request("it", method, params).to_string();
    let answer = if expected.get("code").is_some() {
        "error"
    } else {
        "result"
    };
    check(
        &newer(),
        &line,
        &[json!({"jsonrpc": "2.0", "id": "it", answer: expected})],
    );
}

pub(super) fn text(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}
