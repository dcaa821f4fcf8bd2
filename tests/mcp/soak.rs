//! Mixed calls without end, while files change: nothing grows, nothing is left
//! behind, no answer is lost. `cargo xtask soak SECONDS` runs it for longer.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{GREET, Session, project};

/// How long it runs among the other tests, in seconds.
const SECONDS: u64 = 20;
/// How much more memory, in KiB, the server may have at its end than after a quarter.
const GROWTH: u64 = 3 << 10;

const EXEC: &str = "name: echo
description: Runs a program
parameters: {text: {type: string}}
implementation: {exec: [/bin/echo, '{{ text }}']}
";

const SLOW: &str = "name: slow
description: Runs a program that does not end
implementation: {exec: [/bin/sleep, '1000']}
";

#[test]
fn nothing_grows_and_nothing_is_lost() {
    let seconds = std::env::var("COGTOOLS_SOAK").ok();
    let seconds = seconds
        .and_then(|text| text.parse().ok())
        .unwrap_or(SECONDS);
    let project = project();
    project
        .file("tools/echo.yaml", EXEC)
        .file("tools/slow.yaml", SLOW);
    let mut session = Session::open(&project);
    let begin = Instant::now();
    let end = begin + Duration::from_secs(seconds);
    let quarter = begin + Duration::from_secs(seconds) / 4;
    let mut early = None;
    let mut round = 0_u32;
    let mut calls = 0_u64;
    while Instant::now() < end {
        round += 1;
        calls += mixed(&mut session, round);
        if round.is_multiple_of(5) {
            let tool = GREET
                .replace("greet", "later")
                .replace("Greets", &format!("{round} greets"));
            project.file("tools/later.yaml", tool);
        }
        if round.is_multiple_of(50) {
            let _ = fs::remove_file(project.path("tools/later.yaml"));
            project.file("tools/broken.yaml", format!("name: [{round}\n"));
        }
        if early.is_none() && Instant::now() > quarter {
            early = Some(memory(&session));
        }
    }
    let (early, late) = (early.expect("a quarter has passed"), memory(&session));
    println!("{calls} calls in {seconds} s; {early} KiB after a quarter, {late} KiB at the end");
    assert!(late <= early + GROWTH, "{early} KiB became {late} KiB");
    assert_eq!(
        session.unclaimed(),
        Vec::<u64>::new(),
        "answers that nobody waits for"
    );
    assert_eq!(children(&session), "", "processes that were left behind");
    session.hang_up();
    assert_eq!(session.end(), 0);
}

/// One of everything, all in flight at once; how many there were.
fn mixed(session: &mut Session, round: u32) -> u64 {
    let name = format!("Ada {round}");
    let slow = session.call("slow", &json!({}));
    let good: Vec<u64> = (0..10)
        .map(|_| session.call("greet", &json!({"person": name})))
        .collect();
    let bad = session.call("greet", &json!({"persom": name}));
    let unknown = session.call("great", &json!({}));
    let echo = session.call("echo", &json!({"text": name}));
    let list = session.ask("tools/list", &json!({}));
    for id in good {
        assert_eq!(session.text(id), (format!("Good day, {name}!"), false));
    }
    assert!(session.text(bad).1);
    assert_eq!(session.answer(unknown)["error"]["code"], -32602);
    assert_eq!(session.text(echo), (format!("{name}\n"), false));
    assert!(session.answer(list)["result"]["tools"].is_array());
    session.tell("notifications/cancelled", &json!({"requestId": slow}));
    15
}

/// The memory of the server, in KiB.
fn memory(session: &Session) -> u64 {
    let file = format!("/proc/{}/status", session.child.id());
    let status = fs::read_to_string(file).expect("the system tells of processes");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

/// The processes that the server has started and that are still there, a moment
/// after the last call.
fn children(session: &Session) -> String {
    std::thread::sleep(Duration::from_secs(2));
    let pid = session.child.id().to_string();
    let mut ps = std::process::Command::new("/bin/ps");
    let output = ps
        .args(["-o", "pid=,args=", "--ppid", &pid])
        .output()
        .expect("there is `ps`");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
