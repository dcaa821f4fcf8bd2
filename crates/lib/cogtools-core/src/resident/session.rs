//! Sessions with MCP servers that stay open between calls.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::process::Process;
use crate::progress::Progress;
use crate::{Cancel, Diagnostic};

/// Sessions that stay open, one for each source.
///
/// A program that stays keeps one `cogtools-mcp-client session` for each source. They exchange
/// JSON objects, one on each line. The program sends
///
/// - `{"host": {"form": …, "url": …}}` at first: which questions of the server its host can show to
///   the user;
/// - `{"id": N, "list": true}`, a request for the declarations of all tools;
/// - `{"id": N, "call": TOOL, "arguments": {…}, "expect": DIGEST}`, a call;
/// - `{"cancel": N}`, after which there is no answer to the request N;
/// - `{"answer": M, "result": …}`, the user's answer to the question M;
/// - `{"level": …}`: from which level on it wants log messages;
///
/// and the client answers with
///
/// - `{"id": N, "result": …}`: an array of declarations, or a result of MCP;
/// - `{"id": N, "error": {…}}`: a diagnostic, as `--error-format json` prints it;
/// - `{"id": N, "progress": {"progress": …, "total": …, "message": …}}`, before the answer;
/// - `{"ask": M, "question": {…}}`: a question of the server to the user, as MCP has it;
/// - `{"log": {…}}`: a log message of the server;
/// - `{"changed": true}`: the server declares other tools now;
/// - `{"ended": true}` before it exits, if no request was lost: what it has not answered can be
///   sent again;
/// - `{"failed": {…}}` before it exits for another reason: the diagnostic for all requests that
///   it has not answered.
pub trait Sessions: Debug + Send + Sync {
    /// Sends a request to the session of its source, which is started if it is not open, and
    /// waits for the answer: an array of declarations, or a result of MCP.
    fn request(&self, request: &SessionRequest<'_>) -> Result<Value, SessionError>;

    /// Ends the session of `source`, if there is one.
    fn end(&self, source: &str);

    /// A word for hosts to which servers may declare other tools than to hosts in general.
    fn audience(&self) -> Option<&'static str>;
}

/// A request to the session of a source.
#[derive(Clone, Copy)]
pub struct SessionRequest<'r> {
    /// The source.
    pub source: &'r str,
    /// Everything that the session depends on. One with another fingerprint is replaced.
    pub fingerprint: &'r str,
    /// The request without an ID.
    pub message: &'r Map<String, Value>,
    /// How long the answer may take.
    pub timeout: Duration,
    /// Cancels the request, but not the session.
    pub cancel: &'r Cancel,
    /// What receives progress.
    pub progress: Option<&'r Progress>,
    /// The client that would be started.
    pub process: &'r dyn Fn() -> Result<Process, Box<Diagnostic>>,
    /// What is called, in any thread, when the server declares other tools.
    pub on_change: &'r Arc<dyn Fn() + Send + Sync>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub enum SessionError {
    /// It was cancelled.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// The session or the server failed.
    Failed(Box<Diagnostic>),
}
