//! Hosts as a whole, with a program in place of a host. Real ones are in the tests of programs.

use std::time::{Duration, Instant};

use cogtools_program::CapturedRun;
use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::{CONVERT, eval, report};

/// A host that does what its prompt says.
const HOST: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo codex-cli 1.2.3; exit; }
prompt=$(cat)
echo "$PWD $prompt: $*" >> "$HOME/asked"
[ -n "$COGTOOLS_TRIAL_TOKEN" ] || exit 9
case "$*" in *"$COGTOOLS_TRIAL_TOKEN"*) exit 8 ;; esac
case "$prompt" in
  fails*) echo '{"type":"turn.failed","error":{"message":"no login"}}'; exit 1 ;;
  breaks*) echo 'out of order' >&2; exit 3 ;;
  hangs*) sleep 30 & echo $! > "$HOME/child"; wait ;;
esac
echo '{"type":"thread.started","thread_id":"t1"}'
echo '{"type":"item.completed","item":{"type":"agent_message","text":"It is done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":40,"output_tokens":2}}'
"#;

fn measure(cases: &str, args: &[&str]) -> (Project, CapturedRun) {
    let project = Project::new();
    project
        .file("tools/convert.yaml", CONVERT)
        .file("tools/convert.evals.yaml", cases)
        .program("../home/bin/codex", HOST);
    let all = [&["--host", "codex", "--json", "--trials", "1"], args].concat();
    let run = eval(&project, &all);
    (project, run)
}

/// The verdict and the messages of the only trial of a case.
fn verdict(cases: &str, args: &[&str], status: u8) -> Value {
    let (_, run) = measure(cases, args);
    let report = report(&run, status);
    let result = &report["cases"][0]["results"][0];
    let failures = result["failures"].as_array().expect("a list").iter();
    let messages: Vec<&Value> = failures.map(|failed| &failed["message"]).collect();
    json!([result["verdict"], messages])
}

#[test]
fn a_conversation_goes_on_in_the_same_host() {
    let (project, run) = measure(
        "cases: [{name: two, task: [one, more], tools: [none], expect: {answer: {contains: done}}}]",
        &[],
    );
    let report = report(&run, 0);
    let case = &report["cases"][0];
    assert_eq!(case["model"], "codex@1.2.3");
    // Codex counts the tokens of the whole conversation.
    assert_eq!(case["mean"]["tokens"], 42.0);
    assert_eq!(case["mean"]["turns"], Value::Null);
    let asked = project.read("../home/asked");
    let lines: Vec<&str> = asked.lines().collect();
    assert!(lines[0].ends_with("approve\"} -"), "{asked}");
    assert!(lines[1].ends_with("resume t1 -"), "{asked}");
    let folder = lines[0].split(' ').next().unwrap_or_default();
    assert!(lines[1].starts_with(folder) && !std::path::Path::new(folder).exists());
    // What is done does not run again.
    assert_eq!(
        eval(&project, &["--host", "codex", "--trials", "1"]).status,
        0
    );
    assert_eq!(project.read("../home/asked"), asked);
}

#[test]
fn a_host_that_fails_is_an_error_and_no_failure() {
    for (task, message) in [
        ("fails", "no login"),
        ("breaks", "codex printed no answer: out of order"),
        // The tools were there, and the host did not ask for them.
        ("answers", "codex did not ask for the tools"),
    ] {
        let cases = format!("cases: [{{name: it, task: {task}, expect: {{never: [x]}}}}]");
        assert_eq!(verdict(&cases, &[], 69), json!(["error", [message]]));
    }
}

#[test]
fn a_host_is_stopped_with_all_that_it_started() {
    let begin = Instant::now();
    let (project, run) = measure(
        "cases: [{name: it, task: hangs, expect: {at_most: {seconds: 1}}}]",
        &[],
    );
    let report = report(&run, 1);
    let failed = &report["cases"][0]["results"][0]["failures"][0];
    assert_eq!(failed["expect"], "/at_most/seconds");
    // What a host has used that was stopped is unknown.
    assert_eq!(report["summary"]["tokens"], Value::Null);
    assert!(begin.elapsed() < Duration::from_secs(20));
    let child = project.read("../home/child");
    let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
    // It may wait for its parent to ask how it ended.
    let is_gone = state.as_ref().map_or(true, |state| state.contains(" Z "));
    assert!(is_gone, "{state:?}");
}

#[test]
fn a_limit_of_what_a_host_does_not_say_is_no_pass() {
    let case = "cases: [{name: it, task: t, tools: [none], expect: {at_most: {turns: 5}}}]";
    let message = "codex@1.2.3 does not say its turns, which at_most limits";
    assert_eq!(verdict(case, &[], 69), json!(["error", [message]]));
    let (_, run) = measure(case, &["--budget", "money=1"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("codex@1.2.3: a limit of money"),
        "{run:?}"
    );
}

#[test]
fn a_case_does_not_configure_a_host() {
    for file in [".env", ".claude/settings.json", "a/.gemini/settings.json"] {
        let cases = format!(
            "cases: [{{name: it, task: t, tools: [none], files: {{{file}: x}}, expect: {{never: [x]}}}}]"
        );
        let message = format!("`{file}` could change codex@1.2.3");
        assert_eq!(verdict(&cases, &[], 69), json!(["error", [message]]));
    }
}

#[test]
fn a_host_has_to_be_installed() {
    let project = Project::new();
    project.file("tools/convert.yaml", CONVERT).file(
        "tools/convert.evals.yaml",
        "cases: [{name: it, task: t, expect: {never: [x]}}]",
    );
    let run = eval(&project, &["--host", "codex"]);
    assert_eq!(run.status, 69);
    assert!(
        run.stderr.contains("codex: the host is not installed"),
        "{run:?}"
    );
    let run = eval(&project, &["--host", "other"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("claude-code, codex, gemini"), "{run:?}");
}
