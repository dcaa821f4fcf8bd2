//! The client's side of a session: what a server sends besides answers.
//!
//! The revision 2026-07-28 deprecates sampling, roots and logs, and so does the SDK; servers still
//! send them.
#![allow(deprecated, reason = "stateful servers still sample")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cogtools_core::{Progress, ProgressUpdate};
use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, Implementation, ListRootsResult, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, ResourceUpdatedNotificationParam, ServerNotification,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use tokio::sync::Notify;

use crate::sources::Clients;
use crate::sources::host::{self, Abilities, LogMessage, SourceHost};

/// A function that is called when a server declares other tools.
pub(crate) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// The handler of progress, logs, changes, and questions to the client of a server.
pub(crate) struct Listener {
    on_change: OnChange,
    pub(super) host: SourceHost,
    /// The progress of the requests that wait for an answer, by its token.
    requests: Mutex<HashMap<ProgressToken, Option<Progress>>>,
    /// True if the server has changed its tools since they were listed.
    changed: AtomicBool,
    /// Notified when clients subscribe to other resources.
    pub(crate) subscribed: Notify,
}

impl Default for Listener {
    /// Returns a listener of a session for one request: it asks no one, and shows nothing.
    fn default() -> Self {
        let clients = Clients::of(&Arc::default(), false);
        let host = SourceHost::new("", "", Abilities::default(), Arc::new(clients));
        Self::new(Arc::new(|| {}), host)
    }
}

impl Listener {
    /// Returns a listener to a server that `host` speaks for.
    pub(crate) fn new(on_change: OnChange, host: SourceHost) -> Self {
        Self {
            on_change,
            host,
            requests: Mutex::default(),
            changed: AtomicBool::new(false),
            subscribed: Notify::new(),
        }
    }

    /// Returns true if the server has changed its tools since the last call of this function.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Returns true if the server works on no request.
    fn is_idle(&self) -> bool {
        self.requests().is_empty()
    }

    pub(super) fn tools_changed(&self) {
        self.changed.store(true, Ordering::Release);
        self.offers_changed();
    }

    /// Tells the program, and other clients of a shared session.
    fn offers_changed(&self) {
        (self.on_change)();
        self.host.changed();
    }

    /// Passes on an announcement of a stateless server.
    pub(super) fn announced(&self, notification: ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.tools_changed(),
            ServerNotification::PromptListChangedNotification(_)
            | ServerNotification::ResourceListChangedNotification(_) => self.offers_changed(),
            ServerNotification::ResourceUpdatedNotification(update) => {
                self.host.updated(&update.params.uri);
            }
            _ => {}
        }
    }

    pub(super) fn requests(&self) -> MutexGuard<'_, HashMap<ProgressToken, Option<Progress>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
        let capabilities = self.host.abilities.capabilities().clone();
        ClientConfig::new(capabilities, client).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // A server that works for no one asks no one.
        if self.is_idle() {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        tokio::select! {
            answer = self.host.ask(request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if self.is_idle() && self.host.abilities.capabilities().sampling.is_some() {
            let message = "no request is in flight, so no model is asked";
            return Err(ErrorData::invalid_request(message, None));
        }
        tokio::select! {
            answer = self.host.sample(request) => answer,
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        self.host.roots().await
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.host.updated(&params.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.offers_changed();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.offers_changed();
    }

    async fn on_logging_message(&self, message: LogMessage, _: NotificationContext<RoleClient>) {
        self.host.log(message);
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(Some(progress)) = self.requests().get(&params.progress_token) {
            progress.update(ProgressUpdate {
                progress: params.progress,
                total: params.total,
                message: params.message.as_deref().map(host::clean),
            });
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed();
    }
}
