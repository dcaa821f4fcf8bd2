//! The body of a request: the recorded ones, and our own.

use std::sync::Arc;

use cogtools_model::{Content, FunctionCall, Generation, Part, Request, ToolMode};
use cogtools_test_support::conformance;
use serde_json::{Value, json};

/// Requests that ours cannot make, by what they have.
struct Exception {
    pointer: &'static str,
    /// Why it is not supported.
    #[allow(dead_code, reason = "for the reader")]
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[Exception {
    pointer: "/tools/0/mcpServers",
    reason: "the provider would call MCP servers without asking; cogtools calls them itself",
}];

/// The request that a recorded body describes.
fn parse(model: &str, body: &Value) -> Request {
    let content = |value: &Value| Arc::new(Content::from_wire(value.clone()).expect("a content"));
    let contents = body["contents"].as_array().into_iter().flatten();
    let tools = body["tools"].as_array().into_iter().flatten();
    let declarations = tools.filter_map(|tool| tool["functionDeclarations"].as_array());
    let calling = &body["toolConfig"]["functionCallingConfig"];
    let names = calling["allowedFunctionNames"].as_array();
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<String> = names.map(str::to_owned).collect();
    let config = &body["generationConfig"];
    Request {
        model: model.to_owned(),
        system: body.get("systemInstruction").map(content),
        tools: Arc::new(declarations.flatten().cloned().collect()),
        mode: match calling["mode"].as_str() {
            None | Some("AUTO") => ToolMode::Auto,
            Some("ANY") => ToolMode::Any(names),
            Some("NONE") => ToolMode::None,
            Some("VALIDATED") => ToolMode::Validated(names),
            Some(mode) => panic!("{mode} is not known"),
        },
        contents: contents.map(content).collect(),
        generation: Generation {
            temperature: config["temperature"].as_f64(),
            seed: config["seed"]
                .as_i64()
                .and_then(|seed| seed.try_into().ok()),
            max_output_tokens: config["maxOutputTokens"]
                .as_u64()
                .and_then(|n| n.try_into().ok()),
            stop_sequences: Vec::new(),
            response_json_schema: config.get("responseJsonSchema").cloned(),
            include_thoughts: config["thinkingConfig"]["includeThoughts"] == true,
            rest: config.as_object().cloned().unwrap_or_default(),
        },
        cached_content: body["cachedContent"].as_str().map(str::to_owned),
    }
}

/// `body` without what the API assumes if it is absent, and its declarations in one list.
fn normal(mut body: Value) -> Value {
    let fields = body.as_object_mut().expect("an object");
    if let Some(tools) = fields.get_mut("tools") {
        let lists = tools.as_array().into_iter().flatten();
        let declared = lists.filter_map(|tool| tool["functionDeclarations"].as_array());
        let declared: Vec<Value> = declared.flatten().cloned().collect();
        *tools = json!([{"functionDeclarations": declared}]);
    }
    if fields.get("generationConfig") == Some(&json!({})) {
        fields.remove("generationConfig");
    }
    if fields.get("toolConfig") == Some(&json!({"functionCallingConfig": {"mode": "AUTO"}})) {
        fields.remove("toolConfig");
    }
    body
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body()).expect("JSON")
}

#[test]
fn recorded_requests() {
    let file = "gemini/gemini_wire.jsonl";
    let Some(rows) = conformance::recorded(file, "recorded_requests") else {
        return;
    };
    let mut compared = 0;
    for row in &rows {
        let recorded = &row["request"]["body"];
        let is_exception = |exception: &Exception| recorded.pointer(exception.pointer).is_some();
        if EXCEPTIONS.iter().any(is_exception) || !recorded.is_object() {
            continue;
        }
        let request = parse("m", recorded);
        let expected = normal(recorded.clone());
        assert_eq!(body(&request), expected, "{}", row["id"]);
        compared += 1;
    }
    assert!(
        compared > 0 && compared + 6 >= rows.len(),
        "{compared} of {}",
        rows.len()
    );
}

#[test]
fn whole_body() {
    let request = Request {
        model: "m".to_owned(),
        system: Some(Arc::new(Content::system("Be brief."))),
        tools: Arc::new(vec![json!({"name": "f"})]),
        mode: ToolMode::Any(vec!["f".to_owned()]),
        contents: vec![Content::user(vec![Part::text_of("Why?")]).into()],
        generation: Generation {
            temperature: Some(0.2),
            seed: Some(7),
            max_output_tokens: Some(100),
            stop_sequences: vec!["END".to_owned()],
            response_json_schema: Some(json!({"type": "object"})),
            include_thoughts: true,
            rest: serde_json::from_value(json!({
                "temperature": 1.0,
                "topP": 0.5,
                "thinkingConfig": {"thinkingLevel": "low"},
            }))
            .unwrap(),
        },
        cached_content: None,
    };
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
        "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
        "generationConfig": {
            "temperature": 0.2,
            "topP": 0.5,
            "seed": 7,
            "maxOutputTokens": 100,
            "stopSequences": ["END"],
            "responseJsonSchema": {"type": "object"},
            "responseMimeType": "application/json",
            "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true},
        },
    });
    assert_eq!(body(&request), expected);
    // What the cache holds must not be sent again, or the API rejects the request.
    let cached = Request {
        cached_content: Some("cachedContents/1".to_owned()),
        ..request.clone()
    };
    let mut expected_cached = expected;
    let fields = expected_cached.as_object_mut().unwrap();
    for key in ["systemInstruction", "tools", "toolConfig"] {
        fields.remove(key);
    }
    fields.insert("cachedContent".to_owned(), "cachedContents/1".into());
    assert_eq!(body(&cached), expected_cached);
}

#[test]
fn modes() {
    let names = || vec!["f".to_owned()];
    let cases = [
        (ToolMode::Auto, json!(null)),
        (ToolMode::None, json!({"mode": "NONE"})),
        (ToolMode::Any(Vec::new()), json!({"mode": "ANY"})),
        (
            ToolMode::Any(names()),
            json!({"mode": "ANY", "allowedFunctionNames": ["f"]}),
        ),
        (
            ToolMode::Validated(Vec::new()),
            json!({"mode": "VALIDATED"}),
        ),
        (
            ToolMode::Validated(names()),
            json!({"mode": "VALIDATED", "allowedFunctionNames": ["f"]}),
        ),
    ];
    for (mode, expected) in cases {
        let mut request = Request {
            mode,
            ..crate::request()
        };
        // Without tools there is nothing to configure.
        assert_eq!(body(&request)["toolConfig"], Value::Null);
        request.tools = Arc::new(vec![json!({"name": "f"})]);
        assert_eq!(
            body(&request)["toolConfig"]["functionCallingConfig"],
            expected
        );
    }
}

#[test]
fn hash_is_that_of_model_and_body() {
    let request = crate::request();
    assert_eq!(
        request.hash(),
        "d2ea7d2ba78908309153b7c5d3cc68ab3e9b878fa5d271b944b0b63837a7e2b2"
    );
    assert_eq!(request.hash(), crate::request().hash());
    let other_model = Request {
        model: "other".to_owned(),
        ..request.clone()
    };
    let other_text = Request {
        contents: vec![Content::user(vec![Part::text_of("Why not?")]).into()],
        ..request.clone()
    };
    let mut hashes = vec![request.hash(), other_model.hash(), other_text.hash()];
    hashes.dedup();
    assert_eq!(hashes.len(), 3);
}

#[test]
fn parts() {
    let call = FunctionCall {
        id: Some("1"),
        name: "f",
        args: None,
    };
    let anonymous = FunctionCall { id: None, ..call };
    let made = [
        Part::text_of("t"),
        Part::call_of(Some("1"), "f", json!({"a": 1})),
        Part::call_of(None, "f", json!({})),
        Part::result_of(&call, json!({"output": "done"})),
        Part::result_of(&anonymous, json!({"error": {"why": 1}})),
        Part::data_of("image/png", "AA=="),
    ];
    let expected = json!([
        {"text": "t"},
        {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}},
        {"functionCall": {"name": "f", "args": {}}},
        {"functionResponse": {"id": "1", "name": "f", "response": {"output": "done"}}},
        {"functionResponse": {"name": "f", "response": {"error": {"why": 1}}}},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
    ]);
    assert_eq!(json!(made), expected);
    let read: Vec<Part> = serde_json::from_value(expected).unwrap();
    assert_eq!(read, made);
}
