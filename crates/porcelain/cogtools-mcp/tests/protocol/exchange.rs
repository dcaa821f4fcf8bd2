//! One session with the server: lines in, lines out, stateful or stateless.

use std::ffi::OsString;
use std::io::Cursor;
use std::path::PathBuf;

use cogtools_mcp::PROGRAM;
use cogtools_program::{Format, Input, Io, IoContext, Reporter, SignalWatch, Terminals, Vars};
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

/// Runs the server to the end of its input: exit status and both outputs.
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
        context: IoContext::default(),
    };
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let status = PROGRAM.launch(&args, &mut io);
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status, text(stdout), text(stderr))
}

pub(super) fn project() -> Project {
    let project = Project::new();
    let config = "hosts: {mcp: {menus: [prompts, resources]}}\n";
    project
        .file("tools/greet.yaml", GREET)
        .file(".cogtoolrc.yaml", config);
    project
}

/// Sends `hello` and the line, and compares all responses but that to `hello`.
#[track_caller]
pub(super) fn check(hello: &Value, line: &str, expected: &[Value]) {
    let (status, stdout, stderr) = serve(&project(), format!("{hello}\n{line}"), &[]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{line}");
    let responses: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .filter(|line: &Value| line["id"] != "hello")
        .collect();
    let pretty = |values: &[Value]| {
        let lines: Vec<String> = values.iter().map(|value| format!("{value:#}\n")).collect();
        lines.concat()
    };
    if let Some(difference) = difference(pretty(expected), pretty(&responses)) {
        panic!("{line}\n{difference}");
    }
}

/// The first request of a stateful client.
pub(super) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

/// The first request of a stateless client.
fn discover() -> Value {
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

/// Checks a request of a stateful and of a stateless client; the latter's results
/// have more fields.
#[track_caller]
pub(super) fn check_both(method: &str, params: &Value, expected: &Value) {
    let is_error = expected.get("code").is_some();
    let kind = if is_error { "error" } else { "result" };
    let response = |content: &Value| json!({"jsonrpc": "2.0", "id": "it", kind: content});
    let line = request("it", method, params.clone()).to_string();
    check(&initialize(), &line, &[response(expected)]);
    let mut stateless_params = params.clone();
    stateless_params["_meta"] = meta();
    let mut stateless = expected.clone();
    if !is_error {
        let mut complete = json!({"resultType": "complete"});
        if method.ends_with("/list") || method == "resources/read" {
            complete["ttlMs"] = json!(0);
            complete["cacheScope"] = json!("private");
        }
        let fields = stateless.as_object_mut().expect("a result is an object");
        complete.as_object_mut().expect("an object").append(fields);
        stateless = complete;
    }
    let line = request("it", method, stateless_params).to_string();
    check(&discover(), &line, &[response(&stateless)]);
}

pub(super) fn text(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}
