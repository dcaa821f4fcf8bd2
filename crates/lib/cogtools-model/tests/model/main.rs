//! Tests of models: what is sent, what is understood, what happens when something fails.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod cache;
mod endpoint;
mod error;
mod fake;
mod fault;
mod hostile;
mod list;
mod quota;
mod recorded;
mod replay;
mod request;
mod response;
mod retry;
mod secret;
mod server;
mod signature;
mod stream;
mod tape;

use std::time::Duration;

use cogtools_http::{Client, ClientOptions};
use cogtools_model::gemini::{Endpoint, Gemini};
use cogtools_model::{Chunks, Content, Key, Model as _, ModelError, Part, Request, Response};
use futures::StreamExt as _;

/// The key in tests, which no message may contain.
const KEY: &str = "AIzaSy-secret-key-0123456789";

/// Runs a future to its end.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(future)
}

/// The API at `url`, with short limits.
fn gemini(url: &str) -> Gemini {
    let options = ClientOptions {
        connect_timeout: Duration::from_secs(2),
        read_timeout: Duration::from_secs(2),
        ..ClientOptions::default()
    };
    let client = Client::new(options);
    Gemini::new(client, Endpoint::google_ai(url, Key::new(KEY)))
}

/// A question to a model.
fn request() -> Request {
    Request {
        model: "gemini-test".to_owned(),
        contents: vec![Content::user(vec![Part::text_of("Why?")]).into()],
        ..Request::default()
    }
}

/// Chunks until the end or an error.
async fn collect(chunks: &mut Chunks) -> (Response, Option<ModelError>) {
    let mut response = Response::default();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => {
                response.push(chunk);
            }
            Err(error) => return (response, Some(error)),
        }
    }
    (response, None)
}

/// Sends the question to the API at `url`, and reads all of the response.
fn ask(url: &str) -> (Response, Option<ModelError>) {
    let gemini = gemini(url);
    block_on(async {
        match gemini.send(&request()).await {
            Ok(mut chunks) => collect(&mut chunks).await,
            Err(error) => (Response::default(), Some(error)),
        }
    })
}

/// The message of an error.
#[track_caller]
fn message(error: Option<ModelError>) -> String {
    error.expect("an error").to_string()
}
