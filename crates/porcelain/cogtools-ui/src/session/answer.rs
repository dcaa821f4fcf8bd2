//! What the user says on a page: answers to questions, and messages. The programs that a user
//! would type are what does it; they write into the session.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::app::App;
use crate::child;
use crate::page::visible;
use crate::respond::{Answer, PageError};

/// More than any run may take: its budget ends it.
const TIMEOUT: Duration = Duration::from_hours(24);

/// A decision about a call that waits.
#[derive(Deserialize)]
struct Decision {
    call: String,
    allow: bool,
}

/// An answer to a node that asks.
#[derive(Deserialize)]
struct Reply {
    node: String,
    answer: String,
}

/// A message, and the model that answers it, if that is another one.
#[derive(Deserialize)]
struct Message {
    text: String,
    #[serde(default)]
    model: String,
}

/// A command about a session, and its standard input.
type Command = (Vec<OsString>, Vec<u8>);

/// Decides about a call.
pub(crate) async fn approve(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    run(app, name, body, |file, decision: Decision| {
        let option = if decision.allow {
            "--approve"
        } else {
            "--reject"
        };
        let mut args = ask(file);
        args.push(format!("{option}={}", decision.call).into());
        (args, Vec::new())
    })
    .await
}

/// Answers a node of a flow, by standard input, too.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    run(app, name, body, |file, reply: Reply| {
        let answer = format!("--answer={}=@-", reply.node);
        let args = ["flow", "resume", "--error-format", "json", &answer, "--"];
        let args = args.map(OsString::from).into_iter().chain([file]);
        // One line end at its end is not part of it.
        (args.collect(), format!("{}\n", reply.answer).into_bytes())
    })
    .await
}

/// Sends a message. It is standard input, since others can read command lines.
pub(crate) async fn message(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    run(app, name, body, |file, message: Message| {
        let mut args = ask(file);
        args.push("--continue".into());
        let model = message.model.trim();
        if !model.is_empty() {
            args.push(format!("--model={model}").into());
        }
        (args, message.text.into_bytes())
    })
    .await
}

/// `cogtools ask` about the session in `file`, which stops at questions.
fn ask(file: OsString) -> Vec<OsString> {
    let args = [
        "ask",
        "--error-format",
        "json",
        "--quiet",
        "--pause",
        "--session",
    ];
    args.map(OsString::from).into_iter().chain([file]).collect()
}

/// Runs the command that `command` makes of the session's file and of `body`.
async fn run<B: DeserializeOwned + Send + 'static>(
    app: Arc<App>,
    name: String,
    body: Bytes,
    command: impl FnOnce(OsString, B) -> Command + Send + 'static,
) -> Response {
    app.run_long(move |app| {
        let file = app.sessions.file(&name)?;
        let body = serde_json::from_slice(&body).map_err(|_| PageError::NotFound)?;
        let (args, input) = command(file.path().into_os_string(), body);
        let output = app.project.run(args, input, TIMEOUT);
        let output = output.map_err(|diagnostic| PageError::Failed(vec![*diagnostic]))?;
        // A run that waits for another answer has done what it was asked to.
        let failures = if output.exit.is_success() || child::waits(&output) {
            Vec::new()
        } else {
            child::failures(&output)
        };
        Ok(Answer::Json(visible(json!({"failures": failures}))))
    })
    .await
}
