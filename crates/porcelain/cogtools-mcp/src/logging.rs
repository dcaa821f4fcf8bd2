//! Log messages of sources, for stateful clients. The revision 2026-07-28 deprecates them, and so
//! does the SDK; servers still send them, and hosts still show them.
#![allow(deprecated, reason = "stateful clients still show logs")]

use rmcp::RoleClient;
use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerCapabilities,
    ServerNotification, SetLevelRequestParams,
};
use rmcp::service::Peer;

/// A log message.
pub(crate) type LogMessage = LoggingMessageNotificationParam;
/// The importance of a message.
pub(crate) type Level = LoggingLevel;
/// The request for a level.
pub(crate) type SetLevel = SetLevelRequestParams;

/// Returns the level that `request` asks for.
pub(crate) const fn level(request: &SetLevel) -> Level {
    request.level
}

/// Names `message` with the server.
pub(crate) fn named(mut message: LogMessage, server: &str) -> LogMessage {
    message.logger = Some(match message.logger {
        Some(logger) => format!("{server}: {logger}"),
        None => server.to_owned(),
    });
    message
}

/// Returns the notification of a log message that a source has sent.
pub(crate) fn notification(message: LogMessage) -> ServerNotification {
    ServerNotification::LoggingMessageNotification(LoggingMessageNotification::new(message))
}

/// Declares that the server logs.
pub(crate) fn declare(capabilities: &mut ServerCapabilities) {
    capabilities.logging = Some(serde_json::Map::new());
}

/// Asks a server for messages of this level and above, if it can log.
pub(crate) async fn set_level(peer: &Peer<RoleClient>, level: Level) {
    let server = peer.peer_info();
    if server.is_some_and(|server| server.capabilities.logging.is_some()) {
        let _ = peer.set_level(SetLevelRequestParams::new(level)).await;
    }
}
