//! How the session with a source ends, and what that means for its requests.

use cogtools_core::Diagnostic;
use cogtools_core::resident::SessionError;

/// How a session has ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// No request was lost: those without an answer can be sent again.
    Idle,
    /// The client or the server failed.
    Failed(Box<Diagnostic>),
}

/// Why a request has no answer.
pub(crate) enum RequestError {
    /// The session has ended before the request reached the server.
    Ended,
    /// Another reason.
    Session(SessionError),
}
