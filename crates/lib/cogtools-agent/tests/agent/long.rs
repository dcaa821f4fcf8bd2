//! Long conversations: summaries, and what a request costs to build.

use std::time::{Duration, Instant};

use cogtools_agent::{Conversation, Fixed, State};
use cogtools_log::{EndStatus, Event, Id};
use cogtools_model::Request;
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::script::{chunk, text};

#[test]
fn old_turns_are_replaced_by_a_summary() {
    let large = || {
        let mut reply = text("ok");
        if let Some(crate::script::Step::Chunk(chunk)) = reply.first_mut() {
            chunk["usageMetadata"]["promptTokenCount"] = 1_000.into();
        }
        reply
    };
    let replies = [large(), large(), large(), text("SUMMARY 1"), text("four")];
    let mut scene = Scene::new(replies);
    for task in ["one", "two", "three", "four"] {
        scene.settings.history.compact_at = (task == "four").then_some(900);
        assert_eq!(scene.run(task).status, EndStatus::Completed, "{task}");
    }
    // Seven turns: the cut is at the last task before 70 % of them.
    let user = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    let ok = json!({"role": "model", "parts": [{"text": "ok"}]});
    let summary = user("Summary of the conversation so far:\n\nSUMMARY 1");
    assert_eq!(
        scene.last_contents(),
        json!([summary, user("three"), ok, user("four")])
    );
    let asked = scene.model.contents();
    let asked = asked[3].as_array().cloned().unwrap_or_default();
    assert_eq!(&asked[..4], [user("one"), ok.clone(), user("two"), ok]);
    assert_eq!(scene.watcher.compactions, ["replaced 2"]);
    let is_summary = |event: &Event| matches!(event, Event::Compaction { .. });
    assert_eq!(
        scene
            .events()
            .iter()
            .filter(|event| is_summary(event))
            .count(),
        1
    );
}

#[test]
fn a_second_summary_replaces_the_first() {
    let mut conversation = Conversation::default();
    let mut next = Id::FIRST;
    let mut push = |conversation: &mut Conversation, event: Event| {
        let id = next;
        conversation.push(id, &event);
        next = id.next();
        id
    };
    let task = |text: &str| Event::Task {
        parts: vec![json!({"text": text})],
    };
    let answer = |text: &str| Event::Response {
        content: json!({"role": "model", "parts": [{"text": text}]}),
        finish_reason: Some("STOP".to_owned()),
        model_version: None,
        response_id: None,
        masked: false,
    };
    let summary = |up_to: Id, text: &str| Event::Compaction {
        up_to,
        summary: json!({"role": "user", "parts": [{"text": text}]}),
    };
    push(&mut conversation, task("one"));
    let first = push(&mut conversation, answer("1"));
    push(&mut conversation, task("two"));
    let second = push(&mut conversation, answer("2"));
    push(&mut conversation, task("three"));
    push(&mut conversation, summary(first, "summary of 1"));
    // Its last turn is older than the entry of the first summary.
    push(&mut conversation, summary(second, "summary of 1 and 2"));
    let contents: Vec<String> = conversation
        .contents()
        .iter()
        .map(|(_, content)| content.text())
        .collect();
    assert_eq!(contents, ["summary of 1 and 2", "three"]);
}

#[test]
fn without_a_summary_the_conversation_goes_on() {
    let large = |text: &str| {
        let mut reply = vec![chunk(&json!([{"text": text}]), Some("STOP"))];
        if let Some(crate::script::Step::Chunk(chunk)) = reply.first_mut() {
            chunk["usageMetadata"]["promptTokenCount"] = 1_000.into();
        }
        reply
    };
    let reply = |parts: Value, finish| vec![chunk(&parts, Some(finish))];
    let refused = (reply(json!([]), "SAFETY"), "the summary ended with SAFETY");
    let summary = json!([{"text": "SUMMARY that"}]);
    let cut = (
        reply(summary, "MAX_TOKENS"),
        "the summary ended with MAX_TOKENS",
    );
    for (summary, reason) in [refused, cut] {
        let mut scene = Scene::new([large("a"), large("b"), large("c"), summary, text("done")]);
        scene.settings.history.compact_at = None;
        for task in ["one", "two", "three"] {
            scene.run(task);
        }
        scene.settings.history.compact_at = Some(900);
        let end = scene.run("four");
        assert_eq!(
            (end.status, end.text.as_str()),
            (EndStatus::Completed, "done")
        );
        assert_eq!(scene.last_contents().as_array().map_or(0, Vec::len), 7);
        assert_eq!(scene.watcher.compactions, [reason]);
    }
}

/// A state with `turns` turns: tasks, calls, results and answers.
fn state(turns: u32) -> State {
    let mut state = State::default();
    let mut id = Id::FIRST;
    let mut push = |state: &mut State, event: Event| {
        state.apply(id, &event);
        id = id.next();
    };
    for index in 0..turns / 4 {
        let text = format!("Task {index}: {}", "words ".repeat(40));
        push(
            &mut state,
            Event::Task {
                parts: vec![json!({"text": text})],
            },
        );
        let call = json!({"functionCall": {"id": format!("c{index}"), "name": "read", "args": {"path": "src/main.rs"}}, "thoughtSignature": "c2lnbmF0dXJl"});
        push(&mut state, response(&call));
        let result: Value = json!({
            "kind": "result", "call": format!("c{index}"), "status": "succeeded", "ms": 1,
            "content": {"output": "line\n".repeat(100)},
        });
        let result = serde_json::from_value(result).expect("an event");
        push(&mut state, result);
        push(
            &mut state,
            response(&json!({"text": "An answer. ".repeat(20)})),
        );
    }
    push(
        &mut state,
        Event::Task {
            parts: vec![json!({"text": "And now?"})],
        },
    );
    state
}

fn response(part: &Value) -> Event {
    Event::Response {
        content: json!({"role": "model", "parts": [part]}),
        finish_reason: Some("STOP".to_owned()),
        model_version: None,
        response_id: None,
        masked: false,
    }
}

/// The limit holds for a release build; a debug build takes longer.
const MAX_BUILD: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(200)
} else {
    Duration::from_millis(2)
};

#[test]
fn a_request_with_a_thousand_turns_is_built_in_two_milliseconds() {
    let state = state(1_000);
    let fixed = Fixed::default();
    let build = || -> Request {
        let prompt = state.prompt(&fixed, 500).expect("a prompt");
        prompt.request(&cogtools_agent::RequestOptions::default(), None)
    };
    assert_eq!(build().contents.len(), 1_001);
    let fastest = (0..20)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(build());
            start.elapsed()
        })
        .min()
        .expect("twenty times");
    println!("a request with 1,000 turns: {fastest:?}");
    assert!(fastest < MAX_BUILD, "{fastest:?}");
}
