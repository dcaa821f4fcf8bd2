//! Conversations with the fake API, which checks what the real one checks.

use std::sync::Arc;
use std::time::Duration;

use cogtools_http::{Client, ClientOptions};
use cogtools_model::gemini::{DEFAULT_MODEL, Endpoint, Gemini};
use cogtools_model::{
    Content, Generation, Key, Model as _, Part, Request, Response, ToolMode, fill_missing,
};
use cogtools_test_support::{Break, FakeGemini, Model as FakeModel, Options as FakeOptions, Turn};
use serde_json::json;

use crate::{block_on, collect, gemini};

/// A request with two tools.
fn request(text: &str) -> Request {
    let tool = |name: &str| json!({"name": name, "description": "A tool."});
    Request {
        model: DEFAULT_MODEL.to_owned(),
        tools: Arc::new(vec![tool("one"), tool("two")]),
        contents: vec![Content::user(vec![Part::text_of(text)]).into()],
        ..Request::default()
    }
}

/// Sends it, and reads a response without an error.
fn ask(gemini: &Gemini, request: &Request) -> Response {
    block_on(async {
        let mut chunks = gemini.send(request).await.expect("a response");
        let (response, error) = collect(&mut chunks).await;
        assert!(error.is_none(), "{error:?}");
        response
    })
}

/// Adds a response and the results of its calls, as an agent does.
fn go_on(request: &mut Request, response: &Response) {
    let content = response.content.as_ref().expect("a content").clone();
    request.contents.push(content.into());
    let result = |call| Part::result_of(&call, json!({"output": "done"}));
    let results: Vec<Part> = response.calls().into_iter().map(result).collect();
    if !results.is_empty() {
        request.contents.push(Content::user(results).into());
    }
}

#[test]
fn signatures_go_back_unchanged() {
    let none = || json!({});
    let fake = FakeGemini::start([
        Turn::calls([("one", none()), ("two", none())]).thinking("Hm."),
        Turn::calls([("two", none()), ("one", none())])
            .calls_apart()
            .without_ids(),
        Turn::call("one", none())
            .saying("One more.")
            .separated_by("\n\n"),
        Turn::text("Done.").signed_apart().separated_by("\r\r"),
        Turn::texts(["And ", "again: é€😀."]).in_pieces(3, Duration::from_millis(1)),
    ]);
    let gemini = gemini(&fake.url());
    let mut request = request("Use the tools.");
    request.generation = Generation {
        include_thoughts: true,
        ..Generation::default()
    };
    let mut calls = Vec::new();
    for _ in 0..4 {
        let response = ask(&gemini, &request);
        calls.push(response.calls().len());
        go_on(&mut request, &response);
    }
    assert_eq!(calls, [2, 2, 1, 0]);
    request
        .contents
        .push(Content::user(vec![Part::text_of("And?")]).into());
    assert_eq!(ask(&gemini, &request).text(), "And again: é€😀.");
    fake.finish();
}

#[test]
fn history_of_another_model() {
    let fake = FakeGemini::start([Turn::text("I see.")]);
    let call = Part::call_of(None, "one", json!({}));
    let result = Part::result_of(&call.call().expect("a call"), json!({"error": "no"}));
    let contents = [
        Content::user(vec![Part::text_of("Try.")]),
        Content::new(cogtools_model::Role::Model, vec![call]),
        Content::user(vec![result]),
    ];
    let mut contents = contents.map(Arc::new).to_vec();
    fill_missing(&mut contents);
    let response = ask(
        &gemini(&fake.url()),
        &Request {
            contents,
            ..request("")
        },
    );
    assert_eq!(response.text(), "I see.");
    fake.finish();
}

#[test]
fn modes_are_accepted() {
    let call = || Turn::call("one", json!({}));
    let modes = [
        (ToolMode::Any(vec!["one".to_owned()]), call()),
        (ToolMode::Any(Vec::new()), call()),
        (ToolMode::None, Turn::text("No.")),
        (ToolMode::Validated(Vec::new()), call()),
    ];
    for (mode, turn) in modes {
        let fake = FakeGemini::start([turn]);
        ask(
            &gemini(&fake.url()),
            &Request {
                mode,
                ..request("Go.")
            },
        );
        fake.finish();
    }
}

#[test]
fn caches_hold_the_beginning() {
    let model = FakeModel::new(DEFAULT_MODEL).min_cache_tokens(5);
    let fake = FakeGemini::with(
        FakeOptions::default().model(model),
        [Turn::text("Because.")],
    );
    let gemini = gemini(&fake.url());
    let caches = gemini.caches().expect("caches");
    let beginning = Request {
        system: Some(Arc::new(Content::system(
            "Be brief, be right, be kind, be done.",
        ))),
        contents: Vec::new(),
        ..request("")
    };
    let cache = block_on(caches.create(&beginning, 60)).expect("a cache");
    assert!(cache.tokens >= 5, "{cache:?}");
    block_on(caches.refresh(&cache.name, 600)).expect("more time");
    let asked = Request {
        system: beginning.system,
        cached_content: Some(cache.name.clone()),
        ..request("Why?")
    };
    let response = ask(&gemini, &asked);
    assert_eq!(
        (response.text().as_str(), response.usage.cached),
        ("Because.", cache.tokens)
    );
    block_on(caches.delete(&cache.name)).expect("deleted");
    fake.finish();
}

#[test]
fn models_are_listed() {
    let fake = FakeGemini::start([]);
    let models = block_on(gemini(&fake.url()).models()).expect("models");
    assert!(
        models.iter().any(|model| model.name == DEFAULT_MODEL),
        "{models:?}"
    );
    fake.finish();
}

#[test]
fn wrong_key() {
    let fake = FakeGemini::with(FakeOptions::default().key("right"), []);
    let client = Client::new(ClientOptions::default());
    let gemini = Gemini::new(client, Endpoint::google_ai(&fake.url(), Key::new("wrong")));
    let error = block_on(async { gemini.send(&request("Why?")).await.map(drop) });
    let error = error.expect_err("a wrong key");
    assert_eq!(
        error.to_string(),
        "the provider answered with 400 INVALID_ARGUMENT: \
         API key not valid. Please pass a valid API key."
    );
    assert!(!error.is_transient());
    // It counts as a request that the API refuses.
    drop(fake.try_finish());
}

#[test]
fn blocked_and_empty() {
    let reasons = [
        "MAX_TOKENS",
        "SAFETY",
        "MALFORMED_FUNCTION_CALL",
        "OF_NEXT_YEAR",
    ];
    for reason in reasons {
        let fake = FakeGemini::start([Turn::empty(reason)]);
        let response = ask(&gemini(&fake.url()), &request("Why?"));
        assert_eq!(
            response.finish.as_ref().map(cogtools_model::Finish::as_str),
            Some(reason)
        );
        assert!(response.is_empty() && !response.is_cut());
        fake.finish();
    }
    let fake = FakeGemini::start([Turn::blocked("PROHIBITED_CONTENT")]);
    let response = ask(&gemini(&fake.url()), &request("Why?"));
    assert_eq!(response.block_reason.as_deref(), Some("PROHIBITED_CONTENT"));
    assert!(response.is_empty() && !response.is_cut());
    fake.finish();
}

#[test]
fn streams_that_break() {
    let breaks = [
        (
            Break::Cut,
            "` closed the connection in the middle of a response",
        ),
        (
            Break::Reset,
            "` closed the connection in the middle of a response",
        ),
        (Break::Hang, "` sent nothing for 2s"),
        (
            Break::Error(503.into()),
            "503 UNAVAILABLE: The model is overloaded. Please try again later.",
        ),
    ];
    for (broken, message) in breaks {
        let turn = Turn::texts(["Be", "cause."]).breaks_after(1, broken.clone());
        let fake = FakeGemini::start([turn]);
        let gemini = gemini(&fake.url());
        let (response, error) = block_on(async {
            let mut chunks = gemini.send(&request("Why?")).await.expect("a response");
            collect(&mut chunks).await
        });
        assert_eq!(response.text(), "Be", "{broken:?}");
        assert!(response.is_cut(), "{broken:?}");
        let found = error.expect("an error").to_string();
        assert!(found.ends_with(message), "{broken:?}: {found}");
        fake.finish();
    }
}
