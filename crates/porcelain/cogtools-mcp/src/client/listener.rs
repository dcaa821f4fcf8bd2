//! Messages of a server besides answers: progress, questions, logs, and changes of its tools.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cogtools_core::{Progress, ProgressUpdate};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    Implementation, ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, RequestHandle, ServiceError};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use tokio::sync::Notify;

use crate::client::error::ClientError;
use crate::client::session::SessionError;
use crate::logging::LogMessage;
use crate::sources::host::{SourceHost, clean};

/// Called when a server declares other tools.
pub(crate) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// The handler of notifications, and of questions to the user. Other requests are rejected.
#[derive(Clone, Default)]
pub(crate) struct Listener {
    /// They are dropped if the session is for one request.
    notifications: Option<Arc<Notifications>>,
}

/// The receivers of the notifications of a session.
pub(crate) struct Notifications {
    /// Called when the server declares other tools.
    on_change: OnChange,
    /// The progress of the requests that wait for an answer, by its token.
    requests: Mutex<HashMap<ProgressToken, Option<Progress>>>,
    /// True if the server has changed its tools since they were listed.
    changed: AtomicBool,
    host: SourceHost,
}

/// One request that waits for its answer, and can be cancelled.
pub(crate) struct RequestWatch<'w> {
    pub(crate) progress: Option<&'w Progress>,
    pub(crate) notifications: &'w Notifications,
    /// Notified when the request is cancelled.
    pub(crate) cancelled: &'w Notify,
    pub(crate) timeout: Duration,
}

impl Listener {
    /// A handler for a session that stays open.
    pub(crate) const fn new(notifications: Arc<Notifications>) -> Self {
        Self {
            notifications: Some(notifications),
        }
    }

    /// Asks the user. A session for one request asks no one.
    pub(crate) async fn ask(&self, params: ElicitRequestParams) -> ElicitResult {
        match &self.notifications {
            Some(notifications) => notifications.host.ask(params).await,
            None => ElicitResult::new(ElicitationAction::Decline),
        }
    }

    /// Whether the server works on a request.
    fn has_requests(&self) -> bool {
        let notifications = self.notifications.as_ref();
        notifications.is_some_and(|notifications| notifications.has_requests())
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        let notifications = self.notifications.as_ref();
        capabilities.elicitation = notifications.and_then(|it| it.host.abilities.capability());
        ClientConfig::new(capabilities, client).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // A server that works for no one asks no one.
        if !self.has_requests() {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        tokio::select! {
            answer = self.ask(request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_logging_message(
        &self,
        params: LogMessage,
        _context: NotificationContext<RoleClient>,
    ) {
        if let Some(notifications) = &self.notifications {
            notifications.host.log(params);
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        if let Some(notifications) = &self.notifications {
            notifications.progress(&params);
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        if let Some(notifications) = &self.notifications {
            notifications.tools_changed();
        }
    }
}

impl Notifications {
    /// Notifications of a server that `host` speaks for.
    pub(crate) fn new(on_change: OnChange, host: SourceHost) -> Self {
        Self {
            on_change,
            requests: Mutex::default(),
            changed: AtomicBool::new(false),
            host,
        }
    }

    /// Whether the server works on a request.
    fn has_requests(&self) -> bool {
        let requests = self.lock();
        !requests.is_empty()
    }

    /// Whether the server has changed its tools since the last time that this was asked.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Says that the server declares other tools now.
    pub(crate) fn tools_changed(&self) {
        self.changed.store(true, Ordering::Release);
        (self.on_change)();
    }

    fn progress(&self, params: &ProgressNotificationParam) {
        let requests = self.lock();
        if let Some(Some(progress)) = requests.get(&params.progress_token) {
            progress.update(ProgressUpdate {
                progress: params.progress,
                total: params.total,
                message: params.message.as_deref().map(clean),
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, Option<Progress>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestWatch<'_> {
    /// Waits for the response to `handle`. If it is cancelled or takes too long, the server is
    /// notified.
    pub(crate) async fn wait(
        &self,
        mut handle: RequestHandle<RoleClient>,
        phase: &'static str,
        server: &str,
    ) -> Result<Result<ServerResult, ServiceError>, SessionError> {
        let token = handle.progress_token.clone();
        let progress = self.progress.cloned();
        self.notifications.lock().insert(token.clone(), progress);
        let response = tokio::select! {
            response = &mut handle.rx => Some(response.unwrap_or(Err(ServiceError::TransportClosed))),
            () = self.cancelled.notified() => None,
            () = tokio::time::sleep(self.timeout) => None,
        };
        self.notifications.lock().remove(&token);
        if let Some(response) = response {
            return Ok(response);
        }
        let _ = handle
            .cancel(Some("the request was cancelled".to_owned()))
            .await;
        let (name, timeout) = (server.to_owned(), self.timeout);
        Err(SessionError::Server(ClientError::TimedOut(
            name, phase, timeout,
        )))
    }
}
