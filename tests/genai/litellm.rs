//! `LiteLLM` in front of the fake: a server with the API of `OpenAI` for other tests.

use cogtools_test_support::{FakeGemini, LiteLlm, Project, Turn};
use serde_json::{Value, json};

use super::cache;
use crate::run;

/// A tool that a model can call.
pub(super) const ADD: &str = "\
name: add
description: Adds two numbers
parameters:
  a: number
  b: number
examples:
  - {a: 1, b: 2}
implementation: '{{ a + b }}'
";

#[test]
fn an_agent_calls_a_tool_through_it() {
    let project = Project::new();
    project.file("tools/add.yaml", ADD);
    let fake = FakeGemini::start([
        Turn::call("add", json!({ "a": 1, "b": 2 })),
        Turn::texts(["It is ", "3."]),
    ]);
    let server = LiteLlm::start(&cache(), &fake);
    run("cogtools-ask", &project)
        .env("OPENAI_BASE_URL", server.url())
        .args(["--provider=openai", "--model", LiteLlm::MODEL])
        .args(["-q", "What is 1 + 2?"])
        .limit(std::time::Duration::from_mins(1))
        .run()
        .outputs("It is 3.\n");
    drop(server);
    let conversation = fake.finish();
    let response = &conversation.main()[1].responses()[0]["response"];
    assert!(response.to_string().contains('3'), "{response}");
}

#[test]
fn an_agent_calls_a_tool_through_its_messages_api() {
    let project = Project::new();
    project.file("tools/add.yaml", ADD);
    let fake = FakeGemini::start([
        Turn::call("add", json!({ "a": 1, "b": 2 })),
        Turn::texts(["It is ", "3."]),
    ]);
    let server = LiteLlm::start(&cache(), &fake);
    run("cogtools-ask", &project)
        .env("ANTHROPIC_BASE_URL", server.url().trim_end_matches("/v1"))
        .args(["--provider=anthropic", "--model", LiteLlm::MODEL])
        .args(["-q", "What is 1 + 2?"])
        .limit(std::time::Duration::from_mins(1))
        .run()
        .outputs("It is 3.\n");
    drop(server);
    let conversation = fake.finish();
    let response = &conversation.main()[1].responses()[0]["response"];
    assert!(response.to_string().contains('3'), "{response}");
}

fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn a_tool_is_called_through_it() {
    let fake = FakeGemini::start([
        Turn::call("add", json!({ "a": 1, "b": 2 })),
        Turn::text("It is 3."),
        Turn::texts(["Not at ", "all."]),
    ]);
    let server = LiteLlm::start(&cache(), &fake);
    let parameters = json!({
        "type": "object",
        "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
        "required": ["a", "b"],
    });
    let function = json!({ "name": "add", "description": "Adds", "parameters": parameters });
    let request = |messages: &[Value], is_stream: bool| {
        json!({
            "model": LiteLlm::MODEL,
            "messages": messages,
            "tools": [{ "type": "function", "function": function }],
            "stream": is_stream,
        })
    };
    let mut messages = vec![json!({ "role": "user", "content": "1+2" })];
    let (status, body) = server.complete(&request(&messages, false));
    assert_eq!(status, 200, "{body}");
    let choice = parsed(&body)["choices"][0].clone();
    assert_eq!(choice["finish_reason"], "tool_calls", "{body}");
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!(call["function"]["name"], "add");
    let arguments = call["function"]["arguments"].as_str().map(parsed);
    assert_eq!(arguments, Some(json!({ "a": 1, "b": 2 })));

    messages.push(choice["message"].clone());
    messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "3" }));
    let (status, body) = server.complete(&request(&messages, false));
    assert_eq!(status, 200, "{body}");
    let message = parsed(&body)["choices"][0]["message"].clone();
    assert_eq!(message["content"], "It is 3.");

    messages.push(message);
    messages.push(json!({ "role": "user", "content": "thanks" }));
    let (status, body) = server.complete(&request(&messages, true));
    assert_eq!(status, 200, "{body}");
    let events = body
        .split_terminator("\n\n")
        .filter_map(|event| event.strip_prefix("data: "));
    let events: Vec<&str> = events.collect();
    assert_eq!(events.last(), Some(&"[DONE]"), "{body}");
    let pieces = events
        .iter()
        .filter(|event| **event != "[DONE]")
        .map(|event| parsed(event));
    let pieces = pieces.map(|event| event["choices"][0]["delta"]["content"].clone());
    let text: String = pieces
        .filter_map(|piece| piece.as_str().map(str::to_owned))
        .collect();
    assert_eq!(text, "Not at all.");
    drop(server);
    fake.finish();
}
