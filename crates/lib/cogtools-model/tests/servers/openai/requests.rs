//! Requests.

use std::sync::Arc;

use cogtools_model::{Content, Generation, Model as _, Part, Request, Role, ToolMode};
use serde_json::{Value, json};

use crate::server::{Answer, Scripted, question};

/// The body that is sent for `request`.
async fn body(request: &Request) -> Value {
    let server = Scripted::start(Answer::events(&["[DONE]"])).await;
    let sent = server.model(None).send(request).await;
    drop(sent.expect("chunks"));
    let received = server.received();
    assert_eq!(received.line, "POST /v1/chat/completions -");
    received.body
}

/// Asserts that the body for `request` has these fields besides the usual ones of a question.
#[track_caller]
fn assert_adds(body: &Value, fields: &Value) {
    let mut expected = json!({
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": true,
        "stream_options": {"include_usage": true},
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
    let schema = json!({"type": "object"});
    let request = Request {
        generation: Generation {
            temperature: Some(0.5),
            seed: Some(7),
            max_output_tokens: Some(100),
            stop_sequences: vec!["END".to_owned()],
            response_json_schema: Some(schema.clone()),
            include_thoughts: true,
            ..Generation::default()
        },
        ..question()
    };
    let format =
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
    assert_adds(
        &body(&request).await,
        &json!({
            "temperature": 0.5, "seed": 7, "max_tokens": 100, "stop": ["END"],
            "response_format": format,
        }),
    );
}

#[tokio::test]
async fn tools_are_functions() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let declarations = json!([
        {"name": "first", "description": "d", "parameters": {}, "parametersJsonSchema": schema},
        {"name": "second", "parameters": schema},
        {"name": "third"},
    ]);
    let request = |mode| Request {
        tools: Arc::new(declarations.as_array().expect("a list").clone()),
        mode,
        ..question()
    };
    let empty = json!({"type": "object", "properties": {}});
    let functions = [
        json!({"name": "first", "description": "d", "parameters": schema}),
        json!({"name": "second", "parameters": schema}),
        json!({"name": "third", "parameters": empty}),
    ];
    let tools = functions.map(|function| json!({"type": "function", "function": function}));
    for (mode, expected) in [
        (ToolMode::Auto, json!({"tools": tools})),
        (
            ToolMode::None,
            json!({"tools": tools, "tool_choice": "none"}),
        ),
        (
            ToolMode::Any(vec![]),
            json!({"tools": tools, "tool_choice": "required"}),
        ),
        (ToolMode::Validated(vec![]), json!({"tools": tools})),
        (
            ToolMode::Any(vec!["second".to_owned()]),
            json!({"tools": [tools[1]], "tool_choice": "required"}),
        ),
    ] {
        assert_adds(&body(&request(mode)).await, &expected);
    }
}

#[tokio::test]
async fn results_follow_their_calls() {
    let call = |id, name, args| Part::call_of(id, name, args);
    let calls = vec![
        Part::text_of("I look "),
        Part::text_of("it up."),
        call(Some("id1"), "a", json!({"x": 1})),
        call(None, "b", json!("{\"x\": ")),
        call(None, "b", json!({})),
    ];
    let result = |part: &Part, response| Part::result_of(&part.call().expect("a call"), response);
    let results = vec![
        result(&calls[2], json!({"output": "text"})),
        result(&calls[3], json!({"error": "not JSON"})),
        result(&calls[4], json!({"output": {"n": 1}})),
        Part::text_of("And now?"),
    ];
    let request = Request {
        system: Some(Content::system("Be brief.").into()),
        contents: vec![
            Content::user(vec![Part::text_of("Hi"), Part::text_of("there")]).into(),
            Content::new(Role::Model, calls).into(),
            Content::user(results).into(),
            Content::new(Role::Model, vec![]).into(),
            Content::new(Role::Model, vec![Part::text_of("Done.")]).into(),
        ],
        ..question()
    };
    let function = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi\n\nthere"},
        {"role": "assistant", "content": "I look it up.", "tool_calls": [
            function("id1", "a", "{\"x\":1}"),
            function("call00002", "b", "{\"x\": "),
            function("call00003", "b", "{}"),
        ]},
        {"role": "tool", "tool_call_id": "id1", "content": "text"},
        {"role": "tool", "tool_call_id": "call00002", "content": "{\"error\":\"not JSON\"}"},
        {"role": "tool", "tool_call_id": "call00003", "content": "{\"n\":1}"},
        // Mistral refuses a user that speaks after a tool.
        {"role": "assistant", "content": "(interrupted)"},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "Done."},
    ]);
    assert_adds(&body(&request).await, &json!({"messages": messages}));
}

/// The checks of the chat templates of Mistral (Small 3.1) and Gemma (3) before they render. Gemma's has
/// no tools: all of its messages alternate.
fn check_as_templates_do(messages: &[Value], has_tools: bool) -> Result<(), String> {
    let is_of_calls = |message: &&Value| {
        has_tools && (message["role"] == "tool" || message.get("tool_calls").is_some())
    };
    let is_id = |id: &Value| {
        let id = id.as_str().unwrap_or_default();
        id.len() >= 9 && id.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let rest = &messages[usize::from(messages[0]["role"] == "system")..];
    for (index, message) in rest.iter().filter(|it| !is_of_calls(it)).enumerate() {
        if (message["role"] == "user") != (index % 2 == 0) {
            return Err(format!("roles must alternate: {message}"));
        }
    }
    let calls = rest.iter().filter_map(|it| it["tool_calls"].as_array());
    let called = calls.flatten().map(|call| &call["id"]);
    let answered = rest.iter().filter_map(|it| it.get("tool_call_id"));
    match called.chain(answered).find(|id| !is_id(id)) {
        Some(id) => Err(format!(
            "identifiers have at least 9 letters and digits: {id}"
        )),
        None => Ok(()),
    }
}

#[tokio::test]
async fn templates_of_mistral_and_gemma_accept_a_conversation_of_20_turns() {
    for has_tools in [true, false] {
        let text = |text: &str| Part::text_of(text);
        // The state of the world comes before the first task.
        let mut contents: Vec<Arc<Content>> = vec![Content::user(vec![text("{}")]).into()];
        let mut add = |content: Content| contents.push(content.into());
        for turn in 0..20 {
            add(Content::user(vec![text(&format!("Task {turn}"))]));
            if has_tools {
                let call = Part::call_of(None, "a", json!({ "turn": turn }));
                let result = Part::result_of(&call.call().expect("a call"), json!({"output": 1}));
                add(Content::new(Role::Model, vec![text("I look."), call]));
                add(Content::user(vec![result]));
            }
            add(Content::new(Role::Model, vec![text("Done.")]));
            if turn % 5 == 4 {
                // A task that was stopped, and a note after an answer.
                add(Content::user(vec![text("Stop")]));
            }
        }
        add(Content::user(vec![text("And now?")]));
        let request = Request {
            system: Some(Content::system("Be brief.").into()),
            contents,
            ..question()
        };
        let body = body(&request).await;
        let messages = body["messages"].as_array().expect("messages");
        assert_eq!(check_as_templates_do(messages, has_tools), Ok(()));
    }
}

#[tokio::test]
async fn files_are_data_urls() {
    let data = |kind: &str| Part::data_of(kind, "QQ==");
    let parts = ["image/png", "audio/wav", "audio/mpeg", "application/pdf"].map(data);
    let mut parts = parts.to_vec();
    parts.insert(0, Part::text_of("See:"));
    let request = Request {
        contents: vec![Content::user(parts).into()],
        ..question()
    };
    let content = json!([
        {"type": "text", "text": "See:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "mp3"}},
        {"type": "file", "file": {
            "filename": "file.pdf", "file_data": "data:application/pdf;base64,QQ==",
        }},
    ]);
    let messages = json!([{"role": "user", "content": content}]);
    assert_adds(&body(&request).await, &json!({"messages": messages}));
}

#[tokio::test]
async fn a_file_in_a_result_is_named() {
    let result = json!({"role": "user", "parts": [{"functionResponse": {
        "id": "a", "name": "shot", "response": {"output": {"width": 1}},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": "QQ=="}}],
    }}]});
    let request = Request {
        contents: vec![
            Content::new(
                Role::Model,
                vec![Part::call_of(Some("a"), "shot", json!({}))],
            )
            .into(),
            Content::from_wire(result).expect("a content").into(),
        ],
        ..question()
    };
    let sent = &body(&request).await["messages"][1]["content"];
    let sent: Value = serde_json::from_str(sent.as_str().expect("text")).expect("JSON");
    let omitted = "[not shown: image/png; this model takes no such files in results]";
    assert_eq!(sent, json!({"output": {"width": 1}, "omitted": omitted}));
}

#[tokio::test]
async fn there_are_no_explicit_caches() {
    let server = Scripted::start(Answer::events(&[])).await;
    let model = server.model(None);
    assert!(model.caches().is_none());
    let request = Request {
        cached_content: Some("cachedContents/1".to_owned()),
        ..question()
    };
    let error = model.send(&request).await.err().expect("an error");
    assert_eq!(
        error.to_string(),
        "the provider does not support explicit caches"
    );
}

#[tokio::test]
async fn neighbouring_messages_of_one_role_are_one() {
    let text = |role, text: &str| Content::new(role, vec![Part::text_of(text)]).into();
    let image = Part::data_of("image/png", "QQ==");
    let request = Request {
        contents: vec![
            text(Role::User, "It is noon."),
            text(Role::User, "Hi"),
            text(Role::Model, "Hello"),
            text(Role::Model, "there."),
            text(Role::User, "See:"),
            Content::user(vec![image]).into(),
        ],
        ..question()
    };
    let messages = json!([
        {"role": "user", "content": "It is noon.\n\nHi"},
        {"role": "assistant", "content": "Hello\n\nthere."},
        {"role": "user", "content": [
            {"type": "text", "text": "See:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
        ]},
    ]);
    assert_adds(&body(&request).await, &json!({"messages": messages}));
}
