//! Recorded responses: made against the API, played without a network.

use super::*;

#[test]
fn a_recorded_run_is_replayed_without_a_network() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Ada was greeted."),
    ]);
    let record = ["-q", "--record", "tape.jsonl", "Greet Ada"];
    ask(&project, &fake)
        .args(record)
        .run()
        .outputs("Ada was greeted.\n");
    fake.finish();
    assert!(!project.read("tape.jsonl").contains("a-key-for-tests"));

    let replay = |task: &str| {
        run("cogtools-ask", &project)
            .args(["-q", "--replay", "tape.jsonl", task])
            .run()
    };
    replay("Greet Ada").outputs("Ada was greeted.\n");
    replay("Greet Bob").status(1).stderr_contains(
        "  | -          \"text\": \"Greet Ada\"\n  | +          \"text\": \"Greet Bob\"",
    );
}

#[test]
fn results_of_calls_are_replayed_and_nothing_runs() {
    let project = noting();
    let fail =
        "name: fail\ndescription: d\nimplementation: {exec: [sh, -c, 'echo $$ >&2; exit 3']}\n";
    project.file("tools/fail.yaml", fail);
    let fake = FakeGemini::start([
        note("one"),
        Turn::call("fail", json!({})),
        Turn::text("done"),
    ]);
    let task = ["-q", "--allow", "*", "Go"];
    ask(&project, &fake)
        .args(["--record", "tape.jsonl"])
        .args(task)
        .run()
        .outputs("done\n");
    fake.finish();
    for _ in 0..2 {
        run("cogtools-ask", &project)
            .args(["--replay", "tape.jsonl"])
            .args(task)
            .run()
            .outputs("done\n");
    }
    assert_eq!(notes(&project), "one\n");
}

#[test]
fn what_a_tape_lacks_is_recorded_on_request_and_never_runs_otherwise() {
    let project = noting();
    let fake = FakeGemini::start([
        note("one"),
        Turn::text("done"),
        note("two"),
        Turn::text("done, too"),
    ]);
    let go = |args: &[&str]| {
        let run = ask(&project, &fake).args(["-q", "--allow", "*"]);
        run.args(args).run()
    };
    go(&["--record", "tape.jsonl", "Go"]).outputs("done\n");
    let missing = ["--replay", "tape.jsonl", "--record", "missing"];
    // Nothing is missing, and the tape stays as it is.
    let before = project.read("tape.jsonl");
    go(&[&missing[..], &["Go"]].concat()).outputs("done\n");
    assert_eq!(project.read("tape.jsonl"), before);
    go(&[&missing[..], &["Go on"]].concat()).outputs("done, too\n");
    fake.finish();
    assert_eq!(notes(&project), "one\ntwo\n");
    let replay = |task: &str| {
        run("cogtools-ask", &project)
            .args(["-q", "--allow", "*", "--replay", "tape.jsonl", task])
            .run()
    };
    replay("Go").outputs("done\n");
    replay("Go on").outputs("done, too\n");
    // A call without a result on the tape does not run, whatever the model says.
    let tape = project.read("tape.jsonl");
    let calls = |line: &&str| !line.starts_with("{\"tool\"");
    let cut: Vec<&str> = tape.lines().filter(calls).collect();
    project.file("tape.jsonl", cut.join("\n"));
    replay("Go")
        .status(1)
        .stderr_contains("not run: the recording has no result of this call");
    assert_eq!(notes(&project), "one\ntwo\n");
    run("cogtools-ask", &project)
        .args(["--replay", "tape.jsonl", "--record", "other", "Go"])
        .run()
        .fails(
            2,
            str![[r#"
cogtools-ask: error[USAGE]: --replay and --record exclude each other
hint: `--record missing` adds what the recording lacks

"#]],
        );
}

#[test]
fn a_tape_is_not_written_through_a_link_out_of_the_project() {
    let project = project();
    project
        .file("../outside", "keep")
        .link("tape.jsonl", "../outside");
    let fake = FakeGemini::start([]);
    ask(&project, &fake)
        .args(["-q", "--record", "tape.jsonl", "Hi"])
        .run()
        .status(74);
    fake.finish();
    assert_eq!(project.read("../outside"), "keep");
}

#[test]
fn only_a_tape_is_replaced_by_a_tape() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("Hello."), Turn::text("Hello.")]);
    let record = |file: &str| {
        ask(&project, &fake)
            .args(["-q", "--record", file, "Hi"])
            .run()
    };
    let before = project.read("tools/greet.yaml");
    record("tools/greet.yaml").fails(
        65,
        str![[r#"
cogtools-ask: error[INVALID_RECORDING]: `tools/greet.yaml`: line 1 is not the head of a tape: expected ident at line 1 column 2; it is not replaced
hint: name another file with --record

"#]],
    );
    assert_eq!(project.read("tools/greet.yaml"), before);
    // Nothing is paid for a tape that cannot be written.
    project.file("file", "");
    for file in ["tools", "file/tape.jsonl"] {
        let outcome = record(file);
        outcome.status(74).stdout_is("");
        outcome.stderr_contains("hint: name another file with --record");
    }
    ask(&project, &fake)
        .args(["-q", "--record", "s.jsonl", "--session", "./s.jsonl", "Hi"])
        .run()
        .fails(
            2,
            str![[r#"
cogtools-ask: error[USAGE]: --session and --record name the same file
hint: name another file with --record

"#]],
        );
    assert!(!project.path("s.jsonl").exists());
    assert_eq!(fake.requests().len(), 0, "nothing was sent");
    // An empty file, such as one of `mktemp`, is nothing to lose, and a tape is made again.
    project.file("tape.jsonl", "");
    record("tape.jsonl").outputs("Hello.\n");
    record("tape.jsonl").outputs("Hello.\n");
    let session = ["-q", "--session", "s.jsonl", "--replay", "tape.jsonl", "Hi"];
    run("cogtools-ask", &project)
        .args(session)
        .run()
        .outputs("Hello.\n");
    let outcome = record("s.jsonl");
    outcome.status(65).stdout_is("");
    fake.finish();
}

#[test]
fn a_tape_that_is_damaged_is_told_as_such() {
    let project = project();
    project.file(
        "tape.jsonl",
        "{\"tape\":1,\"time\":\"\",\"model\":\"m\"}\n{\n",
    );
    run("cogtools-ask", &project)
        .args(["-q", "--replay", "tape.jsonl", "Hi"])
        .run()
        .fails(
            65,
            str![[r#"
cogtools-ask: error[INVALID_RECORDING]: `tape.jsonl`: line 2 is not a recording: EOF while parsing an object at line 1 column 1
hint: name a file that --record has written, or record again under another name

"#]],
        );
}
