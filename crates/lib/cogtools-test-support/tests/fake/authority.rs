//! Keys, tokens, addresses and models.

use cogtools_test_support::{FakeGemini, Options, Turn};
use serde_json::{Value, json};

use super::client::{Client, hi, request};

const MODEL: &str = "models/gemini-flash-latest:generateContent";

const VERTEX: &str = "/v1/projects/p/locations/l/publishers/google/";

/// The status and error of a request for content with these headers.
fn sent(fake: &FakeGemini, target: &str, headers: &str) -> (u16, Value) {
    let body = request(&json!([hi()])).to_string();
    let rest = format!("{headers}Content-Length: {}\r\n\r\n{body}", body.len());
    let response = Client::new(fake).send(&format!("POST {target}"), &rest);
    (response.status, response.json()["error"].clone())
}

#[test]
fn key_must_be_there_and_valid() {
    let turns = (0..4).map(|_| Turn::text("a"));
    let fake = FakeGemini::with(Options::default().key("right"), turns);
    let target = format!("/v1beta/{MODEL}");
    let missing = json!({
        "code": 403,
        "message": "Method doesn't allow unregistered callers (callers without established \
            identity). Please use API Key or other form of API consumer identity to call \
            this API.",
        "status": "PERMISSION_DENIED",
    });
    let wrong = json!({
        "code": 400,
        "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
        "details": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
            "metadata": { "service": "generativelanguage.googleapis.com" },
        }],
    });
    let token = json!({
        "code": 401,
        "message": "Request had invalid authentication credentials.",
        "status": "UNAUTHENTICATED",
    });
    let ok = (200, Value::Null);
    assert_eq!(sent(&fake, &target, ""), (403, missing.clone()));
    assert_eq!(sent(&fake, &target, "x-goog-api-key: \r\n"), (403, missing));
    assert_eq!(
        sent(&fake, &target, "x-goog-api-key: other\r\n"),
        (400, wrong)
    );
    assert_eq!(sent(&fake, &target, "x-goog-api-key: right\r\n"), ok);
    assert_eq!(
        sent(&fake, &format!("/v1/{MODEL}"), "X-Goog-Api-Key: right\r\n"),
        ok
    );
    assert_eq!(sent(&fake, &format!("{target}?key=right"), ""), ok);
    let vertex = format!("{VERTEX}{MODEL}");
    assert_eq!(sent(&fake, &vertex, "Authorization: Bearer right\r\n"), ok);
    assert_eq!(
        sent(&fake, &vertex, "Authorization: Bearer other\r\n"),
        (401, token.clone())
    );
    assert_eq!(
        sent(&fake, &vertex, "x-goog-api-key: right\r\n"),
        (401, token)
    );
    // None of these requests is wrong in itself.
    fake.finish();
}

#[test]
fn models_are_listed_and_others_unknown() {
    let fake = FakeGemini::start([]);
    let mut client = Client::new(&fake);
    let listed = client.get("/v1beta/models?pageSize=100").json();
    let models = listed["models"].as_array().expect("a list");
    let names: Vec<&str> = models
        .iter()
        .filter_map(|model| model["name"].as_str())
        .collect();
    assert!(names.contains(&"models/gemini-flash-latest"), "{names:?}");
    assert_eq!(
        client.get(&format!("/v1beta/{}", names[0])).json(),
        models[0]
    );

    let message = "models/gemini-0 is not found for API version v1, or is not supported for \
        generateContent. Call ListModels to see the list of available models and their \
        supported methods.";
    let error = json!({ "error": { "code": 404, "message": message, "status": "NOT_FOUND" } });
    let asked = client.get("/v1/models/gemini-0");
    assert_eq!((asked.status, asked.json()), (404, error.clone()));
    let generated = client.post(
        "/v1/models/gemini-0:generateContent",
        &request(&json!([hi()])),
    );
    assert_eq!((generated.status, generated.json()), (404, error));
    fake.finish();
}

#[test]
fn unknown_address_is_refused() {
    let fake = FakeGemini::start([]);
    let response = Client::new(&fake).get("/v2/models");
    assert_eq!(response.status, 404);
    assert_eq!(fake.complaints(), ["no such thing: GET /v2/models"]);
    drop(fake.try_finish());
}
