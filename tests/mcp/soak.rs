//! Endless mixed calls while files change: nothing grows, no process is left
//! behind, no answer is lost. `cargo xtask soak SECONDS` runs it for longer.

use std::fs;
use std::time::{Duration, Instant};

use cogtools_test_support::Project;
use serde_json::json;

use super::{GREET, Session, project};

/// The duration among the other tests, in seconds.
const SECONDS: u64 = 20;
/// The additional memory, in KiB, that the server may use at the end than after a quarter.
const GROWTH: u64 = 3 << 10;

/// Variation in the number of idle threads: the runtime starts one for each of the 15 calls
/// in flight and ends it after some seconds without work. A leak adds one per call.
const IDLE: u64 = 16;
/// The time for which everything has to be idle.
const REST: Duration = Duration::from_secs(2);

const EXEC: &str = "name: echo
description: Runs a program
parameters: {text: {type: string}}
implementation: {exec: [/bin/echo, '{{ text }}']}
";

/// Runs a program that does not end, and starts another one.
fn slow() -> String {
    format!(
        "name: slow\ndescription: Does not end\n\
         implementation: {{exec: [/bin/sh, -c, 'sleep {0} & sleep {0}']}}\n",
        forever()
    )
}

/// A number of seconds that no other program on this machine sleeps for.
fn forever() -> String {
    format!("1000.{}", std::process::id())
}

#[test]
fn nothing_grows_and_nothing_is_lost() {
    let seconds = std::env::var("COGTOOLS_SOAK").ok();
    let seconds = seconds
        .and_then(|text| text.parse().ok())
        .unwrap_or(SECONDS);
    let project = project();
    project
        .file("tools/echo.yaml", EXEC)
        .file("tools/slow.yaml", slow());
    let mut session = Session::open(&project);
    let mut later = None;
    let begin = Instant::now();
    let end = begin + Duration::from_secs(seconds);
    let quarter = begin + Duration::from_secs(seconds) / 4;
    let mut early = None;
    let mut round = 0_u32;
    let mut calls = 0_u64;
    while Instant::now() < end {
        round += 1;
        calls += mixed(&mut session, round, later.as_deref());
        change(&project, round, &mut later);
        if early.is_none() && Instant::now() > quarter {
            early = Some(Size::of(&session));
        }
    }
    let (early, late) = (early.expect("a quarter has passed"), Size::of(&session));
    println!("{calls} calls in {seconds} s; after a quarter {early:?}, at the end {late:?}");
    assert!(!late.exceeds(&early, GROWTH), "{early:?} became {late:?}");
    assert_eq!(
        session.unclaimed(),
        Vec::<u64>::new(),
        "responses without a request"
    );
    assert_eq!(
        left(&session, Some(&forever())),
        "",
        "processes that were left behind"
    );
    let slow = session.call("slow", &json!({}));
    session.hang_up();
    assert!(
        session.text(slow).1,
        "what was asked is answered at the end"
    );
    assert_eq!(session.end(), 0);
    assert_eq!(
        left(&session, Some(&forever())),
        "",
        "processes that were left behind at the end"
    );
}

/// Changes files from time to time: a tool is replaced, removed or invalid.
fn change(project: &Project, round: u32, later: &mut Option<String>) {
    if round.is_multiple_of(5) {
        // Usually of the same size as the one before.
        let description = format!("{round} greets a person");
        let tool = GREET.replace("greet", "later");
        let tool = tool.replace("Greets a person", &description);
        project.file("tools/later.yaml", tool);
        *later = Some(description);
    }
    if round.is_multiple_of(50) {
        let _ = fs::remove_file(project.path("tools/later.yaml"));
        *later = None;
        project.file("tools/broken.yaml", format!("name: [{round}\n"));
    }
}

/// One request of each kind, all in flight together; returns their number. The list has
/// the tool with the description `later`, or none of that name.
fn mixed(session: &mut Session, round: u32, later: Option<&str>) -> u64 {
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
    let list = session.answer(list);
    let tools = list["result"]["tools"].as_array().expect("there are tools");
    let found = tools.iter().find(|tool| tool["name"] == "later");
    let found = found.map(|tool| tool["description"].as_str().expect("a text"));
    assert_eq!(found, later, "the list follows the files");
    session.tell("notifications/cancelled", &json!({"requestId": slow}));
    15
}

/// The resources of the server while it is idle.
#[derive(Debug)]
pub(super) struct Size {
    /// In KiB.
    memory: u64,
    files: usize,
    threads: u64,
}

impl Size {
    pub(super) fn of(session: &Session) -> Self {
        std::thread::sleep(REST);
        let process = format!("/proc/{}", session.child.id());
        let status = fs::read_to_string(format!("{process}/status"));
        let status = status.expect("the system has a list of processes");
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            let number = line.and_then(|line| line.split_whitespace().next());
            number
                .and_then(|number| number.parse().ok())
                .expect("a number")
        };
        let files = fs::read_dir(format!("{process}/fd")).expect("the server is ours");
        Self {
            memory: number("VmRSS:"),
            files: files.count(),
            threads: number("Threads:"),
        }
    }
}

impl Size {
    /// Returns true if it is more than `early`, with so many KiB for memory that is used again.
    pub(super) fn exceeds(&self, early: &Self, growth: u64) -> bool {
        self.memory > early.memory + growth
            || self.files > early.files
            || self.threads > early.threads + IDLE
    }
}

/// The processes that remain a moment after the last call: those that the server
/// has started, and those with this `mark` in their command line.
pub(super) fn left(session: &Session, mark: Option<&str>) -> String {
    std::thread::sleep(REST);
    let mut ps = std::process::Command::new("/bin/ps");
    let output = ps.args(["-e", "-o", "ppid=,pid=,args="]).output();
    let output = output.expect("there is `ps`").stdout;
    let server = session.child.id().to_string();
    let all = String::from_utf8_lossy(&output);
    let left = all.lines().filter(|line| {
        let is_child = line.split_whitespace().next() == Some(server.as_str());
        is_child || mark.is_some_and(|mark| line.contains(mark))
    });
    left.map(|line| format!("{line}\n"))
        .collect::<Vec<_>>()
        .concat()
}

/// The number of processes that the server and its children have started.
pub(super) fn descendants(session: &Session) -> usize {
    let mut ps = std::process::Command::new("/bin/ps");
    let output = ps.args(["-e", "-o", "ppid=,pid="]).output();
    let output = output.expect("there is `ps`").stdout;
    let all = String::from_utf8_lossy(&output);
    let pairs = all.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    let pairs: Vec<(u32, u32)> = pairs.collect();
    let mut family = vec![session.child.id()];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        let children = pairs.iter().filter(|(of, _)| *of == parent);
        family.extend(children.map(|(_, pid)| *pid));
        at += 1;
    }
    family.len() - 1
}
