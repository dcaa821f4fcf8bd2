//! Sessions that earlier versions have written: they are shown, listed, traced and resumed.

use std::path::Path;

use cogtools_test_support::conformance::workspace;
use cogtools_test_support::{Project, assert_text, str};

use crate::run;

/// A project with the sessions, and the tools that their runs have called.
fn project() -> Project {
    let project = Project::new();
    project.copy_all(workspace().join("tests/logged"));
    project
}

/// The first `count` lines of the session `name`, in a session that its runs have left so.
fn cut(project: &Project, name: &str, count: usize) {
    let lines = project.read(name);
    let lines: Vec<&str> = lines.split_inclusive('\n').take(count).collect();
    project.file(name, lines.concat());
}

#[test]
fn a_plan_is_shown_and_resumed() {
    let project = project();
    let shown = run("cogtools-plan", &project)
        .args(["show", "plan.jsonl"])
        .run();
    let text = shown.text();
    for part in [
        "hello   greet    executed, 0 ms",
        "up      fragile  failed (TOOL_FAILED), 14 ms",
        "size    count    skipped",
        "_step4  -        skipped",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let text = run("cogtools-session", &project)
        .args(["show", "plan.jsonl"])
        .run()
        .text();
    for part in [
        "  1. hello  greet  why\n",
        "  up  fragile text=a\n    failed (TOOL_FAILED): fragile: the program exited with status 1",
        "\nfailed: 0 turns, 2 calls",
    ] {
        assert!(text.contains(part), "{text}");
    }
    project.file("up", "");
    let reply = run("cogtools-plan", &project)
        .args(["resume", "plan.jsonl"])
        .run()
        .text();
    assert_eq!(reply, format!("up\n3007 Hello {}!\n", "x".repeat(3000)));
}

#[test]
fn a_plan_that_was_interrupted_is_not_repeated() {
    let project = project();
    cut(&project, "plan.jsonl", 5);
    run("cogtools-plan", &project)
        .args(["resume", "plan.jsonl"])
        .run()
        .fails(1, str![[r#"
cogtools-plan: error[STEP_FAILED]: up: the run ended while this step was executing; it may have had an effect
hint: find out whether it had
hint: `cogtools plan resume plan.jsonl --repeat up` runs it again
hint: `cogtools plan resume plan.jsonl --result up=JSON` goes on with a result

"#]]);
    let given = ["resume", "plan.jsonl", "--result", "up=\"given \""];
    let reply = run("cogtools-plan", &project).args(given).run().text();
    assert_eq!(reply, format!("given 3007 Hello {}!\n", "x".repeat(3000)));
}

#[test]
fn a_flow_is_traced_and_resumed() {
    let project = project();
    let trace = run("cogtools-flow", &project)
        .args(["trace", "flow.jsonl"])
        .run();
    assert_text(
        trace.stdout,
        str![[r#"
🧪 Runner: f {"question":"[masked: email]"}
🧪 Runner: first succeeded, 1 ms
  🔍 Properties: {"person":"[masked: email]"}
  result: Hello [masked: email]!
🧪 Runner: list succeeded, 5 ms
  result: ["Hello a!","Hello b!"]
🧪 Runner: never skipped
🧪 Runner: list.0 succeeded
  🔍 Properties: {"person":"a"}
  result: Hello a!
🧪 Runner: list.1 succeeded
  🔍 Properties: {"person":"b"}
  result: Hello b!
🧪 Runner: confirm waits for an answer: Publish 2 results?, 0 ms
🧪 Runner: last skipped

"#]],
    );
    assert!(Path::new(&project.path("flow.blobs")).is_dir());
    run("cogtools-flow", &project)
        .args(["resume", "flow.jsonl", "--answer", "confirm=yes"])
        .run()
        .outputs("22, Hello a! and Hello b!: yes\n");
}
