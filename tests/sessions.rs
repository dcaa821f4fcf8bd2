//! Sessions that `cogtools ask` writes, read by `cogtools session`.

use std::time::Duration;

use cogtools_program::Terminals;
use cogtools_test_support::{FakeGemini, Outcome, Project, Turn};
use serde_json::{Value, json};

use crate::terminal::{BAD, unsafe_part};
use crate::{project_with, run};

const KEY: &str = "a-key-for-tests";
const GREET: &str = "\
name: greet
description: Greets a person by name
parameters:
  person: {type: string, description: Who is greeted}
implementation: Hello {{ person }}!
";

/// Runs `cogtools` with the API at `fake`.
fn cogtools(project: &Project, fake: &FakeGemini, args: &[&str]) -> Outcome {
    run("cogtools", project)
        .env("GEMINI_API_KEY", KEY)
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .args(args)
        .run()
}

fn session(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-session", project).args(args).run()
}

#[test]
fn a_session_is_shown_and_resumed() {
    let project = project_with("greet", GREET);
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Ada was greeted."),
        Turn::text("So was Bob."),
    ]);
    let task = format!("Greet Ada, my key is {KEY}");
    let args = ["ask", "-q", "--session", "run.jsonl", &task];
    cogtools(&project, &fake, &args).outputs("Ada was greeted.\n");

    let shown = session(&project, &["show", "run.jsonl"]).text();
    for part in [
        "Greet Ada, my key is [masked: GEMINI_API_KEY]\n",
        "  greet person=Ada\n    succeeded, ",
        "    | Hello Ada!\n",
        "\n  Ada was greeted.\n",
        "\ncompleted: 2 turns, 1 call, ",
    ] {
        assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
    }
    assert!(!project.read("run.jsonl").contains(KEY));

    let resumed = cogtools(
        &project,
        &fake,
        &["session", "resume", "run.jsonl", "And Bob?"],
    );
    resumed.status(0).stdout_is("So was Bob.\n");
    let conversation = fake.finish();
    let request = &conversation.main()[2].body;
    let contents = request["contents"].as_array().expect("contents");
    let exported = session(&project, &["export", "run.jsonl", "--format=gemini"]).json();
    let turns = exported["contents"].as_array().expect("contents");
    // What was sent is what is exported, signatures included, besides what changes with time.
    assert_eq!(turns.len(), 6);
    for turn in &turns[..5] {
        assert!(contents.contains(turn), "{turn:#} is not in {contents:#?}");
    }
    session(&project, &["verify", "run.jsonl"]).succeeds();
}

#[test]
fn sessions_of_a_project_are_listed_and_pruned() {
    let project = project_with("greet", GREET);
    let fake = FakeGemini::start([Turn::text("Hello."), Turn::text("Bye.")]);
    cogtools(&project, &fake, &["ask", "-q", "Say hello"]).outputs("Hello.\n");
    cogtools(&project, &fake, &["ask", "-q", "Say bye"]).outputs("Bye.\n");
    fake.finish();
    let listed = session(&project, &["list", "--json"]).json();
    let tasks: Vec<_> = listed.as_array().expect("a list").iter().collect();
    assert_eq!(tasks.len(), 2, "{listed:#}");
    for one in tasks {
        let id = one["session"].as_str().expect("a name");
        session(&project, &["verify", id]).succeeds();
        assert_eq!(
            (&one["turns"], &one["end"]),
            (&json!(1), &json!("completed"))
        );
    }
    session(&project, &["prune", "--keep=0"]).succeeds();
    session(&project, &["list"]).outputs("this project has no sessions\n");
}

#[test]
fn old_trials_and_their_reports_are_pruned() {
    let project = Project::new();
    project
        .file("tools/greet.yaml", GREET)
        .file(
            "tools/greet.evals.yaml",
            "cases: [{name: it, task: t, trials: 1, expect: {answer: {contains: hi}}}]",
        )
        .program("model.sh", "#!/bin/sh\ncat > /dev/null\nprintf hi\n");
    let eval = run("cogtools-eval", &project).args(["--model-command", "./model.sh", "--json"]);
    let report = eval.run().json();
    let trial = report["cases"][0]["results"][0]["session"].as_str();
    let trial = trial.expect("a trial").to_owned();
    let state = project.path("../home/.local/state/cogtools/sessions");
    let folder = std::fs::read_dir(state).expect("sessions").flatten().next();
    let folder = folder.expect("a project").path();
    let report = folder.join(format!(
        "evals/{}.json",
        report["run"].as_str().expect("a run")
    ));
    let files = ["jsonl", "json"].map(|end| folder.join(format!("{trial}.{end}")));
    let all = || files.iter().chain([&report]);
    // They cost money: no number of sessions removes them.
    session(&project, &["prune", "--keep=0"]).succeeds();
    session(&project, &["prune", "--older-than=1d"]).succeeds();
    assert!(all().all(|file| file.exists()), "{folder:?}");
    let old = std::time::SystemTime::now() - Duration::from_hours(72);
    for path in all() {
        let file = std::fs::File::options().append(true).open(path);
        file.expect("a file").set_modified(old).expect("a time");
    }
    let prune = session(&project, &["prune", "--older-than=1d"]);
    prune.outputs(format!("removed {trial}\n"));
    assert!(!all().any(|file| file.exists()), "{folder:?}");
}

#[test]
fn nothing_in_a_session_reaches_a_terminal() {
    let project = Project::new();
    project
        .file("run.jsonl", with_text(BAD))
        .file("other.jsonl", with_text("x"));
    let terminals = Terminals {
        stdout: true,
        stderr: true,
    };
    for args in [
        &["show", "run.jsonl"][..],
        &["show", "run.jsonl", "--json"],
        &["tree", "run.jsonl"],
        &["export", "run.jsonl", "--format=gemini"],
        &["diff", "run.jsonl", "other.jsonl"],
        &["show", &format!("./{BAD}")],
    ] {
        let program = cogtools::PROGRAMS.iter();
        let program = program.copied().find(|one| one.name == "cogtools-session");
        let ended = program
            .expect("it is built in")
            .run_captured(&project.root(), terminals, args);
        for text in [&ended.stdout, &ended.stderr] {
            assert_eq!(unsafe_part(text), None, "{args:?}");
        }
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        let is_escaped = shown.contains(r"\u{202e}") || shown.contains(r"\u202e");
        assert!(is_escaped, "{args:?}: {shown}");
    }
}

/// A session with `text` wherever a session has text.
fn with_text(text: &str) -> String {
    let time = "2026-11-22T09:00:00Z";
    let entry = |id: u32, mut fields: Value| {
        fields["id"] = id.into();
        fields["parent"] = if id == 1 {
            Value::Null
        } else {
            (id - 1).into()
        };
        fields["time"] = time.into();
        format!("{fields}\n")
    };
    let header = json!({
        "kind": "session", "format": 1, "session": "abc", "time": time,
        "project": text, "program": text, "model": text,
    });
    let approval = json!({"decision": "denied", "why": text, "rule": text});
    let events = [
        json!({"kind": "task", "parts": [{"text": text}, {"fileData": {"mimeType": text}}]}),
        json!({"kind": "request", "hash": text, "layers": [], "model": text, "turn": 1}),
        json!({"kind": "response", "content": {"parts": [{"text": text}]}, "finish_reason": text}),
        json!({"kind": "call", "call": text, "tool": text, "arguments": {text: text}, "approval": approval}),
        json!({"kind": "result", "call": text, "status": "failed", "code": text, "content": {"error": text}, "ms": 1}),
        json!({"kind": "node", "node": text, "state": "failed", "code": text}),
        json!({"kind": "plan", "intent": text, "plan": {"restatement": text, "tool_plan": [{"save_as": text, "tool": text, "reason": text}]}}),
        json!({"kind": "step", "step": text, "state": "executing", "tool": text, "args": {text: text}}),
        json!({"kind": "step", "step": text, "state": "failed", "code": text, "message": text, "result": text, "logs": [text]}),
        json!({"kind": "cache", "name": text, "state": "failed", "reason": text, "tokens": 1}),
        json!({"kind": "usage", "total": 1, "cost": {"amount": 1.0, "currency": text}}),
        json!({"kind": "error", "code": text, "message": text, "hints": [text]}),
        json!({"kind": "paused", "calls": [text]}),
        json!({"kind": "decision", "call": text, "approval": approval}),
        json!({"kind": text}),
    ];
    let entries = (1..).zip(events).map(|(id, fields)| entry(id, fields));
    std::iter::once(format!("{header}\n"))
        .chain(entries)
        .collect()
}
