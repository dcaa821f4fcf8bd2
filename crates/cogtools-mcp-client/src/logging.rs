//! Log messages of stateful servers. The revision 2026-07-28 deprecates them, and so does the SDK;
//! servers still send them.
#![allow(deprecated, reason = "stateful servers still log")]

use rmcp::RoleClient;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, SetLevelRequestParams};
use rmcp::service::Peer;
use serde_json::{Value, json};

/// A log message.
pub(crate) type LogMessage = LoggingMessageNotificationParam;
/// How important a message is.
pub(crate) type Level = LoggingLevel;

/// The message, named with the server.
pub(crate) fn named(message: LogMessage, server: &str) -> Value {
    let logger = match message.logger {
        Some(logger) => format!("{server}: {logger}"),
        None => server.to_owned(),
    };
    json!({"level": message.level, "logger": logger, "data": message.data})
}

/// Asks a server for messages of this level and above. Those that cannot log are not asked.
pub(crate) async fn set_level(peer: &Peer<RoleClient>, level: Level) {
    let server = peer.peer_info();
    if server.is_some_and(|server| server.capabilities.logging.is_some()) {
        let _ = peer.set_level(SetLevelRequestParams::new(level)).await;
    }
}
