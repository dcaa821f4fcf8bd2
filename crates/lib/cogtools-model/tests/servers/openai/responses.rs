//! Responses: deltas of every dialect.

use cogtools_model::{
    Content, Finish, FunctionCall, Model as _, ModelInfo, Part, Request, Response, Usage,
};
use serde_json::{Value, json};

use crate::server::{Answer, Scripted, ask, question};

async fn response(answer: Answer) -> Response {
    let server = Scripted::start(answer).await;
    ask(&server.model(None)).await.expect("a response")
}

/// The calls of a response with these events: identifier, name, arguments.
async fn calls(events: &[&str]) -> Vec<(Option<String>, String, Value)> {
    let response = response(Answer::events(events)).await;
    assert_eq!(response.finish, Some(Finish::Stop), "{events:?}");
    let calls = response.calls().into_iter();
    let call = |call: FunctionCall<'_>| {
        let args = call.args.cloned().unwrap_or_default();
        (call.id.map(str::to_owned), call.name.to_owned(), args)
    };
    calls.map(call).collect()
}

fn expected(id: &str, name: &str, args: Value) -> (Option<String>, String, Value) {
    (Some(id.to_owned()), name.to_owned(), args)
}

#[tokio::test]
async fn text_arrives_in_deltas() {
    let response = response(Answer::events(&[
        r#"{"id":"r1","model":"m-2","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
        r#"{"id":"r1","model":"m-2","choices":[{"delta":{"content":"Good "}}],"usage":null}"#,
        r#"{"choices":[{"delta":{"content":"day"},"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":7,"total_tokens":17,
            "prompt_tokens_details":{"cached_tokens":4},
            "completion_tokens_details":{"reasoning_tokens":2}}}"#
            .replace('\n', "")
            .as_str(),
        "[DONE]",
        "not read",
    ]))
    .await;
    assert_eq!(response.text(), "Good day");
    assert_eq!(response.finish, Some(Finish::Stop));
    assert_eq!(response.model_version.as_deref(), Some("m-2"));
    assert_eq!(response.id.as_deref(), Some("r1"));
    let usage = Usage {
        prompt: 10,
        cached: 4,
        written: 0,
        output: 5,
        thoughts: 2,
        total: 17,
    };
    assert_eq!(response.usage, usage);
}

#[tokio::test]
async fn thoughts_have_two_names() {
    for key in ["reasoning_content", "reasoning"] {
        let thought = format!(r#"{{"choices":[{{"delta":{{"{key}":"Hm. "}}}}]}}"#);
        let response = response(Answer::events(&[
            &thought,
            r#"{"choices":[{"delta":{"reasoning_content":"So.","reasoning":"So."}}]}"#,
            r#"{"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ]))
        .await;
        assert_eq!(
            (response.thoughts(), response.text()),
            ("Hm. So.".into(), "Yes".into())
        );
    }
}

#[tokio::test]
async fn calls_arrive_in_pieces() {
    let found = calls(&[
        r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"i1","type":"function","function":{"name":"a","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"i2","function":{"name":"b","arguments":"{"}},{"index":0,"function":{"arguments":": 1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"i2","function":{"name":"b","arguments":"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ])
    .await;
    assert_eq!(
        found,
        [
            expected("i1", "a", json!({"x": 1})),
            expected("i2", "b", json!({}))
        ]
    );
}

#[tokio::test]
async fn calls_arrive_whole() {
    let whole = |index: &str| {
        let call = |id: &str, arguments: &str| {
            format!(
                r#"{{{index}"id":"{id}","type":"function","function":{{"name":"a","arguments":{arguments}}}}}"#
            )
        };
        let first = call("i1", r#""{\"x\":1}""#);
        let second = call("i2", r#"{"x":2}"#);
        format!(
            r#"{{"choices":[{{"delta":{{"role":"assistant","tool_calls":[{first},{second}]}},"finish_reason":"stop"}}]}}"#
        )
    };
    let pair = [
        expected("i1", "a", json!({"x": 1})),
        expected("i2", "a", json!({"x": 2})),
    ];
    for index in ["", r#""index":0,"#] {
        // The last event may be missing.
        assert_eq!(calls(&[&whole(index)]).await, pair);
        assert_eq!(calls(&[&whole(index), "[DONE]"]).await, pair);
    }
    // The index says which is which, whatever a server takes for an identifier.
    let same =
        whole(r#""index":0,"#).replacen(r#""index":0,"id":"i1""#, r#""index":1,"id":"i2""#, 1);
    let same_id = ["i2", "i2"].map(|id| expected(id, "a", json!(null)).0);
    let found = calls(&[&same]).await;
    let (ids, args): (Vec<_>, Vec<_>) = found.into_iter().map(|(id, _, args)| (id, args)).unzip();
    assert_eq!(ids, same_id);
    assert_eq!(args, [json!({"x": 1}), json!({"x": 2})]);
    let broken = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{\"x"}}]},"finish_reason":"tool_calls"}]}"#;
    assert_eq!(
        calls(&[broken]).await,
        [(None, "a".to_owned(), json!("{\"x"))]
    );
}

#[tokio::test]
async fn an_end_has_many_reasons() {
    for (reason, finish) in [
        ("stop", "STOP"),
        ("tool_calls", "STOP"),
        ("function_call", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("new_reason", "new_reason"),
    ] {
        let end =
            format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"finish_reason":"{reason}"}}]}}"#);
        let response = response(Answer::events(&[&end, "[DONE]"])).await;
        assert_eq!(response.finish.as_ref().map(Finish::as_str), Some(finish));
    }
    // These break off.
    for reason in [
        "error",
        "insufficient_system_resource",
        "network_error",
        "abort",
    ] {
        let event =
            format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"finish_reason":"{reason}"}}]}}"#);
        let response = response(Answer::events(&[&event, "[DONE]"])).await;
        assert_eq!(response.finish, None, "{reason}");
    }
    let refusal = r#"{"choices":[{"delta":{"refusal":"I cannot."},"finish_reason":"stop"}]}"#;
    let refused = response(Answer::events(&[refusal, "[DONE]"])).await;
    assert_eq!(refused.text(), "I cannot.");
    assert_eq!(
        refused.finish.as_ref(),
        Some(&Finish::Refused("refusal".to_owned()))
    );
    let text = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let done = response(Answer::events(&[text, "[DONE]"])).await;
    assert_eq!(done.finish, Some(Finish::Stop));
    // Cut: the caller sees that there is no reason, and no call that may be incomplete.
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"a"}}]}}]}"#;
    let cut = response(Answer::events(&[text, call])).await;
    assert_eq!((cut.finish.is_some(), cut.calls().len()), (false, 0));
}

#[tokio::test]
async fn a_server_may_not_stream() {
    let response = response(Answer::json(
        200,
        r#"{"id":"r","model":"m","choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"a"}],
        "tool_calls":[{"id":"i","type":"function","function":{"name":"t","arguments":"{}"}}]},
        "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,
        "prompt_cache_hit_tokens":1}}"#,
    ))
    .await;
    assert_eq!(response.text(), "a");
    assert_eq!(response.calls().len(), 1);
    assert_eq!(response.finish, Some(Finish::Stop));
    let usage = response.usage;
    assert_eq!((usage.prompt, usage.cached, usage.total), (1, 1, 3));
}

#[tokio::test]
async fn models_are_listed() {
    let server = Scripted::start(Answer::json(
        200,
        r#"{"object":"list","data":[{"id":"z","max_model_len":32768},{"id":"b"},
        {"id":"a","name":"A","context_length":8192},{"object":"model"}]}"#,
    ))
    .await;
    let models = server.model(Some("k3y")).models().await.expect("models");
    let model = |name: &str, title: Option<&str>, input_tokens| ModelInfo {
        name: name.to_owned(),
        title: title.map(str::to_owned),
        input_tokens,
        output_tokens: None,
    };
    let expected = [
        model("a", Some("A"), Some(8192)),
        model("b", None, None),
        model("z", None, Some(32_768)),
    ];
    assert_eq!(models, expected);
    assert_eq!(server.received().line, "GET /v1/models Bearer k3y");
}

#[tokio::test]
async fn a_message_goes_back_as_it_came() {
    let deltas = [
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"Hm"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_content":"m.","reasoning_details":[{"type":"reasoning.text","text":"H","format":"f","index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"m.","format":"f","index":0},{"type":"reasoning.encrypted","data":"x","index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"content":"I ","provider_specific_fields":{"a":1}}}]}"#,
        r#"{"choices":[{"delta":{"content":"look.","tool_calls":[{"index":0,"id":"i1","type":"function","function":{"name":"a","arguments":"{\"x\""},"extra_content":{"google":{"thought_signature":"sig="}}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":" : 1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ];
    let message = json!({
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Hmm.",
        "reasoning_details": [
            {"type": "reasoning.text", "text": "Hm.", "format": "f", "index": 0},
            {"type": "reasoning.encrypted", "data": "x", "index": 0},
        ],
        "provider_specific_fields": {"a": 1},
        "tool_calls": [{
            "id": "i1", "type": "function",
            "function": {"name": "a", "arguments": "{\"x\" : 1}"},
            "extra_content": {"google": {"thought_signature": "sig="}},
        }],
    });
    let response = response(Answer::events(&deltas)).await;
    let content = response.content.as_ref().expect("a content");
    // The log has it, and a session that is read again sends it.
    let logged = content.to_log();
    assert_eq!(logged["message"], message);
    let content = Content::from_wire(logged).expect("a content");
    assert!(
        !json!(content).to_string().contains("sig="),
        "not for Gemini"
    );
    let call = response.parts().iter().find(|part| part.call().is_some());
    let call = call.and_then(Part::call).expect("a call");
    let result = Part::result_of(&call, json!({"output": "done"}));
    let request = Request {
        contents: vec![
            Content::user(vec![Part::text_of("Hi")]).into(),
            content.into(),
            Content::user(vec![result]).into(),
        ],
        ..question()
    };
    let server = Scripted::start(Answer::events(&["[DONE]"])).await;
    drop(server.model(None).send(&request).await.expect("chunks"));
    let sent = server.received().body;
    assert_eq!(sent["messages"][1], message);
    assert_eq!(sent["messages"][2]["tool_call_id"], "i1");
}

#[tokio::test]
async fn arguments_that_are_not_json_do_not_go_back() {
    let broken = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"i","function":{"name":"a","arguments":"{\"x"}}]},"finish_reason":"tool_calls"}]}"#;
    let content = response(Answer::events(&[broken])).await;
    let mut logged = content.content.as_ref().expect("a content").to_log();
    assert_eq!(
        logged["message"]["tool_calls"][0]["function"]["arguments"],
        "{\"x"
    );
    logged["parts"][0]["functionCall"]["args"] = json!({});
    let request = Request {
        contents: vec![Content::from_wire(logged).expect("a content").into()],
        ..question()
    };
    let server = Scripted::start(Answer::events(&["[DONE]"])).await;
    drop(server.model(None).send(&request).await.expect("chunks"));
    let call = &server.received().body["messages"][0]["tool_calls"][0];
    assert_eq!(call["function"], json!({"name": "a", "arguments": "{}"}));
}
