//! The models that a provider has.

use cogtools_model::{Model as _, ModelInfo};
use serde_json::json;

use crate::server::{Server, Step, json};
use crate::{block_on, gemini};

#[test]
fn pages() {
    let first = json!({"models": [
        {"name": "models/z", "displayName": "Z", "inputTokenLimit": 1_048_576,
         "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]},
    ], "nextPageToken": "a b/&"});
    let second = json!({"models": [{"name": "models/a"}, {"displayName": "nameless"}],
        "nextPageToken": ""});
    let server = Server::start(vec![
        vec![Step::Send(json(200, &first))],
        vec![Step::Send(json(200, &second))],
    ]);
    let models = block_on(gemini(&server.url()).models()).expect("models");
    let info = |name: &str| ModelInfo {
        name: name.to_owned(),
        title: None,
        input_tokens: None,
        output_tokens: None,
    };
    let z = ModelInfo {
        title: Some("Z".to_owned()),
        input_tokens: Some(1_048_576),
        output_tokens: Some(65_536),
        ..info("z")
    };
    assert_eq!(models, [info("a"), z]);
    assert_eq!(
        server.lines(),
        [
            "GET /v1beta/models?pageSize=1000",
            "GET /v1beta/models?pageSize=1000&pageToken=a%20b%2F%26",
        ]
    );
}

#[test]
fn failures() {
    let error = json!({"error": {"code": 400, "message": "API key not valid.",
        "status": "INVALID_ARGUMENT"}});
    let answers = [
        (
            json(400, &error),
            "the provider answered with 400 INVALID_ARGUMENT: API key not valid.",
        ),
        (
            json(200, &json!([])),
            "the provider sent something other than a response: the body is not a JSON object",
        ),
    ];
    for (answer, expected) in answers {
        let server = Server::answering(answer);
        let error = block_on(gemini(&server.url()).models()).expect_err("no models");
        assert_eq!(error.to_string(), expected);
    }
}
