//! `cogtools plan resume`: runs that have failed, or ended in between.

use super::running::{events, plan_of, project, run_plan, step};
use cogtools_test_support::Run;

use super::*;
use crate::programs;

/// A tool that ends the program that calls it, the first time.
const CRASH: &str = "\
name: crash
description: d
implementation:
  exec: [sh, -c, 'echo ran >> runs; [ -e up ] || { touch up; kill -9 $(cat pid); }; echo fine']
";

fn resume(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-plan", project).arg("resume").args(args).run()
}

/// Runs `plan` in a process that the tool `crash` kills.
fn run_and_crash(project: &Project, plan: &str, args: &[&str]) {
    let outcome = run_with_pid(project, plan, args);
    assert_eq!(outcome.status, Status::Signal(9));
}

/// Runs `plan` in a process whose number is in the file `pid`.
fn run_with_pid(project: &Project, plan: &str, args: &[&str]) -> Outcome {
    Run::new("/bin/sh")
        .args(["-c", "echo $$ > pid; exec \"$@\"", "sh"])
        .arg(programs().join("cogtools-plan"))
        .arg("run")
        .args(args)
        .project(project)
        .stdin(plan)
        .run()
}

/// A plan whose second step needs the file `up`.
fn fragile() -> (Project, String) {
    let project = project();
    project.file(
        "tools/fragile.yaml",
        "\
name: fragile
description: d
parameters: {text: string}
implementation: {exec: [sh, -c, 'echo tried >> tries; test -e up && echo \"up: $0\"', '{{ text }}']}
",
    );
    let steps = json!([
        step("greet", &json!({"person": "Ada"}), "hello"),
        step("fragile", &json!({"text": "$tool.hello"}), "up"),
        step("count", &json!({"text": "$tool.up"}), "size"),
    ]);
    (project, plan_of(&steps, "{{tool.up}}{{tool.size.length}}"))
}

#[test]
fn a_plan_that_failed_goes_on_with_the_step_that_failed() {
    let (project, plan) = fragile();
    run_plan(&project, &plan, &["--session", "p.jsonl"])
        .status(1)
        .stdout_is("unavailableunavailable\n")
        .stderr_is(str![[r#"
cogtools-plan: error[STEP_FAILED]: up: TOOL_FAILED: fragile: the program exited with status 1
hint: 1 step done, 1 step skipped; `cogtools plan resume p.jsonl` goes on here
hint: `cogtools plan replan p.jsonl` asks a model for another way

"#]]);
    project.file("up", "");
    resume(&project, &["p.jsonl"]).outputs("up: Hello Ada!\n15\n");
    assert_eq!(project.read("tries"), "tried\ntried\n");
    // Nothing is left to do: nothing runs, the reply is the same.
    resume(&project, &["p.jsonl"]).outputs("up: Hello Ada!\n15\n");
    assert_eq!(project.read("tries"), "tried\ntried\n");
}

#[test]
fn a_plan_that_is_terminated_says_how_it_goes_on() {
    let project = project();
    project.file(
        "tools/crash.yaml",
        CRASH.replace("kill -9 $(cat pid)", "kill $(cat pid); sleep 30"),
    );
    let plan = plan_of(&json!([step("crash", &json!({}), "out")]), "{{tool.out}}");
    let outcome = run_with_pid(&project, &plan, &["--session", "p.jsonl"]);
    outcome
        .stderr_contains("0 steps done, 0 steps skipped; `cogtools plan resume p.jsonl` goes on");
    outcome.status(143);
    resume(&project, &["p.jsonl", "--repeat", "out"]).outputs("fine\n\n");
}

#[test]
fn a_plan_that_was_refused_is_refused_again() {
    let (project, _) = fragile();
    project.file("up", "");
    let steps = json!([
        step("fragile", &json!({"text": "a"}), "up"),
        step("fragile", &json!({"txt": "b"}), "wrong"),
    ]);
    let plan = plan_of(&steps, "{{tool.up}}");
    let refused = run_plan(&project, &plan, &["--session", "p.jsonl"]);
    let resumed = resume(&project, &["p.jsonl"]);
    resumed.fails(65, String::from_utf8_lossy(&refused.stderr).into_owned());
    assert!(!project.path("tries").exists());
}

#[test]
fn events_of_a_resumed_run_have_the_earlier_results() {
    let (project, plan) = fragile();
    run_plan(&project, &plan, &["--session", "s.jsonl"]).status(1);
    project.file("up", "");
    let events = events(&resume(&project, &["s.jsonl", "--stream-json"]));
    let states: Vec<String> = events
        .iter()
        .filter(|event| event["event"] == "step")
        .map(|event| format!("{} {}", event["save_as"], event["state"]))
        .collect();
    let expected = [
        r#""hello" "executed""#,
        r#""up" "executing""#,
        r#""up" "executed""#,
        r#""size" "executing""#,
        r#""size" "executed""#,
    ];
    assert_eq!(states, expected);
    assert_eq!(events[1]["result"], "Hello Ada!");
}

/// The process is killed while a step executes, which may not be repeated without a decision.
#[test]
fn a_step_that_was_interrupted_is_reported_and_not_repeated() {
    let project = project();
    project.file("tools/crash.yaml", CRASH);
    let steps = json!([
        step("greet", &json!({"person": "Ada"}), "hello"),
        step("crash", &json!({}), "boom"),
    ]);
    let plan = plan_of(&steps, "{{tool.hello}} {{tool.boom}}");
    run_and_crash(&project, &plan, &["--session", "s.jsonl"]);
    resume(&project, &["s.jsonl"]).fails(
        1,
        str![[r#"
cogtools-plan: error[STEP_FAILED]: boom: the run ended while this step was executing; it may have had an effect
hint: find out whether it had
hint: `cogtools plan resume s.jsonl --repeat boom` runs it again
hint: `cogtools plan resume s.jsonl --result boom=JSON` goes on with a result

"#]],
    );
    resume(&project, &["s.jsonl", "--repeat", "bang"]).fails(
        2,
        str![[r#"
cogtools-plan: error[USAGE]: bang: the plan has no such step

"#]],
    );
    assert_eq!(project.read("runs"), "ran\n");
    resume(&project, &["s.jsonl", "--repeat", "boom"]).outputs("Hello Ada! fine\n\n");
    assert_eq!(project.read("runs"), "ran\nran\n");
}

#[test]
fn a_step_that_may_run_twice_is_repeated() {
    let project = project();
    let crash = CRASH.replace(
        "description: d",
        "description: d\nannotations: {idempotent: true}",
    );
    project.file("tools/crash.yaml", crash);
    let plan = plan_of(&json!([step("crash", &json!({}), "boom")]), "{{tool.boom}}");
    run_and_crash(&project, &plan, &[]);
    resume(&project, &[]).outputs("fine\n\n");
}

/// Wherever the log was cut off: what is done stays, and the rest runs.
#[test]
fn a_run_goes_on_from_every_line() {
    let project = project();
    let long = "x".repeat(5000);
    let steps = json!([
        step("greet", &json!({"person": long}), "hello"),
        {"need_tool": false, "reason": "a note"},
        step("count", &json!({"text": "$tool.hello"}), "size"),
    ]);
    let plan = plan_of(&steps, "{{tool.size.length}} {{tool._step2}}");
    run_plan(&project, &plan, &["--session", "whole.jsonl"]).outputs("5007 a note\n");
    let whole = project.read("whole.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 9, "{whole}");
    for count in 2..=lines.len() {
        let mut text = lines[..count].concat();
        // A line that was cut off does not count.
        if let Some(next) = lines.get(count) {
            text.push_str(&next[..next.len() / 2]);
        }
        // The blobs are beside the file of that name.
        project.file("whole.jsonl", text);
        resume(&project, &["whole.jsonl"]).outputs("5007 a note\n");
    }
    project.file("whole.jsonl", lines[0]);
    resume(&project, &["whole.jsonl"])
        .status(127)
        .stderr_contains("has no plan");
}

#[test]
fn a_session_is_kept_unless_the_user_wants_none() {
    let project = project();
    let plan = plan_of(
        &json!([step("greet", &json!({"person": "Ada"}), "a")]),
        "{{tool.a}}",
    );
    run_plan(&project, &plan, &["--no-session"]).outputs("Hello Ada!\n");
    resume(&project, &[]).fails(
        127,
        str![[r#"
cogtools-plan: error[SESSION_NOT_FOUND]: this project has no sessions
hint: name the file of a session; `cogtools ask`, flows, plans and code write them

"#]],
    );
    run_plan(&project, &plan, &[]).outputs("Hello Ada!\n");
    let listed = run("cogtools-session", &project)
        .args(["list", "--json"])
        .run()
        .json();
    assert_eq!(listed[0]["task"], "r", "{listed}");
    assert_eq!(listed[0]["end"], "completed", "{listed}");
    assert_eq!(listed[0]["calls"], 1, "{listed}");
}

#[test]
fn secrets_are_not_in_the_session() {
    let project = project();
    let steps = json!([step("greet", &json!({"person": "hunter2-hunter2"}), "a")]);
    run("cogtools-plan", &project)
        .args(["run", "--session", "s.jsonl"])
        .env("ADA_PASSWORD", "hunter2-hunter2")
        .stdin(plan_of(&steps, "{{tool.a}}"))
        .run()
        .outputs("Hello hunter2-hunter2!\n");
    let session = project.read("s.jsonl");
    assert!(!session.contains("hunter2"), "{session}");
}

#[test]
fn a_session_is_not_written_through_a_link_out_of_the_project() {
    let project = project();
    project.file("../outside", "").link("s.jsonl", "../outside");
    let plan = plan_of(
        &json!([step("greet", &json!({"person": "Ada"}), "a")]),
        "{{tool.a}}",
    );
    run_plan(&project, &plan, &["--session", "s.jsonl"])
        .status(77)
        .stdout_is("");
    assert_eq!(project.read("../outside"), "");
}

/// The replies in the session `s.jsonl`.
fn replies(project: &Project) -> Vec<Value> {
    let log = project.read("s.jsonl");
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let replies = lines.filter(|line| line["kind"] == "reply");
    replies
        .map(|line| json!([line["text"], line["blob"].is_string()]))
        .collect()
}

#[test]
fn each_run_keeps_its_reply_with_what_it_has() {
    let (project, plan) = fragile();
    run_plan(&project, &plan, &["--session", "s.jsonl"]).status(1);
    assert_eq!(
        replies(&project),
        [json!(["unavailableunavailable", false])]
    );
    project.file("up", "");
    resume(&project, &["s.jsonl"]).status(0);
    let second = json!(["up: Hello Ada!\n15", false]);
    assert_eq!(
        replies(&project),
        [json!(["unavailableunavailable", false]), second]
    );
}

#[test]
fn a_long_reply_is_a_blob() {
    let steps = json!([step("greet", &json!({"person": "x".repeat(5000)}), "hello")]);
    let plan = plan_of(&steps, "{{tool.hello}}");
    let project = project();
    run_plan(&project, &plan, &["--session", "s.jsonl"]).status(0);
    let replies = replies(&project);
    assert_eq!((replies.len(), &replies[0][1]), (1, &json!(true)));
    let text = replies[0][0].as_str().expect("a text");
    assert!(text.contains("bytes left out"), "{text}");
}
