//! Ends of runs, as exit statuses.

use super::*;

#[test]
fn refusals_have_a_status_of_their_own() {
    let turns: [fn() -> Turn; 3] = [
        || Turn::empty("SAFETY"),
        || Turn::empty("PROHIBITED_CONTENT"),
        || Turn::blocked("SAFETY"),
    ];
    for turn in turns {
        let project = project();
        let fake = FakeGemini::start([turn()]);
        quietly(&project, &fake, &["Go"])
            .status(3)
            .stderr_contains("error[MODEL_REFUSED]");
        fake.finish();
    }
    let project = project();
    let blocked = json!({"promptFeedback": {
        "blockReason": "OTHER", "blockReasonMessage": "No weapons.",
    }});
    let fake = FakeGemini::start([Turn::raw([blocked])]);
    let outcome = quietly(&project, &fake, &["--json", "Go"]);
    let message = "the model refused to answer: OTHER: No weapons.";
    outcome.status(3).stderr_contains(message);
    let summary: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    assert_eq!(summary["finish"], "OTHER");
    assert_eq!(summary["error"]["message"], message);
    fake.finish();
}

#[test]
fn an_answer_that_was_cut_off_has_its_own_status() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::text("The answ").finish("MAX_TOKENS"),
        Turn::empty("MAX_TOKENS"),
    ]);
    let outcome = quietly(&project, &fake, &["Go"]);
    outcome.status(6).stdout_is("The answ\n");
    outcome.stderr_contains("error[ANSWER_CUT]");
    outcome.stderr_contains("the answer was cut off at the limit of tokens");
    let outcome = quietly(&project, &fake, &["Go"]);
    outcome.status(6).stdout_is("");
    outcome.stderr_contains("raise --max-tokens");
    fake.finish();
}

#[test]
fn an_empty_answer_is_asked_for_again() {
    let project = project();
    let fake = FakeGemini::start([Turn::empty("MALFORMED_FUNCTION_CALL"), Turn::text("done")]);
    quietly(&project, &fake, &["Go"]).outputs("done\n");
    fake.finish();
}

#[test]
fn a_budget_ends_a_run_that_can_go_on() {
    let project = project();
    let call = || Turn::call("greet", json!({"person": "Ada"}));
    let fake = FakeGemini::start([call().saying("Wait."), call(), Turn::text("done")]);
    let session = ["--session", "s.jsonl"];
    let outcome = ask(&project, &fake)
        .arg("-q")
        .args(session)
        .args(["--budget", "turns=1", "Go"])
        .run();
    outcome.status(4).stdout_is("Wait.\n");
    outcome.stderr_contains("error[BUDGET_SPENT]");
    let outcome = ask(&project, &fake)
        .arg("-q")
        .args(session)
        .args(["--continue", "--budget", "calls=0"])
        .run();
    outcome.status(4).stderr_contains("budget of calls");
    let rest = ask(&project, &fake).arg("-q").args(session).arg("-c").run();
    rest.outputs("done\n");
    fake.finish();
}

#[test]
fn a_request_beyond_the_budget_of_tokens_is_not_sent() {
    let project = project();
    let fake = FakeGemini::start([]);
    let outcome = quietly(&project, &fake, &["--budget", "tokens=10", "Go"]);
    outcome
        .status(4)
        .stderr_contains("the budget of tokens is spent");
    fake.finish();
}

#[test]
fn activity_says_why_a_call_failed() {
    let project = project();
    let fail =
        "name: fail\ndescription: d\nimplementation: {exec: [sh, -c, 'echo why >&2; exit 3']}\n";
    project.file("tools/fail.yaml", fail);
    let fake = FakeGemini::start([Turn::call("fail", json!({})), Turn::text("done")]);
    let outcome = ask(&project, &fake).args(["--allow", "*", "Go"]).run();
    let reason = "ms: the program exited with status 3: why\n";
    outcome.status(0).stderr_contains(reason);
    fake.finish();
}

#[test]
fn a_model_that_repeats_itself_ends_the_run() {
    let project = project();
    let fake = FakeGemini::start((0..10).map(|_| Turn::call("greet", json!({"person": "Ada"}))));
    quietly(&project, &fake, &["Go"])
        .status(5)
        .stderr_contains("error[REPETITION]");
    fake.finish();
}
