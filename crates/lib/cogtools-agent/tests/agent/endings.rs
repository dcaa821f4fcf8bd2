//! Ends of responses, and the text that is kept.

use cogtools_agent::CallResult;
use cogtools_log::{EndStatus, Event};
use cogtools_model::{Finish, ModelError};
use serde_json::{Value, json};

use crate::scene::{PURE, Scene};
use crate::script::{Reply, Step, call, call_part, chunk, result, text};

/// Runs with `replies` as responses; returns the end, the text and the number of replies left.
fn run(replies: impl IntoIterator<Item = Reply>) -> (Scene, EndStatus, String) {
    let mut scene = Scene::new(replies);
    let end = scene.run("go");
    (scene, end.status, end.text)
}

fn failed() -> EndStatus {
    EndStatus::Failed {
        code: "MODEL_FAILED".to_owned(),
    }
}

fn empty(finish: &str) -> Reply {
    vec![chunk(&json!([]), Some(finish))]
}

#[test]
fn a_response_without_use_is_asked_for_again() {
    let useless: [Reply; 8] = [
        empty("STOP"),
        empty("MALFORMED_FUNCTION_CALL"),
        empty("UNEXPECTED_TOOL_CALL"),
        empty("OTHER"),
        vec![chunk(&json!([{"text": ""}]), Some("STOP"))],
        vec![chunk(
            &json!([{"text": "hm", "thought": true}]),
            Some("STOP"),
        )],
        vec![Step::Chunk(json!({"candidates": []}))],
        vec![],
    ];
    for reply in useless {
        let shown = format!("{reply:?}");
        let (scene, status, answer) = run([reply.clone(), reply, text("at last")]);
        assert_eq!(
            (status, answer.as_str()),
            (EndStatus::Completed, "at last"),
            "{shown}"
        );
        assert_eq!(
            (scene.watcher.retries, scene.model.left()),
            (2, 0),
            "{shown}"
        );
    }
}

#[test]
fn a_model_that_never_answers_is_asked_three_times() {
    let (scene, status, answer) = run([empty("STOP"), empty("STOP"), empty("STOP")]);
    assert_eq!((status, answer.as_str()), (failed(), ""));
    assert_eq!(scene.model.left(), 0);
}

#[test]
fn what_cannot_be_sent_back_is_not() {
    let thought = vec![chunk(
        &json!([{"text": "hm", "thought": true}]),
        Some("STOP"),
    )];
    let (mut scene, status, _) = run([thought.clone(), thought.clone(), thought, text("yes")]);
    assert_eq!(status, failed());
    assert_eq!(scene.run("again").status, EndStatus::Completed);
    assert_eq!(
        scene.last_contents(),
        json!([
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "user", "parts": [{"text": "again"}]},
        ])
    );
}

#[test]
fn refusals_end_the_run() {
    for finish in [
        "SAFETY",
        "RECITATION",
        "PROHIBITED_CONTENT",
        "SPII",
        "BLOCKLIST",
    ] {
        let (scene, status, _) = run([empty(finish)]);
        assert_eq!(
            (status, scene.watcher.retries),
            (EndStatus::Refused, 0),
            "{finish}"
        );
    }
    let blocked = Step::Chunk(json!({"promptFeedback": {
        "blockReason": "SAFETY", "blockReasonMessage": "No weapons.",
    }}));
    let mut scene = Scene::new([vec![blocked]]);
    let end = scene.run("go");
    assert_eq!(end.status, EndStatus::Refused);
    assert_eq!(end.finish, Some(Finish::Refused("SAFETY".to_owned())));
    assert_eq!(end.explanation.as_deref(), Some("No weapons."));
}

#[test]
fn an_unknown_reason_is_kept() {
    let mut scene = Scene::new([vec![chunk(&json!([{"text": "x"}]), Some("NEW_IN_2027"))]]);
    let end = scene.run("go");
    assert_eq!(end.status, EndStatus::Completed);
    assert_eq!(end.finish, Some(Finish::Other("NEW_IN_2027".to_owned())));
}

#[test]
fn the_limit_of_tokens_is_no_reason_to_ask_again() {
    let mut scene = Scene::new([vec![chunk(
        &json!([{"text": "The answ"}]),
        Some("MAX_TOKENS"),
    )]]);
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Completed, "The answ")
    );
    assert_eq!(end.finish, Some(Finish::MaxTokens));
    // All of them went into thoughts.
    let (scene, status, _) = run([empty("MAX_TOKENS")]);
    assert_eq!((status, scene.watcher.retries), (failed(), 0));
}

#[test]
fn an_error_before_anything_was_shown_is_tried_again() {
    for status in [408, 429, 500, 502, 503, 504] {
        let call_then_error = vec![
            chunk(&json!([call_part("a", "echo", &json!({}))]), None),
            Step::Error(status),
        ];
        let (scene, end, answer) = run([vec![Step::Error(status)], call_then_error, text("yes")]);
        assert_eq!(
            (end, answer.as_str()),
            (EndStatus::Completed, "yes"),
            "{status}"
        );
        assert_eq!(
            (scene.watcher.retries, scene.ran().len()),
            (2, 0),
            "{status}"
        );
    }
    for status in [400, 401, 403, 404] {
        let (scene, end, _) = run([vec![Step::Error(status)]]);
        assert!(matches!(end, EndStatus::Failed { .. }), "{status}: {end:?}");
        assert_eq!(scene.watcher.retries, 0, "{status}");
    }
    let (_, end, _) = run([503, 503, 503].map(|status| vec![Step::Error(status)]));
    assert_eq!(end, EndStatus::Unavailable);
}

#[test]
fn what_was_shown_is_kept_and_not_asked_for_again() {
    let cut = |rest: Vec<Step>| {
        let mut reply = vec![chunk(&json!([{"text": "The answ"}]), None)];
        reply.extend(rest);
        reply
    };
    for rest in [vec![Step::Error(503)], vec![]] {
        let mut scene = Scene::new([cut(rest), text("er is 4.")]);
        let end = scene.run("go");
        assert_eq!(
            (end.status, end.text.as_str()),
            (EndStatus::Unavailable, "The answ")
        );
        assert!(matches!(
            end.error,
            Some(ModelError::Api(_) | ModelError::InvalidResponse(_))
        ));
        let end = scene.resume();
        assert_eq!(
            (end.status, end.text.as_str()),
            (EndStatus::Completed, "er is 4.")
        );
        assert_eq!(
            scene.last_contents(),
            json!([
                {"role": "user", "parts": [{"text": "go"}]},
                {"role": "model", "parts": [{"text": "The answ"}]},
                {"role": "user", "parts": [{"text": "Go on where you stopped."}]},
            ])
        );
    }
}

#[test]
fn calls_of_a_response_that_was_cut_off_do_not_run() {
    let reply = vec![
        chunk(&json!([{"text": "Wait."}]), None),
        chunk(&json!([call_part("a", "echo", &json!({}))]), None),
        Step::Error(503),
    ];
    let mut scene = Scene::new([reply, text("yes")]);
    assert_eq!(scene.run("go").status, EndStatus::Unavailable);
    assert_eq!(scene.resume().status, EndStatus::Completed);
    assert_eq!(scene.ran(), [Value::Null; 0]);
    let error = json!({"error": "not run: the response was cut off"});
    assert_eq!(
        scene.last_contents()[2]["parts"],
        json!([result("a", "echo", &error)])
    );
}

#[test]
fn responses_that_were_thrown_away_are_paid_for() {
    let (scene, status, _) = run([empty("STOP"), text("yes")]);
    assert_eq!(status, EndStatus::Completed);
    let is_usage = |event: &Event| matches!(event, Event::Usage(usage) if usage.total == 15);
    let usages = scene
        .events()
        .iter()
        .filter(|event| is_usage(event))
        .count();
    assert_eq!(usages, 2);
}

#[test]
fn a_run_can_be_cancelled_while_it_streams() {
    let reply = vec![chunk(&json!([{"text": "The answ"}]), None), Step::Hang];
    let mut scene = Scene::new([reply]);
    scene.watcher.cancel_at_text = Some(scene.cancel.clone());
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Cancelled, "The answ")
    );
    assert!(end.error.is_none());
}

#[test]
fn a_run_can_be_cancelled_while_tools_run() {
    let mut scene = Scene::new([call("a", "wait", &json!({})), text("go on")]);
    let outer = scene.cancel.clone();
    scene = scene.tool("wait", PURE, move |_, cancel| {
        outer.cancel();
        assert!(cancel.is_cancelled());
        CallResult::Failed(Vec::new())
    });
    assert_eq!(scene.run("go").status, EndStatus::Cancelled);
    assert_eq!(
        scene.results(),
        [json!({"status": "cancelled", "content": {"error": "cancelled before its end"}})]
    );
}

#[test]
fn a_schema_that_is_refused_beside_tools_is_asked_for_last() {
    let mut scene = Scene::new([
        vec![Step::Error(400)],
        call("a", "echo", &json!({"x": 1})),
        text("It is one."),
        text("{\"n\": 1}"),
    ]);
    let schema = json!({"type": "object"});
    scene.settings.request.generation.response_json_schema = Some(schema.clone());
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Completed, "{\"n\": 1}")
    );
    let sent = scene.model.schemas();
    // The schema, and how many tools stand beside it.
    let tools = sent[0].1;
    assert!(tools > 0);
    let expected = [
        (Some(schema.clone()), tools),
        (None, tools),
        (None, tools),
        (Some(schema), 0),
    ];
    assert_eq!(sent, expected);
}

#[test]
fn calls_at_the_limit_of_tokens_do_not_run() {
    let cut = chunk(
        &json!([call_part("a", "echo", &json!({"x": 1}))]),
        Some("MAX_TOKENS"),
    );
    let mut scene = Scene::new([vec![cut], text("done")]);
    let end = scene.run("go");
    assert_eq!(end.status, EndStatus::Completed);
    assert_eq!(end.finish, Some(Finish::MaxTokens));
    assert_eq!(scene.ran(), [json!(null); 0]);
    // The model reads it, and may call again.
    assert_eq!(scene.resume().text, "done");
    let result = &scene.last_contents()[2]["parts"][0]["functionResponse"]["response"];
    assert_eq!(
        *result,
        json!({"error": "not run: the response was cut off"})
    );
}
