//! Explicit caches: created, renewed, deleted, and what goes wrong.

use std::sync::Arc;

use cogtools_model::{Cache, Content, Generation, Model as _, Request, ToolMode};
use serde_json::json;

use crate::server::{Server, Step, json};
use crate::{block_on, gemini, request};

#[test]
fn life_of_a_cache() {
    let created = json!({"name": "cachedContents/a-1", "model": "models/m",
        "expireTime": "2026-01-01T00:00:00Z", "usageMetadata": {"totalTokenCount": 4_200}});
    let server = Server::start(vec![
        vec![Step::Send(json(200, &created))],
        vec![Step::Send(json(200, &json!({})))],
    ]);
    let gemini = gemini(&server.url());
    let caches = gemini.caches().expect("caches");
    let request = Request {
        system: Some(Arc::new(Content::system("Be brief."))),
        tools: Arc::new(vec![json!({"name": "f"})]),
        mode: ToolMode::Any(Vec::new()),
        generation: Generation {
            temperature: Some(1.0),
            ..Generation::default()
        },
        ..request()
    };
    block_on(async {
        let cache = caches.create(&request, 900).await.expect("a cache");
        let expected = Cache {
            name: "cachedContents/a-1".to_owned(),
            tokens: 4_200,
        };
        assert_eq!(cache, expected);
        caches.refresh(&cache.name, 60).await.expect("more time");
        caches.delete(&cache.name).await.expect("no cache");
    });
    assert_eq!(
        server.lines(),
        [
            "POST /v1beta/cachedContents",
            "PATCH /v1beta/cachedContents/a-1?updateMask=ttl",
            "DELETE /v1beta/cachedContents/a-1",
        ]
    );
    let seen = server.seen();
    assert_eq!(
        seen[0].body,
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [{"name": "f"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
            "model": "models/gemini-test",
            "ttl": "900s",
        })
    );
    assert_eq!(seen[1].body, json!({"ttl": "60s"}));
}

#[test]
fn cache_without_turns() {
    let server = Server::answering(json(200, &json!({"name": "cachedContents/1"})));
    let request = Request {
        contents: Vec::new(),
        ..request()
    };
    let gemini = gemini(&server.url());
    let cache = block_on(gemini.caches().expect("caches").create(&request, 1));
    assert_eq!(cache.expect("a cache").tokens, 0);
    assert_eq!(
        server.seen()[0].body,
        json!({"model": "models/gemini-test", "ttl": "1s"})
    );
}

#[test]
fn names_reach_nothing_else() {
    let names = [
        "",
        ".",
        "x",
        "models/x",
        "cachedContents",
        "cachedContents/",
        "cachedContents/..",
        "../cachedContents/x",
        "a//cachedContents/x",
        "cachedContents/x/y",
    ];
    let server = Server::answering(json(200, &json!({})));
    let gemini = gemini(&server.url());
    let caches = gemini.caches().expect("caches");
    for name in names {
        block_on(async {
            caches.refresh(name, 1).await.expect_err(name);
            caches.delete(name).await.expect_err(name);
        });
        let server = Server::answering(json(200, &json!({"name": name})));
        let gemini = crate::gemini(&server.url());
        block_on(gemini.caches().expect("caches").create(&request(), 1)).expect_err(name);
    }
    assert_eq!(server.lines(), Vec::<String>::new());
    block_on(caches.delete("projects/p/locations/l/cachedContents/a?b")).expect("deleted");
    let line = "DELETE /v1beta/projects/p/locations/l/cachedContents/a%3Fb";
    assert_eq!(server.lines(), [line]);
}

#[test]
fn too_small() {
    let message = "Cached content is too small. total_token_count=5, min_total_token_count=1024";
    let error = json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}});
    let server = Server::answering(json(400, &error));
    let gemini = gemini(&server.url());
    let error = block_on(gemini.caches().expect("caches").create(&request(), 1));
    let error = error.expect_err("no cache");
    assert!(!error.is_transient(), "{error}");
    assert_eq!(
        error.to_string(),
        format!("the provider answered with 400 INVALID_ARGUMENT: {message}")
    );
}
