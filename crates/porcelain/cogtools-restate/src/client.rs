//! Requests to Restate: to its ingress, which takes runs, and to its administration, which knows
//! the workers.

use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::address::Address;

/// The longest answer, in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// The longest time of a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A server.
#[derive(Clone, Debug)]
pub(crate) struct Client(pub(crate) Address);

/// The answer of a server.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// JSON; null if it is empty, text if it is something else.
    pub(crate) body: Value,
}

impl Client {
    /// Sends `body` to `path`, nothing if it is null, however long the answer takes.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Answer, Failure> {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        self.request(Method::POST, path, body).await
    }

    /// Gets the value at `path`, however long the answer takes.
    pub(crate) async fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.request(Method::GET, path, String::new()).await
    }

    async fn request(&self, method: Method, path: &str, body: String) -> Result<Answer, Failure> {
        let connected = timeout(CONNECT, TcpStream::connect(self.0.authority())).await;
        let stream = match connected {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(self.unavailable(&error)),
            Err(_) => return Err(self.unavailable(&"no connection in 10 s")),
        };
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.unavailable(&error))?;
        let connection = tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("host", self.0.authority());
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| self.unavailable(&error))?;
        let answer = sender.send_request(request).await;
        let answer = answer.map_err(|error| self.unavailable(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await;
        let body = body.map_err(|error| self.unavailable(&error))?.to_bytes();
        connection.abort();
        let text = || String::from_utf8_lossy(&body).into_owned().into();
        let body = match body.as_ref() {
            b"" => Value::Null,
            bytes => serde_json::from_slice(bytes).unwrap_or_else(|_| text()),
        };
        Ok(Answer { status, body })
    }

    fn unavailable(&self, error: &dyn std::fmt::Display) -> Failure {
        let message = format!("Restate does not answer: {error}");
        let diagnostic = Diagnostic::new(Code::Unavailable, message);
        diagnostic
            .with_subject(self.0.authority())
            .hint("`npx @restatedev/restate-server` starts one on this machine")
            .into()
    }
}

impl Answer {
    /// The body, if the request has succeeded.
    ///
    /// # Errors
    ///
    /// The failure that the workflow has reported, with its code; otherwise `UNAVAILABLE`.
    pub(crate) fn value(self) -> Result<Value, Failure> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        let message = match self.body["message"].as_str() {
            Some(message) => message.to_owned(),
            None => self.body.to_string(),
        };
        Err(reported(&message).into())
    }
}

/// The failure in a text: the code, the message, and lines with hints.
pub(crate) fn reported(text: &str) -> Diagnostic {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let named = |(name, message): (&str, &str)| {
        let code = Code::ALL.into_iter().find(|code| code.name() == name)?;
        Some(Diagnostic::new(code, message))
    };
    let unknown = || Diagnostic::new(Code::Unavailable, format!("Restate refuses: {first}"));
    let diagnostic = first
        .split_once(": ")
        .and_then(named)
        .unwrap_or_else(unknown);
    let hints = lines.filter_map(|line| line.strip_prefix("hint: "));
    hints.fold(diagnostic, Diagnostic::hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_workflow_reports_keeps_its_code_and_hints() {
        let check = |text: &str, expected: Diagnostic| assert_eq!(reported(text), expected);
        let failed = Diagnostic::new(Code::NodeFailed, "a: TOOL_FAILED: b");
        check("NODE_FAILED: a: TOOL_FAILED: b", failed.clone());
        check(
            "NODE_FAILED: a: TOOL_FAILED: b\nhint: c\nmore\nhint: d",
            failed.hint("c").hint("d"),
        );
        let unknown = |text| Diagnostic::new(Code::Unavailable, text);
        check("cancelled", unknown("Restate refuses: cancelled"));
        check("NO_CODE: x", unknown("Restate refuses: NO_CODE: x"));
        check("", unknown("Restate refuses: "));
    }
}
