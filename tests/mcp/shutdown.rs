//! The end of the server, which no process outlives.

use std::fs;
use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::Project;
use serde_json::json;

use super::session::gone;
use super::{Session, project, server};

/// Prints its own id and its parent's, and then sleeps.
const SLOW: &str = "name: slow
description: Takes its time
implementation:
  exec:
    - /bin/sh
    - -c
    - 'sleep 1000 & echo $$ $PPID $! > pids.tmp; mv pids.tmp pids; wait'
";

const IDLE: &str = "name: idle
description: Sleeps
implementation:
  exec: [sleep, '1000']
";

/// A project with a slow tool, a session in it, and a call in flight: its number,
/// and the processes of the tool and of the server.
fn busy(command: &mut Command) -> (Project, Session, u64, [u32; 3]) {
    let project = project();
    project.file("tools/slow.yaml", SLOW);
    project.file("tools/idle.yaml", IDLE);
    let mut session = Session::start(&project, command);
    let call = session.call("slow", &json!({}));
    let pids = pids(&project);
    (project, session, call, pids)
}

#[track_caller]
fn pids(project: &Project) -> [u32; 3] {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Ok(text) = fs::read_to_string(project.path("pids")) {
            let pids: Vec<u32> = text
                .split_whitespace()
                .map(|pid| pid.parse().expect("a number"))
                .collect();
            return pids.try_into().expect("three numbers");
        }
        assert!(Instant::now() < end, "the tool does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn end_of_input_ends_everything_after_the_last_answers() {
    let (_project, mut session, slow, [tool, _, child]) = busy(&mut Command::new(server()));
    let quick = session.call("greet", &json!({"person": "Ada"}));
    session.hang_up();
    assert_eq!(session.text(quick), ("Good day, Ada!".to_owned(), false));
    let (text, failed) = session.text(slow);
    assert!(failed, "{text}");
    assert_eq!(session.end(), 0);
    gone(tool);
    gone(child);
}

#[test]
fn signals_end_everything() {
    for (name, status) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let (_project, mut session, _, [tool, _, child]) = busy(&mut Command::new(server()));
        session.signal(name);
        assert_eq!(session.end(), status, "{name}");
        gone(tool);
        gone(child);
    }
}

#[test]
fn the_death_of_the_parent_ends_everything() {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "\"$0\"; exit"]).arg(server());
    let (_project, mut session, _, [tool, server, child]) = busy(&mut shell);
    assert_ne!(server, session.child.id(), "the shell started the server");
    // The input stays open: another process may hold the other end of the pipe.
    session.child.kill().expect("the shell is ours");
    gone(server);
    gone(tool);
    gone(child);
}

#[test]
fn a_reader_that_does_not_read_blocks_nothing() {
    let project = project();
    let mut child = Command::new(server())
        .current_dir(project.root())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // More answers than a pipe holds, without a reader.
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    writeln!(stdin, "{hello}").expect("the server reads");
    for id in 1..400 {
        let list = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        writeln!(stdin, "{list}").expect("the server reads");
    }
    std::thread::sleep(Duration::from_millis(500));
    super::session::signal(child.id(), "TERM");
    gone(child.id());
    let status = child.wait().expect("the server is ours");
    assert_eq!(status.code(), Some(143), "{status}");
}

#[test]
fn a_cancelled_call_is_ended_and_not_answered() {
    let (_project, mut session, slow, [tool, _, child]) = busy(&mut Command::new(server()));
    session.tell(
        "notifications/cancelled",
        &json!({"requestId": slow, "reason": "enough"}),
    );
    gone(tool);
    gone(child);
    let quick = session.call("greet", &json!({"person": "Ada"}));
    assert_eq!(session.text(quick), ("Good day, Ada!".to_owned(), false));
    assert_eq!(session.unclaimed(), Vec::<u64>::new());
    session.hang_up();
    assert_eq!(session.end(), 0);
}

/// As many calls as may be in flight, and more: what is behind them is read, and templates do not
/// wait for programs.
#[test]
fn a_thousand_slow_calls_hold_up_no_cancellation_and_no_template() {
    let (_project, mut session, slow, [tool, _, child]) = busy(&mut Command::new(server()));
    for _ in 1..1_000 {
        session.call("idle", &json!({}));
    }
    let quick = session.call("greet", &json!({"person": "Ada"}));
    session.tell("notifications/cancelled", &json!({"requestId": slow}));
    gone(tool);
    gone(child);
    assert_eq!(session.text(quick), ("Good day, Ada!".to_owned(), false));
    assert_eq!(session.unclaimed(), Vec::<u64>::new());
    session.signal("TERM");
    assert_eq!(session.end(), 143);
}

#[test]
fn a_call_that_times_out_is_ended_and_reported() {
    let project = project();
    project.file(
        "tools/slow.yaml",
        SLOW.replace("implementation", "timeout: 1\nimplementation"),
    );
    let mut session = Session::open(&project);
    let call = session.call("slow", &json!({}));
    let [tool, _, child] = pids(&project);
    let (text, failed) = session.text(call);
    assert!(
        failed && text.starts_with("cogtools-mcp: error[TIMEOUT]: slow: "),
        "{text}"
    );
    gone(tool);
    gone(child);
}

#[test]
fn changed_tools_are_reloaded_and_notified() {
    let project = project();
    let mut session = Session::open(&project);
    let list = session.ask("tools/list", &json!({}));
    let names = |answer: &serde_json::Value| {
        let tools = answer["result"]["tools"].as_array().expect("a list");
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&session.answer(list)), ["greet", "sum"]);
    // Watching starts in the background; an earlier change must be noticed too.
    project.file("tools/later.yaml", super::GREET.replace("greet", "later"));
    let call = session.call("later", &json!({"person": "Ada"}));
    assert_eq!(session.text(call), ("Good day, Ada!".to_owned(), false));
    std::thread::sleep(Duration::from_secs(1));
    for round in 0..3 {
        project.file(
            "tools/later.yaml",
            super::GREET
                .replace("greet", "later")
                .replace("Greets", &format!("{round} greets")),
        );
        session.wait_for_change();
    }
    fs::remove_file(project.path("tools/later.yaml")).expect("it was there");
    session.wait_for_change();
    let list = session.ask("tools/list", &json!({}));
    assert_eq!(names(&session.answer(list)), ["greet", "sum"]);
}
