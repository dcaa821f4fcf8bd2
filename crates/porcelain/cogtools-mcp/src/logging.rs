//! Log messages of sources, for stateful clients. The revision 2026-07-28 deprecates them, and so
//! does the SDK; hosts still show them.
#![allow(deprecated, reason = "stateful clients still show logs")]

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    LoggingMessageNotification, LoggingMessageNotificationParam, ServerCapabilities,
    ServerNotification, SetLevelRequestParams,
};
use serde_json::Value;

use crate::catalogue::Catalogue;

/// The request for a level.
pub(crate) type SetLevel = SetLevelRequestParams;

/// Asks all sources for log messages of a level and above.
pub(crate) async fn set_level(
    catalogue: Arc<Catalogue>,
    request: SetLevel,
) -> Result<(), ErrorData> {
    let level = serde_json::to_value(request.level).unwrap_or_default();
    let set = tokio::task::spawn_blocking(move || catalogue.sessions().set_level(&level));
    set.await
        .map_err(|_| ErrorData::internal_error("the level cannot be set", None))
}

/// The notification of a log message that a source has sent.
pub(crate) fn notification(message: Value) -> Option<ServerNotification> {
    let params: LoggingMessageNotificationParam = serde_json::from_value(message).ok()?;
    let notification = LoggingMessageNotification::new(params);
    Some(ServerNotification::LoggingMessageNotification(notification))
}

/// Says that the server logs.
pub(crate) fn declare(capabilities: &mut ServerCapabilities) {
    capabilities.logging = Some(serde_json::Map::new());
}
