//! The cost of a long conversation: tokens, time and memory, measured at the fake.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;

/// The most memory that a process has used, in KiB, without the code: a debug build has several
/// times as much as a release.
pub(crate) fn peak_memory(pid: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        kib.unwrap_or_default()
    };
    let code: u64 = if cfg!(debug_assertions) {
        value("RssFile:")
    } else {
        0
    };
    value("VmHWM:").saturating_sub(code)
}

/// A tool with a result of about 4,000 bytes.
const READ: &str = "\
name: read
description: Reads a page
parameters:
  page: integer
examples:
  - page: 1
implementation: |
  {% for line in range(80) %}Line {{ line }} of page {{ page }}: words and words and words
  {% endfor %}
";

#[test]
fn two_hundred_turns_cost_less_than_half() {
    let project = project();
    project.file("tools/read.yaml", READ);
    let memory = Arc::new(Mutex::new(0));
    let turns = (0..50).flat_map(|task| {
        let call = move |step: u32| Turn::call("read", json!({"page": task * 3 + step}));
        let (pid, memory) = (project.path("pid"), Arc::clone(&memory));
        let measure = move || {
            let pid = fs::read_to_string(pid).unwrap_or_default();
            *memory.lock().expect("no panic") = peak_memory(pid.trim());
        };
        let answer = Turn::text(format!("Answer {task}. {}", "Words. ".repeat(50)));
        [call(0), call(1), call(2), answer.meanwhile(measure)]
    });
    let fake = FakeGemini::start(turns);
    for task in 0..50 {
        let text = format!("Task {task}: {}", "what is on these pages? ".repeat(10));
        ask_with_pid(&project, &fake)
            .args(["-q", "--session", "s.jsonl", &text])
            .run()
            .succeeds();
    }
    let conversation = fake.finish();
    let main = conversation.main();
    assert_eq!(main.len(), 200);
    let (mut sent, mut cached) = (0, 0);
    for request in &main {
        sent += request.usage.prompt;
        cached += request.usage.cached;
    }
    let whole = whole_tokens(&project.read("s.jsonl"));
    let memory = *memory.lock().expect("no panic");
    println!("tokens: {whole} without layers; {sent} with, {cached} of them cached; {memory} KiB");
    assert!(sent * 2 < whole, "{sent} of {whole}");
    assert!(cached * 10 > sent, "{cached} of {sent}");
    let limit = if cfg!(debug_assertions) { 24 } else { 40 };
    assert!(memory > 0 && memory < limit << 10, "{memory} KiB");
}

/// The tokens of all requests if each had the whole conversation.
fn whole_tokens(log: &str) -> u64 {
    let (mut history, mut whole) = (0, 0);
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        match line["kind"].as_str() {
            Some("task") => history += line["parts"].to_string().len(),
            Some("response" | "result") => history += line["content"].to_string().len(),
            Some("request") => whole += history / 4,
            _ => {}
        }
    }
    u64::try_from(whole).expect("a number of tokens")
}

#[test]
fn the_first_byte_comes_within_fifteen_milliseconds() {
    let fastest = (0..8).map(|_| first_byte()).min().expect("eight runs");
    println!("first byte after {fastest:?}");
    let limit = if cfg!(debug_assertions) { 60 } else { 15 };
    assert!(fastest < Duration::from_millis(limit), "{fastest:?}");
}

/// The delay between the API's first byte and the first byte of the program.
fn first_byte() -> Duration {
    let project = project();
    let sent = Arc::new(Mutex::new(None));
    let mark = Arc::clone(&sent);
    let turn = Turn::texts(["First", " and last."]).meanwhile(move || {
        *mark.lock().expect("no panic") = Some(Instant::now());
    });
    let fake = FakeGemini::start([turn]);
    let mut child = Command::new(programs().join("cogtools-ask"))
        .args(["-q", "Go"])
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.home())
        .env("PATH", "/usr/bin:/bin")
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = child.stdout.take().expect("a pipe");
    let mut first = [0];
    output.read_exact(&mut first).expect("a byte");
    let arrived = Instant::now();
    assert!(child.wait().expect("it ends").success());
    fake.finish();
    let sent = sent.lock().expect("no panic").expect("a response");
    arrived.duration_since(sent)
}
