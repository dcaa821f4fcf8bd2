//! A line that the client of a session prints; `cogtools_core::resident` describes them.

use cogtools_core::{Code, Diagnostic, ProgressUpdate};
use serde_json::{Map, Value};

/// What the client says.
pub(crate) enum ClientMessage {
    /// The server declares other tools now.
    Changed,
    /// It exits, and no request was lost.
    Ended,
    /// It exits, and this is why.
    Failed(Box<Diagnostic>),
    /// A log message of the server.
    Log(Value),
    /// A question of the server to the user, with its ID.
    Ask(u64, Value),
    /// The progress of the request with this ID.
    Progress(u64, ProgressUpdate),
    /// The answer to the request with this ID.
    Answer(u64, Result<Value, Box<Diagnostic>>),
}

impl ClientMessage {
    /// The message on a line, if it is one.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let mut message: Map<String, Value> = serde_json::from_slice(line).ok()?;
        if message.contains_key("changed") {
            return Some(Self::Changed);
        }
        if message.contains_key("ended") {
            return Some(Self::Ended);
        }
        if let Some(failed) = message.get("failed") {
            return Some(Self::Failed(Box::new(diagnostic(failed)?)));
        }
        if let Some(log) = message.remove("log") {
            return Some(Self::Log(log));
        }
        if let Some(question) = message.remove("question") {
            return Some(Self::Ask(message.get("ask")?.as_u64()?, question));
        }
        let id = message.get("id")?.as_u64()?;
        if let Some(update) = message.get("progress") {
            return Some(Self::Progress(id, progress(update)?));
        }
        let answer = message.remove("result").ok_or_else(|| {
            let unknown = || Diagnostic::new(Code::ToolFailed, "the MCP client sent no answer");
            let reported = message.get("error").and_then(diagnostic);
            Box::new(reported.unwrap_or_else(unknown))
        });
        Some(Self::Answer(id, answer))
    }
}

fn diagnostic(value: &Value) -> Option<Diagnostic> {
    Diagnostic::from_json(value.to_string().as_bytes())
}

fn progress(value: &Value) -> Option<ProgressUpdate> {
    let message = value.get("message").and_then(Value::as_str);
    Some(ProgressUpdate {
        progress: value.get("progress")?.as_f64()?,
        total: value.get("total").and_then(Value::as_f64),
        message: message.map(str::to_owned),
    })
}
