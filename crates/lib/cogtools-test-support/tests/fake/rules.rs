//! The rules of the API: what it refuses, and with which words.

use cogtools_test_support::{FakeGemini, Unfinished};
use serde_json::{Value, json};

use super::client::{Client, GENERATE, hi, request, said};

/// Sends one request, which must be refused for exactly these reasons.
#[track_caller]
fn refused(body: &Value, complaints: &[&str]) {
    let fake = FakeGemini::start([]);
    let response = Client::new(&fake).post(GENERATE, body);
    assert_eq!(fake.complaints(), complaints);
    let error = json!({ "error": {
        "code": 400, "message": complaints.join("\n"), "status": "INVALID_ARGUMENT",
    } });
    assert_eq!((response.status, response.json()), (400, error));
    let refused = complaints.iter().map(|&complaint| complaint.to_owned());
    assert_eq!(
        fake.try_finish().err(),
        Some(Unfinished::Refused(refused.collect()))
    );
}

#[test]
fn conversations_out_of_order_are_refused() {
    let hi = hi();
    let call = |name| json!({ "functionCall": { "id": "1", "name": name, "args": {} } });
    let answer = |id, name| {
        let response = json!({ "id": id, "name": name, "response": {} });
        said("user", &json!({ "functionResponse": response }))
    };
    let asked = said("model", &call("f"));
    let order = "Please ensure that function call turn comes immediately after a user turn \
        or after a function response turn.";
    let count = |responses, calls| {
        format!(
            "Please ensure that the number of function response parts is equal to the number \
             of function call parts of the function call turn. ({responses} and {calls})"
        )
    };
    let check = |contents: Value, complaints: &[&str]| refused(&request(&contents), complaints);
    check(json!([]), &["contents is not specified"]);
    check(json!([asked, answer("1", "f")]), &[order]);
    check(json!([hi, asked, hi]), &[&count(0, 1)]);
    let again = json!([hi, asked, asked, answer("1", "f")]);
    check(again, &[&count(1, 2)]);
    let end = json!({ "text": "done", "thoughtSignature": "AAAA" });
    let ended = json!([hi, said("model", &end), asked, answer("1", "f")]);
    check(ended, &[order]);
    check(json!([hi, said("user", &call("f"))]), &[order]);
    check(json!([hi, answer("1", "f")]), &[&count(1, 0)]);
    let both = json!({ "role": "model", "parts": [call("f"), call("f")] });
    check(json!([hi, both, answer("1", "f")]), &[&count(1, 2)]);
    check(
        json!([hi, asked, answer("1", "g")]),
        &[r#"a call of "f" is answered by "g""#],
    );
    check(
        json!([hi, asked, answer("2", "f")]),
        &[r#"call "1" is answered with id "2""#],
    );
    check(
        json!([said("system", &json!({ "text": "" }))]),
        &[r#"Please use a valid role: user, model. (contents[0].role is "system")"#],
    );
    check(
        json!([said("user", &json!({ "text": "a", "data": 1 }))]),
        &[&unknown("data", "contents[0].parts[0]")],
    );
}

#[test]
fn declarations_the_api_does_not_know_are_refused() {
    let check = |declaration: Value, complaint: &str| {
        let mut body = request(&json!([hi()]));
        body["tools"][0]["functionDeclarations"] = json!([declaration]);
        refused(&body, &[complaint]);
    };
    let at = "tools[0].function_declarations[0]";
    let of = |schema: Value| json!({ "name": "f", "parameters": schema });
    check(
        json!({ "name": "f", "parameters": {}, "parametersJsonSchema": {} }),
        &format!("{at}: only one of parameters and parameters_json_schema may be set"),
    );
    check(
        json!({ "name": "1f" }),
        &format!(
            "Invalid value at '{at}.name': must start with a letter or an underscore, \
             then letters, digits, underscores, dots, colons and dashes, at most 64"
        ),
    );
    check(
        of(json!({ "type": "object", "additionalProperties": false })),
        &unknown("additionalProperties", &format!("{at}.parameters")),
    );
    check(
        of(json!({ "type": "object", "properties": {} })),
        &format!("{at}.parameters.properties: should be non-empty for OBJECT type"),
    );
    let property = |schema: Value| of(json!({ "type": "object", "properties": { "a": schema } }));
    check(
        property(json!({ "type": "integer", "enum": [1] })),
        &format!("{at}.parameters.properties[a].enum: only strings are allowed"),
    );
    check(
        property(json!({ "type": "string", "format": "email" })),
        &format!(
            "{at}.parameters.properties[a].format: \
             only 'enum' and 'date-time' are supported for STRING type"
        ),
    );
    check(
        json!({ "name": "f", "parametersJsonSchema": { "type": "object", "required": ["a"] } }),
        &format!("{at}.parameters_json_schema.required[0]: property is not defined"),
    );
}

fn unknown(name: &str, at: &str) -> String {
    format!("Invalid JSON payload received. Unknown name \"{name}\" at '{at}': Cannot find field.")
}

#[test]
fn fields_the_api_does_not_know_are_refused() {
    let check = |change: &dyn Fn(&mut Value), complaint: &str| {
        let mut body = request(&json!([hi()]));
        change(&mut body);
        let complaints: Vec<&str> = complaint.lines().collect();
        refused(&body, &complaints);
    };
    check(
        &|body| body["thinking"] = json!({}),
        "Invalid JSON payload received. Unknown name \"thinking\": Cannot find field.",
    );
    check(
        &|body| body["generation_config"] = json!({ "thinking_config": { "think": 1 } }),
        &unknown("think", "generation_config.thinking_config"),
    );
    check(
        &|body| body["generationConfig"] = json!({ "maxTokens": 1 }),
        &unknown("maxTokens", "generation_config"),
    );
    check(
        &|body| body["toolConfig"] = json!({ "functionCallingConfig": { "tool": "f" } }),
        &unknown("tool", "tool_config.function_calling_config"),
    );
    check(
        &|body| body["tools"][0]["functions"] = json!([]),
        &unknown("functions", "tools[0]"),
    );
    check(
        &|body| body["systemInstruction"] = json!({ "text": "a" }),
        &unknown("text", "system_instruction"),
    );
    check(
        &|body| {
            body["systemInstruction"] = json!({ "parts": [{ "text": "a" }] });
            body["system_instruction"] = json!({ "parts": [{ "text": "a" }] });
        },
        "system_instruction: set twice, in both spellings",
    );
    check(
        &|body| body["contents"][0]["parts"][0]["inlineData"] = json!({ "type": "x" }),
        &[
            unknown("type", "contents[0].parts[0].inline_data"),
            "contents[0].parts[0].data: exactly one field must be set".to_owned(),
        ]
        .join("\n"),
    );
}

#[test]
fn generation_is_configured_within_bounds() {
    let check = |config: Value, complaint: &str| {
        let mut body = request(&json!([hi()]));
        body["generationConfig"] = config;
        refused(&body, &[&format!("generation_config{complaint}")]);
    };
    let json = "application/json";
    check(
        json!({ "temperature": 2.5 }),
        ".temperature: must be in the range [0.0, 2.0]",
    );
    check(
        json!({ "maxOutputTokens": 0 }),
        ".max_output_tokens: must be a positive number",
    );
    check(
        json!({ "stop_sequences": ["a", "b", "c", "d", "e", "f"] }),
        ".stop_sequences: at most 5 are supported",
    );
    check(
        json!({ "responseJsonSchema": {} }),
        ".response_mime_type: a schema needs application/json, not null",
    );
    check(
        json!({ "responseMimeType": json, "responseSchema": {}, "responseJsonSchema": {} }),
        ": only one of response_schema and response_json_schema may be set",
    );
    check(
        json!({ "responseMimeType": json, "responseSchema": { "type": "array" } }),
        ".response_schema.items: missing field",
    );
}

#[test]
fn both_spellings_are_accepted() {
    let snake = json!({
        "contents": [
            hi(),
            { "role": "model", "parts": [{ "function_call": { "id": "1", "name": "f", "args": {} } }] },
            { "role": "user", "parts": [{ "function_response": {
                "id": "1", "name": "f", "response": { "error": "no" },
            } }] },
        ],
        "system_instruction": { "role": "user", "parts": [{ "text": "be brief" }] },
        "tools": [{ "function_declarations": [{ "name": "f", "parameters_json_schema": {} }] }],
        "tool_config": { "function_calling_config": {
            "mode": "any", "allowed_function_names": ["f"],
        } },
        "generation_config": { "max_output_tokens": 1, "thinking_config": { "thinking_level": "LOW" } },
        "safety_settings": [{ "category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE" }],
    });
    let fake = FakeGemini::start([cogtools_test_support::Turn::call("f", json!({}))]);
    assert_eq!(Client::new(&fake).post(GENERATE, &snake).status, 200);
    fake.finish();
}
