//! Requests.

use std::sync::Arc;

use cogtools_model::{Content, Generation, Model as _, Part, Request, Role, ToolMode};
use serde_json::{Value, json};

use super::stream;
use crate::server::{Scripted, question};

/// The body that is sent for `request`.
async fn body(request: &Request) -> Value {
    let server = Scripted::start(stream(&[], "end_turn")).await;
    let sent = server.anthropic(Some("k")).send(request).await;
    drop(sent.expect("chunks"));
    let received = server.received();
    assert_eq!(received.line, "POST /v1/messages k");
    received.body
}

/// `block` as the end of a part that is cached.
fn marked(mut block: Value) -> Value {
    block["cache_control"] = json!({"type": "ephemeral"});
    block
}

/// Asserts that the body for `request` has these fields besides the usual ones of a question.
#[track_caller]
fn assert_adds(body: &Value, fields: &Value) {
    let mut expected = json!({
        "model": "m",
        "max_tokens": 32_000,
        "messages": [{"role": "user", "content": [marked(json!({"type": "text", "text": "Hi"}))]}],
        "stream": true,
    });
    for (key, value) in fields.as_object().expect("fields") {
        expected[key] = value.clone();
    }
    assert_eq!(body, &expected);
}

#[tokio::test]
async fn a_question_is_small() {
    assert_adds(&body(&question()).await, &json!({}));
}

#[tokio::test]
async fn the_generation_has_other_names() {
    let schema = json!({"type": "object", "properties": {
        "type": {"type": "object", "enum": [{"type": "object"}]},
        "list": {"type": "array", "items": {"type": "object", "additionalProperties": true}},
    }});
    let request = Request {
        generation: Generation {
            temperature: Some(0.5),
            seed: Some(7),
            max_output_tokens: Some(100),
            stop_sequences: vec!["END".to_owned()],
            response_json_schema: Some(schema),
            include_thoughts: true,
            ..Generation::default()
        },
        ..question()
    };
    let closed = json!({"type": "object", "additionalProperties": false, "properties": {
        "type": {"type": "object", "enum": [{"type": "object"}], "additionalProperties": false},
        "list": {"type": "array", "items": {"type": "object", "additionalProperties": true}},
    }});
    assert_adds(
        &body(&request).await,
        &json!({
            "temperature": 0.5, "max_tokens": 100, "stop_sequences": ["END"],
            "output_config": {"format": {"type": "json_schema", "schema": closed}},
        }),
    );
}

#[tokio::test]
async fn a_level_of_thinking_depends_on_the_model() {
    let enabled = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    let disabled = json!({"type": "disabled"});
    for (model, level, thinking, effort) in [
        ("claude-sonnet-4-5", json!("low"), enabled(2048), None),
        (
            "claude-sonnet-4-20250514",
            json!("medium"),
            enabled(8192),
            None,
        ),
        (
            "anthropic/claude-opus-4.1",
            json!("high"),
            enabled(16_384),
            None,
        ),
        (
            "claude-3-7-sonnet-latest",
            json!("max"),
            enabled(30_000),
            None,
        ),
        (
            "claude-opus-4-6",
            json!("high"),
            adaptive.clone(),
            Some("high"),
        ),
        (
            "claude-opus-5-5",
            json!("xhigh"),
            adaptive.clone(),
            Some("xhigh"),
        ),
        (
            "claude-sonnet-5",
            json!("minimal"),
            adaptive.clone(),
            Some("low"),
        ),
        ("claude-sonnet-5", json!(5000), enabled(5000), None),
        ("claude-sonnet-5", json!("off"), disabled.clone(), None),
        (
            "claude-sonnet-5",
            json!({"type": "x"}),
            json!({"type": "x"}),
            None,
        ),
    ] {
        let mut request = question();
        model.clone_into(&mut request.model);
        request.generation.include_thoughts = true;
        let rest = &mut request.generation.rest;
        rest.insert("thinking".to_owned(), level.clone());
        rest.insert("top_k".to_owned(), json!(3));
        let mut fields = json!({"model": model, "thinking": thinking, "top_k": 3});
        if let Some(effort) = effort {
            fields["output_config"] = json!({"effort": effort});
        }
        assert_adds(&body(&request).await, &fields);
    }
}

#[tokio::test]
async fn tools_have_an_input_schema() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let declarations = json!([
        {"name": "first", "description": "d", "parameters": {}, "parametersJsonSchema": schema},
        {"name": "second"},
    ]);
    let request = |mode| Request {
        tools: Arc::new(declarations.as_array().expect("a list").clone()),
        mode,
        system: Some(Content::system("Be brief.").into()),
        ..question()
    };
    let empty = json!({"type": "object", "properties": {}});
    let first = json!({"name": "first", "description": "d", "input_schema": schema});
    let second = marked(json!({"name": "second", "input_schema": empty}));
    let system = json!([marked(json!({"type": "text", "text": "Be brief."}))]);
    let both = json!([first, second]);
    for (mode, tools, choice) in [
        (ToolMode::Auto, &both, None),
        (ToolMode::Validated(vec![]), &both, None),
        (ToolMode::None, &both, Some(json!({"type": "none"}))),
        (ToolMode::Any(vec![]), &both, Some(json!({"type": "any"}))),
        (
            ToolMode::Any(vec!["second".to_owned()]),
            &json!([second]),
            Some(json!({"type": "tool", "name": "second"})),
        ),
    ] {
        let mut fields = json!({"system": system, "tools": tools});
        if let Some(choice) = choice {
            fields["tool_choice"] = choice;
        }
        assert_adds(&body(&request(mode)).await, &fields);
    }
}

#[tokio::test]
async fn results_come_first_and_neighbours_are_joined() {
    let calls = vec![
        Part::text_of("I look "),
        Part::text_of("it up."),
        Part::call_of(Some("id1"), "a", json!({"x": 1})),
        Part::call_of(None, "b", json!("{\"x\": ")),
    ];
    let result = |part: &Part, response| Part::result_of(&part.call().expect("a call"), response);
    let results = vec![
        Part::data_of("image/png", "QQ=="),
        result(&calls[2], json!({"output": "text"})),
        result(&calls[3], json!({"error": "not JSON", "code": "X"})),
    ];
    let with_image = Content::from_wire(json!({"role": "user", "parts": [{"functionResponse": {
        "id": "id3", "name": "c", "response": {"output": "seen"},
        "parts": [
            {"inlineData": {"mimeType": "image/png", "data": "QQ=="}},
            {"inlineData": {"mimeType": "image/heic", "data": "QQ=="}},
        ],
    }}]}));
    let request = Request {
        contents: vec![
            Content::user(vec![Part::text_of("Hi")]).into(),
            Content::user(vec![Part::text_of("there"), Part::text_of(" ")]).into(),
            Content::new(Role::Model, calls).into(),
            Content::user(results).into(),
            Content::user(vec![Part::text_of("And now?")]).into(),
            Content::new(Role::Model, vec![]).into(),
            Content::new(
                Role::Model,
                vec![Part::call_of(Some("id3"), "c", json!({}))],
            )
            .into(),
            with_image.expect("a content").into(),
            Content::user(vec![
                Part::data_of("application/pdf", "QQ=="),
                Part::url_of(None, "https://a.example/x.png"),
            ])
            .into(),
        ],
        ..question()
    };
    let image = json!({"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let tool =
        |name: &str| json!({"name": name, "input_schema": {"type": "object", "properties": {}}});
    let url = json!({"type": "image",
        "source": {"type": "url", "url": "https://a.example/x.png"}});
    let messages = json!([
        {"role": "user", "content": [text("Hi"), text("there")]},
        {"role": "assistant", "content": [
            text("I look it up."), call("id1", "a", json!({"x": 1})),
            call("call00002", "b", json!({})),
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "id1", "content": "text"},
            {"type": "tool_result", "tool_use_id": "call00002", "is_error": true,
                "content": "{\"error\":\"not JSON\",\"code\":\"X\"}"},
            image,
            marked(text("And now?")),
        ]},
        {"role": "assistant", "content": [call("id3", "c", json!({}))]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "id3", "content": [
                text("seen\n\n[not shown: image/heic; this model takes no such files in results]"),
                image,
            ]},
            {"type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="}},
            marked(url),
        ]},
    ]);
    // Tools of the conversation are declared, even if none may be called.
    let tools = json!([tool("a"), tool("b"), marked(tool("c"))]);
    assert_adds(
        &body(&request).await,
        &json!({"messages": messages, "tools": tools, "tool_choice": {"type": "none"}}),
    );
}

#[tokio::test]
async fn at_most_four_parts_are_marked_and_a_conversation_keeps_its_beginning() {
    let mut request = Request {
        system: Some(Content::system("Be brief.").into()),
        tools: Arc::new(vec![json!({"name": "a"})]),
        ..question()
    };
    let mut last = String::new();
    for turn in 0..20 {
        let text = body(&request).await.to_string();
        assert!(text.matches("cache_control").count() <= 4, "{text}");
        let plain = text.replace(r#","cache_control":{"type":"ephemeral"}"#, "");
        let end = plain.find(r#"],"stream""#).expect("the end");
        assert!(plain.starts_with(&last), "{plain}");
        plain[..end].clone_into(&mut last);
        let say = |role, text: String| Arc::new(Content::new(role, vec![Part::text_of(text)]));
        request
            .contents
            .push(say(Role::Model, format!("Done {turn}.")));
        request
            .contents
            .push(say(Role::User, format!("Task {turn}")));
    }
}

#[tokio::test]
async fn a_file_that_the_api_does_not_read_is_an_error() {
    let mut request = question();
    request.contents = vec![Content::user(vec![Part::data_of("audio/wav", "QQ==")]).into()];
    let server = Scripted::start(stream(&[], "end_turn")).await;
    let error = server.anthropic(None).send(&request).await.err();
    let error = error.expect("an error").to_string();
    assert_eq!(
        error,
        "the provider does not support files other than images and PDF"
    );
    assert_eq!(server.count(), 0);
}
