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
fn a_tape_is_not_written_through_a_link_out_of_the_project() {
    let project = project();
    project
        .file("../outside", "keep")
        .link("tape.jsonl", "../outside");
    let fake = FakeGemini::start([Turn::text("Hello.")]);
    ask(&project, &fake)
        .args(["-q", "--record", "tape.jsonl", "Hi"])
        .run()
        .status(74);
    fake.finish();
    assert_eq!(project.read("../outside"), "keep");
}
