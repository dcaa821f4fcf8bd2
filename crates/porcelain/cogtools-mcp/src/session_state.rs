//! What changes in a session with an MCP server while it is open.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::time::Instant;

use cogtools_core::{Diagnostic, ProgressUpdate};
use serde_json::Value;

use crate::session_end::End;

/// What changes in a session.
#[derive(Default)]
pub(crate) struct SessionState {
    /// The number of the last request.
    pub(crate) next: u64,
    /// Whom the answers are for.
    pub(crate) waiting: HashMap<u64, Sender<Event>>,
    pub(crate) has_answered: bool,
    /// The level of log messages that the server was last asked for.
    pub(crate) level: Option<Value>,
    pub(crate) end: Option<(Instant, End)>,
}

/// What the client says of a request.
pub(crate) enum Event {
    Progress(ProgressUpdate),
    Answer(Result<Value, Box<Diagnostic>>),
}
