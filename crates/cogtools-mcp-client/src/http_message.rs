//! What the HTTP client must know of a message that it sends.

use cogtools_http::http::StatusCode;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};

/// How long a response is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// Until it is complete.
    UntilAnswered,
    /// As long as the session is open.
    WhileOpen,
}

impl Lasts {
    /// How long the response to `message` is read.
    pub(crate) const fn of(message: &ClientJsonRpcMessage) -> Self {
        match request(message) {
            Some(ClientRequest::SubscriptionsListenRequest(_)) => Self::WhileOpen,
            _ => Self::UntilAnswered,
        }
    }
}

const fn request(message: &ClientJsonRpcMessage) -> Option<&ClientRequest> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.request),
        _ => None,
    }
}

/// Whether a message requests the list of tools.
pub(crate) const fn is_list(message: &ClientJsonRpcMessage) -> bool {
    matches!(request(message), Some(ClientRequest::ListToolsRequest(_)))
}

/// Whether a message begins a session.
pub(crate) const fn is_initialize(message: &ClientJsonRpcMessage) -> bool {
    matches!(request(message), Some(ClientRequest::InitializeRequest(_)))
}

/// Whether the status rejects `server/discover` as a server does that only knows older revisions.
pub(crate) fn is_unknown_request(message: &ClientJsonRpcMessage, status: StatusCode) -> bool {
    let is_temporary = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
    );
    let is_discover = matches!(request(message), Some(ClientRequest::DiscoverRequest(_)));
    is_discover && status.is_client_error() && !is_temporary
}
