//! No message and no debug output shows a key.

use std::fmt::Write as _;

use cogtools_model::gemini::Endpoint;
use cogtools_model::{Key, Model as _};
use serde_json::json;

use crate::server::{Server, Step, events, head, json};
use crate::{KEY, block_on, gemini, request};

/// Everything that a failure shows.
fn shown(server: &Server) -> String {
    let gemini = gemini(&server.url());
    let mut shown = format!("{gemini:?}\n");
    block_on(async {
        if let Ok(mut chunks) = gemini.send(&request()).await {
            let (response, error) = crate::collect(&mut chunks).await;
            let _ = writeln!(shown, "{response:?}\n{error:?}");
            if let Some(error) = error {
                let _ = writeln!(shown, "{error}");
            }
        } else if let Err(error) = gemini.send(&request()).await {
            let _ = writeln!(shown, "{error:?}\n{error}");
        }
        if let Err(error) = gemini.models().await {
            let _ = writeln!(shown, "{error:?}\n{error}");
        }
        let caches = gemini.caches().expect("caches");
        if let Err(error) = caches.create(&request(), 1).await {
            let _ = writeln!(shown, "{error:?}\n{error}");
        }
    });
    shown
}

#[test]
fn errors() {
    let quoting = json!({"error": {"code": 400, "status": format!("BAD_{KEY}"),
        "message": format!("API key not valid: {KEY}, {KEY}")}});
    let part = json!({"candidates": [{"content": {"parts": [{"text": "a"}]}}]});
    let answers = [
        json(400, &quoting),
        events(std::slice::from_ref(&quoting)),
        events(&[part, quoting.clone()]),
        [head(500, "text/plain"), format!("key {KEY}").into_bytes()].concat(),
        [
            head(200, "text/event-stream"),
            format!("data: {KEY}\n\n").into_bytes(),
        ]
        .concat(),
        [
            head(200, "text/event-stream"),
            quoting.to_string().into_bytes(),
        ]
        .concat(),
        format!("HTTP/1.1 307 No\r\nLocation: http://h/?key={KEY}\r\n\r\n").into_bytes(),
        KEY.as_bytes().to_vec(),
    ];
    for answer in answers {
        let text = String::from_utf8_lossy(&answer).into_owned();
        let server = Server::start(vec![vec![Step::Send(answer)]]);
        let shown = shown(&server);
        assert!(!shown.contains(KEY), "{text}\n{shown}");
        assert!(shown.lines().count() > 3, "{text}\n{shown}");
    }
}

#[test]
fn debug_output() {
    let key = Key::new(KEY);
    let endpoint = Endpoint::google_ai("https://user:password@host/path?key=x", key.clone());
    let shown = format!(
        "{key:?} {endpoint:?} {:#?}",
        gemini("https://user:password@host")
    );
    for secret in [KEY, "password", "key=x"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn variables() {
    for value in [format!("{KEY}\nX: y"), format!("{KEY}\u{7f}")] {
        let var = |name: &str| (name == "GEMINI_API_KEY").then(|| value.clone());
        let error = Endpoint::from_vars(var).expect_err("not a header");
        let shown = format!("{error} {error:?}");
        assert!(
            !shown.contains(KEY) && shown.contains("`GEMINI_API_KEY`"),
            "{shown}"
        );
    }
}
