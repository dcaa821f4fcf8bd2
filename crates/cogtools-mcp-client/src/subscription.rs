//! Hears from a stateless server that its tools have changed, on a stream that stays open.

use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use tokio::time::sleep;

use crate::listener::Notifications;
use crate::session::Session;

/// How long to wait until a stream that has ended is opened again: doubled each time.
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Passes on changes as long as it is waited for. A stateful server announces them by itself.
pub(crate) async fn hear(session: &Session<'_>, notifications: &Notifications) {
    if !session.announces_changes() {
        std::future::pending::<()>().await;
    }
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut pause = MIN_PAUSE;
    let mut is_first = true;
    loop {
        if let Ok(mut subscription) = session.peer().listen(filter.clone()).await {
            // What changed while there was no stream was not announced.
            if !std::mem::take(&mut is_first) {
                notifications.tools_changed();
            }
            while let Ok(Some(notification)) = subscription.next().await {
                pause = MIN_PAUSE;
                if matches!(
                    notification,
                    ServerNotification::ToolListChangedNotification(_)
                ) {
                    notifications.tools_changed();
                }
            }
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}
