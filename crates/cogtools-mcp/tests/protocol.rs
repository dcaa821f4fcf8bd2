//! The protocol, in both eras: what each line is answered, asserted whole.

use std::ffi::OsString;
use std::io::Cursor;
use std::path::PathBuf;

use cogtools_mcp::PROGRAM;
use cogtools_program::{Format, Input, Io, Reporter, Terminals, Vars};
use cogtools_testing::{Project, difference};
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
fn serve(project: &Project, input: String, args: &[&str]) -> (u8, String, String) {
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
    };
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let status = PROGRAM.launch(&args, &mut io);
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status, text(stdout), text(stderr))
}

fn project() -> Project {
    let project = Project::new();
    project.file("tools/greet.yaml", GREET);
    project
}

/// Says hello, sends the line, and compares what comes back besides the answer
/// to hello.
#[track_caller]
fn check(hello: &Value, line: &str, expected: &[Value]) {
    let (status, stdout, stderr) = serve(&project(), format!("{hello}\n{line}"), &[]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{line}");
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"));
    let found: Vec<Value> = lines.filter(|line: &Value| line["id"] != "hello").collect();
    let shown = |values: &[Value]| {
        values
            .iter()
            .map(|value| format!("{value:#}\n"))
            .collect::<String>()
    };
    if let Some(difference) = difference(shown(expected), shown(&found)) {
        panic!("{line}\n{difference}");
    }
}

fn older() -> Value {
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
fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Checks a request in both eras; the newer one's results say that they are whole.
#[track_caller]
fn check_both(method: &str, params: &Value, expected: &Value) {
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

fn text(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

#[test]
fn lists_say_all_there_is() {
    check_both(
        "tools/list",
        &json!({}),
        &json!({"tools": [{
            "name": "greet",
            "title": "Greet",
            "description": "Greets a person",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "person": {"type": "string", "description": "Who is greeted"},
                    "times": {"type": "integer", "default": 1},
                },
                "required": ["person"],
                "examples": [{"person": "Grace"}],
            },
            "annotations": {"readOnlyHint": true},
        }]}),
    );
    check_both(
        "prompts/list",
        &json!({}),
        &json!({"prompts": [{
            "name": "greet",
            "title": "Greet",
            "description": "Greets a person",
            "arguments": [
                {"name": "person", "description": "Who is greeted, for example: Grace", "required": true},
                {"name": "times", "required": false},
            ],
        }]}),
    );
}

#[test]
fn calls_are_answered_and_refused_in_words() {
    let call = |arguments: Value, expected: Value| {
        check_both(
            "tools/call",
            &json!({"name": "greet", "arguments": arguments}),
            &expected,
        );
    };
    call(json!({"person": "Ada"}), text("Good day, Ada! ", false));
    call(
        json!({"person": "Ada", "wait_for_previous": true}),
        text("Good day, Ada! ", false),
    );
    call(
        json!({"person": "Ada", "times": "2"}),
        text(
            "cogtools-mcp: error[SCHEMA_VIOLATION]: greet: /times: expected integer, got \
             string \"2\"\nhint: send times (integer)\n",
            true,
        ),
    );
    check_both(
        "tools/call",
        &json!({"name": "great", "arguments": {}}),
        &json!({"code": -32602, "message":
            "great: no tool of that name is here; did you mean `greet`?"}),
    );
    check_both(
        "tools/call",
        &json!({"name": "greet", "arguments": "Ada"}),
        &json!({"code": -32602, "message":
            "`tools/call` takes `name`, a string, and `arguments`, an object"}),
    );
    check_both(
        "no/method",
        &json!({}),
        &json!({"code": -32601, "message": "there is no method `no/method`"}),
    );
    check_both(
        "tools/list",
        &json!({"cursor": "2"}),
        &json!({"code": -32602, "message": "there is one page, and no cursor"}),
    );
}

#[test]
fn prompts_are_tools_with_text_for_arguments() {
    let prompt = |text: &str| json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]});
    check_both(
        "prompts/get",
        &json!({"name": "greet", "arguments": {"person": "7", "times": "2"}}),
        &prompt("Good day, 7! Good day, 7! "),
    );
}

#[test]
fn what_is_no_request_is_told_so() {
    let error = |code: i32, message: &str| json!({"code": code, "message": message});
    for (line, expected) in [
        ("", vec![]),
        ("  ", vec![]),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#,
            vec![],
        ),
        (r#"{"jsonrpc":"2.0","id":5,"result":{}}"#, vec![]),
        (
            "{",
            vec![
                json!({"jsonrpc": "2.0", "error": error(-32700, "not JSON: EOF while parsing an object at line 1 column 1")}),
            ],
        ),
        (
            "[]",
            vec![
                json!({"jsonrpc": "2.0", "error": error(-32600, "send one JSON-RPC object a line")}),
            ],
        ),
        (
            r#"{"id":"it","method":"ping"}"#,
            vec![
                json!({"jsonrpc": "2.0", "id": "it", "error": error(-32600, "this is no request of JSON-RPC 2.0")}),
            ],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"it","method":"tools/call","params":{"name":"greet","arguments":{"person":"a","person":"b"}}}"#,
            vec![json!({"jsonrpc": "2.0", "id": "it", "result": text(
                "cogtools-mcp: error[INVALID_ARGUMENTS_SYNTAX]: greet: not valid JSON: duplicate key `person`\n\
                 hint: send `arguments` as one JSON object with each key once, such as {\"name\": \"value\"}\n",
                true,
            )})],
        ),
    ] {
        check(&older(), line, &expected);
    }
}

#[test]
fn nothing_before_the_first_request_ends_the_server() {
    let early = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let input = format!("{early}\n\n{{\n{}\n", older());
    let (status, stdout, stderr) = serve(&project(), input, &[]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let last = stdout.lines().last().expect("it answers");
    let last: Value = serde_json::from_str(last).expect("a line is JSON");
    assert_eq!(last["result"]["serverInfo"]["name"], "cogtools");
    assert_eq!(
        serve(&project(), String::new(), &[]),
        (0, String::new(), String::new())
    );
}

#[test]
fn broken_tools_are_left_out_and_named() {
    let project = project();
    project.file("tools/broken.yaml", "name: other\n");
    let list = request("it", "tools/list", json!({}));
    let again = request("again", "tools/list", json!({}));
    let input = format!("{}\n{list}\n{again}\n", older());
    let (status, stdout, stderr) = serve(&project, input, &["--tools", "gr*,broken"]);
    assert_eq!(status, 0);
    let tools = stdout.matches(r#""name":"greet","title""#).count();
    assert_eq!(tools, 2, "{stdout}");
    let mut warnings: Vec<&str> = stderr
        .lines()
        .filter(|line| line.contains("warning["))
        .collect();
    let all = warnings.len();
    warnings.sort_unstable();
    warnings.dedup();
    assert!(
        all > 0 && warnings.len() == all,
        "each is said once: {stderr}"
    );
    let (_, stdout, _) = serve(
        &project,
        format!("{}\n{list}\n", older()),
        &["--exclude", "gr*"],
    );
    assert_eq!(stdout.matches(r#""name":"greet""#).count(), 0, "{stdout}");
}

#[test]
fn a_wrong_start_is_said_at_once() {
    let project = project();
    let check = |args: &[&str], status: u8, expected: &str| {
        let (found, stdout, stderr) = serve(&project, String::new(), args);
        assert_eq!(
            (found, stdout.as_str(), stderr.as_str()),
            (status, "", expected),
            "{args:?}"
        );
    };
    check(
        &["--project", "nowhere"],
        2,
        "cogtools-mcp: error[USAGE]: --project: `nowhere` is not a directory\n\
         hint: name the directory of a project\n",
    );
    for (address, why) in [
        ("0.0.0.0:1", "only addresses of this machine are served"),
        (
            "8765",
            "write an address and a port, such as 127.0.0.1:8765",
        ),
    ] {
        check(
            &["--http", address],
            2,
            &format!(
                "cogtools-mcp: error[USAGE]: invalid value '{address}' for '--http <ADDRESS>': {why}\n\
                 hint: usage: cogtools-mcp [OPTIONS]\nhint: --help explains every option\n"
            ),
        );
    }
    project.file(".cogtoolrc.yaml", "tool_sources: 1\n");
    let (status, stdout, stderr) = serve(&project, String::new(), &[]);
    assert_eq!((status, stdout.as_str()), (78, ""));
    assert!(
        stderr.starts_with("cogtools-mcp: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:"),
        "{stderr}"
    );
}
