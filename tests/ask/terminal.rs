//! The display of a terminal while a run works, and interruptions.

#![cfg(target_os = "linux")]

use std::time::Duration;

use super::editor::open;
use super::*;
use crate::pseudo_terminal::Terminal;

/// A tool that takes its time.
const NAP: &str = "\
name: nap
description: Sleeps
annotations: {read_only: true}
implementation: {exec: [sleep, '2.5']}
";

#[test]
fn a_line_says_what_a_run_waits_for() {
    for quiet in ["", "-q "] {
        let project = project();
        project.file("tools/nap.yaml", NAP);
        let fake = FakeGemini::start([Turn::call("nap", json!({})), Turn::text("done")]);
        let mut terminal = open(&project, &fake, &format!("{quiet}--session s.jsonl Rest"));
        if quiet.is_empty() {
            terminal.at("calling nap … 1 s", "");
            terminal.at("calling nap … 2 s", "");
        }
        let bytes = terminal.text();
        let (status, screen) = terminal.end_screen();
        let lines: Vec<&str> = screen.lines().collect();
        assert_eq!(status, Some(0), "{screen}");
        if quiet.is_empty() {
            assert_eq!(lines[..2], ["cogtools-ask: nap {}", "done"]);
        } else {
            assert_eq!((lines, bytes.contains('…')), (vec!["done"], false));
        }
        fake.finish();
    }
}

#[test]
fn a_question_is_not_answered_by_what_was_typed_before() {
    let project = noting();
    let slow = |text: &str| note(text).in_pieces(200, Duration::from_millis(300));
    let fake = FakeGemini::start([slow("one"), note("two"), Turn::text("done")]);
    let mut terminal = open(&project, &fake, "--session s.jsonl");
    terminal.at("ends\n>", "Go\r");
    terminal.at("> Go", "\r\r");
    // Ctrl-C at the question stops the task.
    terminal.answer("\"text\":\"one\"}?", "\u{3}");
    terminal.at("is kept\n>", "Again\r");
    terminal.answer("\"text\":\"two\"}?", "\r");
    terminal.at("done\n>", "/quit\r");
    assert_eq!(terminal.end_screen().0, Some(0));
    assert_eq!(notes(&project), "two\n");
    fake.finish();
}

#[test]
fn a_signal_at_the_prompt_ends_the_conversation() {
    let project = project();
    let fake = FakeGemini::start([]);
    for (signal, status) in [("-TERM", 143), ("-HUP", 129)] {
        let line = format!(
            "echo $$ > pid; export GEMINI_API_KEY=k GOOGLE_GEMINI_BASE_URL={}; \
             exec cogtools-ask -q --session s.jsonl",
            fake.url()
        );
        let mut terminal = Terminal::open(&project, &line);
        terminal.at(">", "half a line");
        terminal.at("half a line", "");
        stops::kill(&project.path("pid"), signal);
        let (found, screen) = terminal.end_screen();
        assert_eq!((found, screen.as_str()), (Some(status), "> half a line"));
        // There was no task, so there is no session.
        assert!(!project.path("s.jsonl").exists());
    }
    fake.finish();
}

#[test]
fn a_terminal_that_is_gone_ends_the_conversation() {
    let project = project();
    let fake = FakeGemini::start([]);
    let line = format!(
        "echo $$ > pid; export GEMINI_API_KEY=k GOOGLE_GEMINI_BASE_URL={}; exec cogtools-ask -q",
        fake.url()
    );
    let mut terminal = Terminal::open(&project, &line);
    terminal.at(">", "half a line");
    let pid = project.read("pid");
    let stat = format!("/proc/{}/stat", pid.trim());
    // One that has ended may wait for a parent that does not ask.
    let is_running = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(is_running());
    terminal.hang_up();
    let start = std::time::Instant::now();
    while is_running() {
        assert!(start.elapsed() < Duration::from_secs(15), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    fake.finish();
}

#[test]
fn markdown_is_shown_styled_at_a_terminal_alone() {
    let project = project();
    let text = "# Title\n\n- **one** and `two`\n";
    let fake = FakeGemini::start([Turn::text(text), Turn::text(text), Turn::text(text)]);
    let shown = |options: &str| {
        let line = format!("-q --session s.jsonl {options} Go");
        let mut terminal = open(&project, &fake, &line);
        terminal.answer("two", "");
        let text = terminal.text().replace('\r', "");
        assert_eq!(terminal.end("two").0, Some(0), "{text}");
        text
    };
    let styled = shown("--color always");
    assert!(
        styled.contains("\u{1b}[1mTitle\u{1b}[0m\n\n• \u{1b}[1mone\u{1b}[0m and \u{1b}[36mtwo"),
        "{styled:?}"
    );
    // Without colours, and in a pipe, it is what the model wrote.
    assert!(shown("").contains(text.trim_end_matches("`\n")));
    quietly(&project, &fake, &["--color", "always", "Go"]).outputs(text);
    fake.finish();
}
