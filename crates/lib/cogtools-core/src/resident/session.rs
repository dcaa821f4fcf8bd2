//! Sessions with MCP servers that stay open between calls.

use std::any::Any;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::environment::Vars;
use crate::process::Confinement;
use crate::progress::Progress;
use crate::{Cancel, Diagnostic};

/// Sessions that stay open, one for each source.
pub trait Sessions: Debug + Send + Sync {
    /// Sends a request to the session of its source, which is started if it is not open, and
    /// waits for the answer: an array of declarations, or a result of MCP.
    fn request(&self, request: &SessionRequest<'_>) -> Result<Value, SessionError>;

    /// Ends the session of `source`, if there is one.
    fn end(&self, source: &str);

    /// Returns a word for hosts to which servers may declare other tools than to hosts in general.
    fn audience(&self) -> Option<&'static str>;
}

/// A request to the session of a source.
#[derive(Clone, Copy)]
pub struct SessionRequest<'r> {
    /// The source.
    pub source: &'r str,
    /// A digest of everything that the session depends on. One with another fingerprint is
    /// replaced.
    pub fingerprint: &'r str,
    /// The task of the server.
    pub work: &'r SessionWork,
    /// The limit for the answer.
    pub timeout: Duration,
    /// The time without a request after which the session ends.
    pub idle: Duration,
    /// Cancels the request, but not the session.
    pub cancel: &'r Cancel,
    /// Receives progress.
    pub progress: Option<&'r Progress>,
    /// Prepares the start of the server.
    pub start: &'r dyn Fn() -> Result<ServerStart, Box<Diagnostic>>,
    /// Called, in any thread, when the server declares other tools.
    pub on_change: &'r Arc<dyn Fn() + Send + Sync>,
}

/// The task of a server in a session.
#[derive(Clone, Debug)]
pub enum SessionWork {
    /// Declare all tools.
    List,
    /// Call a tool.
    Call {
        /// The name of the tool.
        tool: String,
        /// The arguments.
        arguments: Map<String, Value>,
        /// The digest of the declaration that the caller knows.
        expected: String,
    },
}

/// A server that is about to be started or contacted, and everything that it may see.
pub struct ServerStart {
    /// Its description, as [`Server::description`](crate::source::Server::description).
    pub description: String,
    /// Its whole environment.
    pub variables: Vars,
    /// Its working directory.
    pub directory: PathBuf,
    /// The limits of its programs.
    pub confinement: Confinement,
    /// The owner of a folder that must exist while it runs.
    pub folder: Option<Arc<dyn Any + Send + Sync>>,
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
