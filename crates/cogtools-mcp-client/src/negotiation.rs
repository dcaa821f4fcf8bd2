//! Which protocol a server speaks: what it is sent first, and what its rejection means.

use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::ClientInitializeError;

use crate::error::ClientError;
use crate::session::SessionError;

/// What a server is sent first, to learn which protocol it speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FirstRequest {
    /// Over standard streams: some stateful servers never answer anything else.
    Initialize,
    /// Over HTTP: stateless servers reject a request without their headers.
    Discover,
}

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const DISCOVER: &str = "server/discover";

/// Whether `server/discover` failed because the server only knows stateful revisions: it rejects
/// the request, answers it with something else, or names such revisions.
pub(crate) fn is_of_stateful(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(error) => !matches!(
            error.code,
            ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        ),
        ClientInitializeError::NoCompatibleProtocolVersion {
            server_supported, ..
        } => {
            server_supported.is_empty()
                || server_supported.iter().any(ProtocolVersion::has_initialize)
        }
        ClientInitializeError::ExpectedInitResult(_) => true,
        _ => false,
    }
}

pub(crate) fn start_error(
    error: ClientInitializeError,
    name: &str,
    phase: &'static str,
) -> SessionError {
    let name = name.to_owned();
    match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => SessionError::Disconnected(phase),
        ClientInitializeError::JsonRpcError(error) => {
            let message = error.message.to_string();
            SessionError::Server(ClientError::Rejected(name, phase, message))
        }
        other => {
            let excerpt = other.to_string().chars().take(200).collect();
            SessionError::Server(ClientError::UnexpectedResponse(name, phase, excerpt))
        }
    }
}
