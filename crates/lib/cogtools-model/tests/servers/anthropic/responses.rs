//! Responses: events, and how a message goes back.

use cogtools_model::{Content, Finish, Model as _, ModelInfo, Part, Request, Response, Usage};
use serde_json::{Value, json};

use super::{begin, block, end, events, stream, text};
use crate::server::{Answer, Scripted, ask, question};

async fn response(answer: Answer) -> Response {
    let server = Scripted::start(answer).await;
    ask(&server.anthropic(None)).await.expect("a response")
}

#[tokio::test]
async fn text_arrives_in_deltas() {
    let response = response(stream(&[text(0, "Good ", "day")], "end_turn")).await;
    assert_eq!(response.text(), "Good day");
    assert_eq!(response.finish, Some(Finish::Stop));
    assert_eq!(response.model_version.as_deref(), Some("m-2"));
    assert_eq!(response.id.as_deref(), Some("msg_1"));
    let usage = Usage {
        prompt: 240,
        cached: 200,
        written: 30,
        output: 5,
        thoughts: 2,
        total: 247,
    };
    assert_eq!(response.usage, usage);
}

/// The blocks of a message of every kind.
fn blocks() -> Vec<Vec<Value>> {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": ""});
    let thoughts = [
        json!({"type": "thinking_delta", "thinking": "Hm. "}),
        json!({"type": "thinking_delta", "thinking": "So."}),
        json!({"type": "signature_delta", "signature": "EqQB/+=="}),
    ];
    let redacted = json!({"type": "redacted_thinking", "data": "EmwKAhgB"});
    let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
        "input": {}, "caller": {"type": "direct"}});
    let query = [json!({"type": "input_json_delta", "partial_json": "{\"query\": \"x\"}"})];
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
        "content": [{"type": "web_search_result", "encrypted_content": "Eo8="}]});
    let cited = json!({"type": "text", "text": "", "citations": null});
    let citing = [
        json!({"type": "citations_delta", "citation": {"cited_text": "a", "n": 1}}),
        json!({"type": "text_delta", "text": "As found."}),
        json!({"type": "citations_delta", "citation": {"cited_text": "b", "n": 2}}),
    ];
    let later = json!({"type": "of_later", "x": [1.0, {"y": null}]});
    let news = [
        json!({"type": "of_later_delta", "z": "a"}),
        json!({"type": "of_later_delta", "z": "b"}),
    ];
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "a", "input": {}});
    let arguments = [
        json!({"type": "input_json_delta", "partial_json": ""}),
        json!({"type": "input_json_delta", "partial_json": "{\"x\":"}),
        json!({"type": "input_json_delta", "partial_json": " 1}"}),
    ];
    vec![
        block(0, &thinking, &thoughts),
        block(1, &redacted, &[]),
        block(2, &search, &query),
        block(3, &found, &[]),
        block(4, &cited, &citing),
        block(5, &later, &news),
        block(6, &call, &arguments),
        block(
            7,
            &json!({"type": "tool_use", "id": "toolu_2", "name": "b", "input": {}}),
            &[],
        ),
    ]
}

/// The content that these blocks are in the end.
fn whole() -> Value {
    json!([
        {"type": "thinking", "thinking": "Hm. So.", "signature": "EqQB/+=="},
        {"type": "redacted_thinking", "data": "EmwKAhgB"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "x"}, "caller": {"type": "direct"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
            "content": [{"type": "web_search_result", "encrypted_content": "Eo8="}]},
        {"type": "text", "text": "As found.",
            "citations": [{"cited_text": "a", "n": 1}, {"cited_text": "b", "n": 2}]},
        {"type": "of_later", "x": [1.0, {"y": null}], "z": "ab"},
        {"type": "tool_use", "id": "toolu_1", "name": "a", "input": {"x": 1}},
        {"type": "tool_use", "id": "toolu_2", "name": "b", "input": {}},
    ])
}

#[tokio::test]
async fn blocks_go_back_as_they_came_and_are_in_the_log() {
    let server = Scripted::start(stream(&blocks(), "tool_use")).await;
    let model = server.anthropic(None);
    let response = ask(&model).await.expect("a response");
    assert_eq!(response.thoughts(), "Hm. So.");
    assert_eq!(response.text(), "As found.");
    let calls = response.calls();
    let ids: Vec<_> = calls.iter().map(|call| (call.id, call.name)).collect();
    assert_eq!(ids, [(Some("toolu_1"), "a"), (Some("toolu_2"), "b")]);
    assert_eq!(calls[0].args, Some(&json!({"x": 1})));

    // The log keeps them, and a request that is made from it.
    let content = response.content.as_ref().expect("a content");
    let log = content.to_log().to_string();
    let logged: Value = serde_json::from_str(&log).expect("JSON");
    assert_eq!(
        logged["message"]["content"].to_string(),
        whole().to_string()
    );
    let content = Content::from_wire(logged).expect("a content");
    let results = calls
        .iter()
        .map(|call| Part::result_of(call, json!({"output": "ok"})));
    let request = Request {
        contents: vec![
            question().contents[0].clone(),
            content.into(),
            Content::user(results.collect()).into(),
        ],
        ..question()
    };
    drop(model.send(&request).await.expect("a response"));
    let messages = &server.last().body["messages"];
    assert_eq!(messages[1]["content"].to_string(), whole().to_string());
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
    let mut results = json!([result("toolu_1"), result("toolu_2")]);
    results[1]["cache_control"] = json!({"type": "ephemeral"});
    assert_eq!(messages[2], json!({"role": "user", "content": results}));

    // The Gemini API and servers of OpenAI get what they know.
    let body = String::from_utf8(request.body()).expect("UTF-8");
    assert!(!body.contains("EqQB"), "{body}");
    let messages = json!(cogtools_model::openai::messages(&request.contents));
    assert_eq!(messages[1]["content"], "As found.");
    assert!(!messages.to_string().contains("EqQB"), "{messages}");
}

#[tokio::test]
async fn a_message_of_another_server_is_translated() {
    let message = json!({"role": "model", "parts": [{"text": "Hm.", "thought": true}, {"text": "Yes."}],
        "message": {"role": "assistant", "reasoning_content": "Hm.", "content": "Yes."}});
    let content = Content::from_wire(message).expect("a content");
    let server = Scripted::start(stream(&[], "end_turn")).await;
    let mut request = question();
    request.contents.push(content.into());
    request.contents.push(question().contents[0].clone());
    drop(server.anthropic(None).send(&request).await);
    let text = json!([{"type": "text", "text": "Yes."}]);
    assert_eq!(server.last().body["messages"][1]["content"], text);
}

#[tokio::test]
async fn every_reason_to_stop_is_understood() {
    for (reason, finish) in [
        ("end_turn", Finish::Stop),
        ("stop_sequence", Finish::Stop),
        ("tool_use", Finish::Stop),
        ("max_tokens", Finish::MaxTokens),
        (
            "model_context_window_exceeded",
            Finish::Cut("model_context_window_exceeded".to_owned()),
        ),
        ("pause_turn", Finish::Cut("pause_turn".to_owned())),
        ("refusal", Finish::Refused("refusal".to_owned())),
        ("of_later", Finish::Other("of_later".to_owned())),
    ] {
        let response = response(stream(&[text(0, "a", "b")], reason)).await;
        assert_eq!(response.finish, Some(finish), "{reason}");
    }
    let mut refusal = events(&[], "refusal");
    refusal[1]["delta"]["stop_details"] =
        json!({"type": "refusal", "category": "cyber", "explanation": "No."});
    let response = response(Answer::named_events(&refusal)).await;
    assert_eq!(response.finish_message.as_deref(), Some("No."));
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_is_never_an_answer() {
    let whole = stream(&blocks(), "tool_use").body;
    let last = whole.find("event: message_stop").expect("the end");
    for length in 1..whole.len() {
        if !whole.is_char_boundary(length) {
            continue;
        }
        let body = whole[..length].to_owned();
        let answer = Answer {
            body,
            ..Answer::events(&[])
        };
        let server = Scripted::start(answer).await;
        let Ok(response) = ask(&server.anthropic(None)).await else {
            continue;
        };
        // The empty line after the reason to stop may be missing.
        if length + 2 < last {
            assert!(response.is_cut(), "{length}: {}", &whole[..length]);
            assert_eq!(response.calls(), [], "{length}");
        } else {
            assert_eq!(response.calls().len(), 2, "{length}");
        }
    }
}

#[tokio::test]
async fn a_block_that_does_not_end_is_cut() {
    let mut events = events(&blocks(), "tool_use");
    let last = events.len() - 3;
    events.remove(last);
    let response = response(Answer::named_events(&events)).await;
    assert!(response.is_cut(), "{response:?}");
    assert_eq!(response.calls(), []);
}

#[tokio::test]
async fn arguments_that_are_not_json_stay_text() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "a", "input": {}});
    let arguments = json!({"type": "input_json_delta", "partial_json": "{\"x\": "});
    let response = response(stream(&[block(0, &call, &[arguments])], "max_tokens")).await;
    assert_eq!(response.calls()[0].args, Some(&json!("{\"x\": ")));
    let server = Scripted::start(stream(&[], "end_turn")).await;
    let mut request = question();
    let content = response.content.as_ref().expect("a content").clone();
    request.contents.push(content.into());
    drop(server.anthropic(None).send(&request).await);
    let sent = &server.last().body["messages"][1]["content"][0]["input"];
    assert_eq!(sent, &json!({}));
}

#[tokio::test]
async fn a_server_may_not_stream() {
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m-2",
        "content": whole(), "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    let response = response(Answer::json(200, &message.to_string())).await;
    assert_eq!(response.text(), "As found.");
    assert_eq!(response.calls().len(), 2);
    assert_eq!(response.finish, Some(Finish::Stop));
    assert_eq!(response.usage.total, 7);
}

#[tokio::test]
async fn a_connection_that_stays_open_is_left_at_the_last_event() {
    let mut events = events(&[text(0, "a", "b")], "end_turn");
    events.push(json!({"type": "content_block_delta", "index": 9, "delta": {}}));
    let response = response(Answer::named_events(&events)).await;
    assert_eq!(response.text(), "ab");
}

#[tokio::test]
async fn models_have_sizes() {
    let list = json!({"data": [
        {"type": "model", "id": "b", "display_name": "B", "max_input_tokens": 200, "max_tokens": 60},
        {"type": "model", "id": "a"},
    ], "has_more": false});
    let server = Scripted::start(Answer::json(200, &list.to_string())).await;
    let models = server.anthropic(Some("k")).models().await.expect("models");
    let model = |name: &str, title: Option<&str>, input_tokens, output_tokens| ModelInfo {
        name: name.to_owned(),
        title: title.map(str::to_owned),
        input_tokens,
        output_tokens,
    };
    let expected = [
        model("a", None, None, None),
        model("b", Some("B"), Some(200), Some(60)),
    ];
    assert_eq!(models, expected);
    assert_eq!(server.received().line, "GET /v1/models?limit=1000 k");
}

#[tokio::test]
async fn tokens_of_a_stream_that_is_cut_are_counted() {
    let answer = Answer::named_events(&[begin()]);
    let response = response(answer).await;
    assert!(response.is_cut());
    assert_eq!(response.usage.prompt, 240);
    assert_eq!(end("end_turn").len(), 2);
}
