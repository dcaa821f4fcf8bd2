//! Faults between the program and the API.

use std::thread;
use std::time::Duration;

use cogtools_test_support::{ApiError, Break, Options};

use super::*;

#[test]
fn without_a_key_nothing_is_sent() {
    let project = project();
    let outcome = run("cogtools-ask", &project).args(["-q", "Go"]).run();
    outcome.status(78).stdout_is("");
    outcome.stderr_contains("GOOGLE_API_KEY or GEMINI_API_KEY is not set");
    outcome.stderr_contains("hint: ");
}

#[test]
fn a_key_that_is_wrong_is_not_shown() {
    let project = project();
    let fake = FakeGemini::with(Options::default().key("right"), []);
    let outcome = quietly(&project, &fake, &["Go"]);
    outcome
        .status(77)
        .stderr_contains("hint: check the API key");
    let shown = format!("{outcome:?}");
    assert!(!shown.contains("a-key-for-tests"), "{shown}");
    assert_eq!(fake.requests().len(), 1, "it is not tried again");
    drop(fake.try_finish());
}

#[test]
fn a_service_that_cannot_be_reached_is_unavailable() {
    let fake = FakeGemini::start([]);
    // A server without TLS.
    let without_tls = fake.url().replace("http:", "https:");
    let bases = [
        "http://127.0.0.1:1",
        "http://no-such-host.invalid",
        &without_tls,
    ];
    thread::scope(|scope| {
        for base in bases {
            scope.spawn(move || {
                let project = project();
                let outcome = run("cogtools-ask", &project)
                    .env("GEMINI_API_KEY", "a-key-for-tests")
                    .env("GOOGLE_GEMINI_BASE_URL", base)
                    .limit(Duration::from_mins(1))
                    .args(["-q", "Go"])
                    .run();
                outcome.status(69).stdout_is("");
                outcome.stderr_contains("error[UNAVAILABLE]");
                outcome.stderr_contains("--continue goes on");
            });
        }
    });
    fake.finish();
}

#[test]
fn what_passes_is_tried_again() {
    let turns: [fn() -> Turn; 5] = [
        Turn::reset,
        Turn::cut,
        || Turn::page(502, "text/html", "<html>Bad gateway</html>"),
        || Turn::error(503),
        || Turn::text("lost").breaks_after(0, Break::Cut),
    ];
    thread::scope(|scope| {
        for turn in turns {
            scope.spawn(move || {
                let project = project();
                let fake = FakeGemini::start([turn(), Turn::text("done")]);
                quietly(&project, &fake, &["Go"]).outputs("done\n");
                fake.finish();
            });
        }
    });
}

#[test]
fn the_api_says_how_long_to_wait() {
    let project = project();
    let busy = ApiError::new(429).retry_after("2s");
    let fake = FakeGemini::start([Turn::error(busy), Turn::text("done")]);
    quietly(&project, &fake, &["Go"]).outputs("done\n");
    let conversation = fake.finish();
    let main = conversation.main();
    assert!(main[1].at >= main[0].at + Duration::from_secs(2));
}

#[test]
fn what_does_not_pass_is_not_tried_again() {
    let daily = ApiError::new(429).quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier");
    let none = ApiError::new(429).message("Quota exceeded, limit: 0");
    for (error, status) in [
        (ApiError::new(400), 1),
        (ApiError::new(401), 77),
        (ApiError::new(403), 77),
        (ApiError::new(404), 1),
        (daily, 69),
        (none, 69),
    ] {
        let project = project();
        let fake = FakeGemini::start([Turn::error(error)]);
        let outcome = quietly(&project, &fake, &["Go"]);
        outcome
            .status(status)
            .stdout_is("")
            .stderr_contains("hint: ");
        fake.finish();
    }
}

#[test]
fn what_was_shown_of_an_answer_is_kept() {
    let breaks = [Break::Cut, Break::Reset, Break::Error(ApiError::new(503))];
    for broken in breaks {
        let project = project();
        let fake = FakeGemini::start([
            Turn::texts(["It fails ", "because"]).breaks_after(1, broken.clone()),
            Turn::text("of a typo."),
        ]);
        let session = |args: &[&str]| {
            let run = ask(&project, &fake).args(["-q", "--session", "s.jsonl"]);
            run.args(args).run()
        };
        session(&["Why?"]).status(69).stdout_is("It fails \n");
        session(&["--continue"]).outputs("of a typo.\n");
        let conversation = fake.finish();
        let last = conversation.main()[1].body["contents"].to_string();
        assert!(
            last.contains(r#"{"parts":[{"text":"It fails "}],"role":"model"}"#)
                || last.contains(r#"{"role":"model","parts":[{"text":"It fails "}]}"#),
            "{broken:?}: {last}"
        );
    }
}

#[test]
fn a_request_that_was_refused_can_be_looked_at() {
    let project = project();
    let fake = FakeGemini::start([Turn::error(400)]);
    let args = ["--session", "s.jsonl", "My key is a-key-for-tests"];
    quietly(&project, &fake, &args).fails(1, str![[r#"
cogtools-ask: error[MODEL_FAILED]: gemini-flash-latest: the provider answered with 400 INVALID_ARGUMENT: Request contains an invalid argument.
hint: cogtools ask --session s.jsonl --continue --dry-run prints the request

"#]]);
    let args = ["--session", "s.jsonl", "--continue", "--dry-run", "--json"];
    let shown = quietly(&project, &fake, &args);
    shown.succeeds();
    let mut shown: Value = serde_json::from_str(&shown.text()).expect("JSON");
    let conversation = fake.finish();
    let mut sent = conversation.main()[0].body.clone();
    // The time has passed, and what the log masks is masked.
    assert_eq!(
        sent["contents"][1]["parts"][0]["text"],
        "My key is a-key-for-tests"
    );
    let text = "My key is [masked: GEMINI_API_KEY]";
    assert_eq!(shown["request"]["contents"][1]["parts"][0]["text"], text);
    for request in [&mut sent, &mut shown["request"]] {
        request["contents"] = json!([]);
        request["generationConfig"]["seed"] = json!(0);
    }
    assert_eq!(shown["request"], sent);
}
