//! Requests recorded from another program, from equivalent entries of a log.

use cogtools_agent::HistorySettings;
use cogtools_log::{CallId, Event, Id, Outcome, ResultEvent, Timestamp, Usage};
use cogtools_model::Request;
use cogtools_test_support::conformance;
use serde_json::{Map, Value, json};

use crate::model::{CacheCall, Caching, lock};
use crate::requests;

/// Where we do better than the program that the cases were recorded from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exception {
    /// It sends calls and results as text, and loses the signatures of calls (ly-7, ly-9): ours
    /// are parts of their own, as the API has them.
    NativeCalls,
    /// It writes the static layer as JSON with a comma too many (all cases): ours is text.
    StaticText,
}

#[test]
fn requests_have_the_recorded_layers() {
    let cases = conformance::recorded("agents/003_layers.jsonl", "layers").unwrap_or_default();
    for case in cases {
        let id = case["id"].as_str().expect("a name");
        let expected = case.get("expected_later").unwrap_or(&case["expected"]);
        let input = &case["input"];
        let model = Caching {
            refuses: input["cache_create_ok"] == false,
            ..Caching::default()
        };
        let (events, task) = entries(input);
        requests::run(&model, events, task.as_deref(), history(input));
        let sent = lock(&model.requests);
        let [request] = sent.as_slice() else {
            panic!("{id}: {} requests", sent.len());
        };
        check_request(id, request, expected, input);
        check_cache(id, &lock(&model.calls), expected);
    }
}

fn check_request(id: &str, request: &Request, expected: &Value, input: &Value) {
    assert_eq!(
        request.cached_content.as_deref(),
        expected["cached_content"].as_str(),
        "{id}"
    );
    let dynamic = json!({"role": "user", "parts": [{"text": expected["dynamic_json"]}]});
    let contents = json!(request.contents);
    let contents = contents.as_array().expect("a list");
    let place = contents.iter().position(|content| *content == dynamic);
    let place = place.unwrap_or_else(|| panic!("{id}: no dynamic layer in {contents:#?}"));
    let mut actual = Vec::new();
    if request.cached_content.is_none() {
        // The cached history that is sent in full belongs to the static layer.
        actual.push(json!({"layer": "static", "string": true}));
    } else {
        assert_eq!(place, 0, "{id}: the cache holds all that comes before");
    }
    actual.push(json!({"layer": "dynamic", "string": true}));
    actual.extend(contents[place + 1..].iter().cloned());
    let signature = raw_content(input).and_then(|raw| signature(&raw));
    let wanted = expected["contents"].as_array().expect("a list");
    let (wanted, exception) = native(wanted, signature.as_deref());
    assert_eq!(actual, wanted, "{id}: {exception:?}");
    let task = expected["current_task"].as_str().unwrap_or_default();
    let last = &contents[contents.len() - 1]["parts"][0]["text"];
    assert!(task.is_empty() || last == task, "{id}");
    check_static(id, request, expected);
}

/// Every kind of instruction is in the static layer; [`Exception::StaticText`].
fn check_static(id: &str, request: &Request, expected: &Value) {
    let why = Exception::StaticText;
    let text = request.system.as_ref().expect("instructions").text();
    for key in expected["static_keys"].as_array().expect("a list") {
        let key = key.as_str().expect("a text");
        let is_there = key == "cached_conversation" || text.contains(&format!("the {key}"));
        assert!(is_there, "{id}: {key} is not in {text} ({why:?})");
    }
}

fn check_cache(id: &str, calls: &[CacheCall], expected: &Value) {
    let created: Vec<Value> = calls
        .iter()
        .map(|call| match call {
            CacheCall::Create(request, ttl) => json!(["create", {
                "system_instruction": request.system.is_some(),
                "tools": request.tools.len(),
                "ttl": format!("{ttl}s"),
                "turns": request.contents.len(),
            }]),
            other => panic!("{id}: {other:?}"),
        })
        .collect();
    let turns = expected["cached_turns"].as_array().map_or(0, Vec::len);
    let wanted = expected["cache_calls"].as_array().expect("a list");
    let wanted = wanted.iter().map(|call| {
        json!([call[0], {
            "system_instruction": call[2].get("system_instruction").is_some(),
            "tools": call[2]["tools"],
            "ttl": call[2]["ttl"],
            "turns": turns,
        }])
    });
    assert_eq!(created, wanted.collect::<Vec<_>>(), "{id}");
}

fn history(input: &Value) -> HistorySettings {
    let limit = input["tool_response_limit"].as_u64().expect("a number");
    HistorySettings {
        whole_results: usize::try_from(limit).expect("small"),
        cache_threshold: input["threshold"].as_u64(),
        cache_ttl: 3600,
        compact_at: None,
        ..HistorySettings::default()
    }
}

/// The entries that are equivalent to the turns of a case, and the task that is given now.
fn entries(input: &Value) -> (Vec<Event>, Option<String>) {
    let turns = input["turns"].as_array().expect("a list");
    let last = turns.last().expect("a turn");
    let current = input["current_instruction"].as_str();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let (turns, task) = if last["type"] == "user_task" {
        (&turns[..turns.len() - 1], Some(text(&last["instruction"])))
    } else {
        (turns.as_slice(), current.map(str::to_owned))
    };
    let is_answer = |turn: &Value| turn["type"] != "user_task" && turn["type"] != "tool_response";
    let newest = turns.iter().rposition(is_answer);
    let mut raw = raw_content(input);
    let mut calls = 0;
    let mut events = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        let raw = if newest == Some(index) {
            raw.take()
        } else {
            None
        };
        calls += usize::from(turn["type"] == "function_calling");
        events.push(entry(turn, raw, calls));
    }
    let tokens = |key: &str| input[key].as_u64().expect("a number");
    let (prompt, cached) = (tokens("prompt_tokens"), tokens("cached_tokens"));
    events.push(Event::Usage(Usage {
        prompt,
        cached,
        ..Usage::default()
    }));
    if cached > 0 {
        // The program that was recorded has lost the cache that these tokens came from.
        events.push(requests::cache(Id::FIRST, Timestamp::from_millis(0)));
    }
    (events, task)
}

fn entry(turn: &Value, raw: Option<Value>, calls: usize) -> Event {
    let response = |content: Value| Event::Response {
        content,
        finish_reason: None,
        model_version: None,
        response_id: None,
        masked: false,
    };
    match turn["type"].as_str().expect("a kind") {
        "user_task" => Event::Task {
            parts: vec![json!({"text": turn["instruction"]})],
        },
        "model_response" => response(
            raw.unwrap_or_else(|| json!({"role": "model", "parts": [{"text": turn["content"]}]})),
        ),
        "function_calling" => {
            let mut part = call(turn["response"].as_str().expect("a text"));
            if let Some(signature) = raw.as_ref().and_then(signature) {
                part["thoughtSignature"] = signature.into();
            }
            response(json!({"role": "model", "parts": [part]}))
        }
        "tool_response" => Event::Result(ResultEvent::new(
            CallId::new(format!("call-{calls}")),
            Outcome::Succeeded,
            json!({"output": turn["response"]["message"]}),
        )),
        kind => panic!("no kind of turn: {kind}"),
    }
}

/// The content of the last response as the provider sent it, with the API's names.
fn raw_content(input: &Value) -> Option<Value> {
    let raw: Value = serde_json::from_str(input["raw_response"].as_str()?).expect("JSON");
    let mut content = raw.pointer("/candidates/0/content")?.clone();
    for part in content["parts"].as_array_mut().expect("a list") {
        let fields = part.as_object_mut().expect("a map");
        for (ours, theirs) in [
            ("thoughtSignature", "thought_signature"),
            ("functionCall", "function_call"),
        ] {
            if let Some(value) = fields.remove(theirs) {
                fields.insert(ours.to_owned(), value);
            }
        }
    }
    Some(content)
}

fn signature(content: &Value) -> Option<String> {
    let parts = content["parts"].as_array()?;
    let mut signatures = parts
        .iter()
        .filter_map(|part| part["thoughtSignature"].as_str());
    signatures.next().map(str::to_owned)
}

/// The call in a text such as `tool({"a":1})`.
fn call(text: &str) -> Value {
    let (name, args) = text.split_once('(').expect("a call");
    let args: Value = serde_json::from_str(args.trim_end_matches(')')).expect("JSON");
    json!({"functionCall": {"name": name, "args": args}})
}

/// Converts `contents` to the form that we send: calls and results as parts, with the signature of
/// the last response. Signatures are in the alphabet that the provider has used.
fn native(contents: &[Value], signature: Option<&str>) -> (Vec<Value>, Option<Exception>) {
    let mut exception = None;
    let mut name = String::new();
    let mut contents = contents.to_vec();
    let is_last_answer = contents
        .iter()
        .rposition(|content| content["role"] == "model");
    for (index, content) in contents.iter_mut().enumerate() {
        for part in content
            .get_mut("parts")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(text) = part.get("thoughtSignature").and_then(Value::as_str) {
                part["thoughtSignature"] = text.replace('-', "+").replace('_', "/").into();
            }
            let text = part["text"].as_str().unwrap_or_default().to_owned();
            if let Some(text) = text.strip_prefix("Function Call: ") {
                exception = Some(Exception::NativeCalls);
                *part = call(text);
                let called = part["functionCall"]["name"].as_str();
                called.expect("a name").clone_into(&mut name);
                if let Some(signature) = signature.filter(|_| is_last_answer == Some(index)) {
                    part["thoughtSignature"] = signature.into();
                }
            } else if text.starts_with("Tool Response (") {
                exception = Some(Exception::NativeCalls);
                let message = text.split('\'').nth(3).expect("a message");
                let response: Map<String, Value> = [("output".to_owned(), message.into())]
                    .into_iter()
                    .collect();
                *part = json!({"functionResponse": {"name": name, "response": response}});
            }
        }
    }
    (contents, exception)
}
