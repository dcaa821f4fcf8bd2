//! Many requests at once: the server stays small, answers each of them once, and hears what comes
//! behind them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use cogtools_test_support::Project;
use serde_json::json;

use super::http::{Service, address};
use super::peer::peer;
use super::{Session, project};

/// The number of threads that the server may have, with one source.
const THREADS: u64 = 40;
/// The additional memory, in KiB, that many calls may take at their peak.
const GROWTH: u64 = 24 << 10;

const ECHO: &str = "name: echo
description: Runs a program
parameters: {person: {type: string}}
implementation: {exec: [/bin/echo, -n, 'Good day, {{ person }}!']}
";
/// Does not end by itself.
const SLOW: &str = "name: slow
description: Waits
implementation: {exec: [/bin/sleep, '1000']}
timeout: 1000
";
const SURE: &str = "name: sure
description: Ask whether
implementation: {flow: {nodes: {sure: {ask: {text: 'Sure?'}}}}}
";

/// A number in the status of the process, in KiB for memory.
fn status(process: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.expect("the system has a list of processes");
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn pipelined_calls_take_few_threads_and_little_memory() {
    let project = project();
    let source = json!({"mcp": {
        "command": ["python3", peer("busy.py"), "s"], "name": "s", "prefix": "s_", "wait": 30,
    }});
    let sources = json!({"tool_sources": [{"local": project.path("tools")}, source]});
    project
        .file("tools/echo.yaml", ECHO)
        .file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = Session::open(&project);
    let server = session.child.id();
    let arguments = json!({"person": "Ada"});
    for name in ["greet", "echo", "s_count"] {
        let id = session.call(name, &arguments);
        session.answer(id);
    }
    let idle = status(server, "VmHWM:");
    let mut calls = Vec::new();
    for _ in 0..700 {
        calls.push((session.call("greet", &arguments), "Good day, Ada!"));
        calls.push((session.call("echo", &arguments), "Good day, Ada!"));
        calls.push((session.call("s_count", &json!({})), "s"));
    }
    let mut threads = 0;
    for (id, expected) in calls {
        let (text, is_error) = session.text(id);
        assert!(text.starts_with(expected) && !is_error, "{text}");
        threads = threads.max(status(server, "Threads:"));
    }
    assert_eq!(session.unclaimed(), Vec::<u64>::new(), "a second answer");
    let peak = status(server, "VmHWM:");
    println!("{threads} threads; {idle} KiB became {peak}");
    assert!(threads < THREADS, "{threads} threads");
    assert!(peak < idle + GROWTH, "{idle} KiB became {peak}");
}

#[test]
fn what_comes_behind_many_requests_is_read() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/slow.yaml", SLOW)
        .file("tools/sure.yaml", SURE);
    let mut command = std::process::Command::new(super::server());
    let answer = json!({"action": "accept", "content": {"answer": "yes"}});
    let abilities = json!({"elicitation": {}});
    let mut session = Session::with_person(&project, &mut command, &abilities, &[answer]);
    let sure = session.call("sure", &json!({}));
    let slow: Vec<u64> = (0..3_000)
        .map(|_| session.call("slow", &json!({})))
        .collect();
    let ping = session.ask("ping", &json!({}));
    assert_eq!(session.answer(ping)["result"], json!({}));
    assert_eq!(session.text(sure), ("yes".to_owned(), false));
    for id in &slow {
        session.tell("notifications/cancelled", &json!({"requestId": id}));
    }
    let unknown = session.call("none", &json!({}));
    assert_eq!(session.answer(unknown)["error"]["code"], -32602);
    assert_eq!(session.unclaimed(), Vec::<u64>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn requests_over_http_take_few_threads() {
    let project = project();
    project.file("tools/echo.yaml", ECHO);
    let service = Service::start_in(&project, &[], &[]);
    let host = address(&service.url);
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"person": "Ada"}},
    });
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\r\n{body}",
        body.len()
    );
    let mut threads = 0;
    for _ in 0..4 {
        let connections: Vec<TcpStream> = (0..500)
            .map(|_| {
                let mut stream = TcpStream::connect(host).expect("it listens");
                stream.write_all(request.as_bytes()).expect("it reads");
                stream
            })
            .collect();
        for mut stream in connections {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("it answers");
            assert!(answer.contains("Good day, Ada!"), "{answer}");
            threads = threads.max(status(service.child.id(), "Threads:"));
        }
    }
    assert!(threads < THREADS, "{threads} threads");
}
