//! The client's side of a session: what a server sends besides answers.
//!
//! The revision 2026-07-28 deprecates sampling, roots and logs, and so does the SDK; servers still
//! send them.
#![allow(deprecated, reason = "stateful servers still sample")]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cogtools_core::{Progress, ProgressUpdate};
use parking_lot::Mutex;
use rmcp::model::{
    ClientConfig, ClientResult, CreateMessageRequest, CreateMessageRequestParams,
    CreateMessageResult, CustomNotification, CustomRequest, CustomResult, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, Implementation, InputRequest,
    InputRequiredResult, ListRootsRequest, ListRootsResult, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, ResourceUpdatedNotificationParam, ServerNotification,
    ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::timeout;

use crate::auth::may_be_opened;
use crate::client::connector::ClientError;
use crate::client::session::{INITIALIZE, SessionError};
use crate::questions::unsupported;
use crate::sources::Clients;
use crate::sources::host::{
    Abilities, Host, LogMessage, MAX_BYTES, NoAnswer, PATIENCE, clean, clean_all,
};

/// The number of questions of one source that may wait for the user at once.
const MAX_QUESTIONS: usize = 16;
/// The code of the error by which a server asks the user to open pages first
/// (`URLElicitationRequiredError` in the revision 2025-11-25).
const PAGES_REQUIRED: ErrorCode = ErrorCode(-32042);
const ELICIT: &str = "elicitation/create";
const SAMPLE: &str = "sampling/createMessage";
const COMPLETE: &str = "notifications/elicitation/complete";

/// A function that is called when a server declares other tools.
pub(crate) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// The handler of progress, logs, changes, and questions to the clients of a server.
pub(crate) struct Listener {
    /// The name of the source.
    source: String,
    /// The key of the source.
    key: String,
    /// The abilities at the start of the session: the server knows them.
    pub(crate) abilities: Abilities,
    clients: Arc<Clients>,
    on_change: OnChange,
    questions: Semaphore,
    /// The request that the server is to answer, for the message of a timeout.
    phase: Mutex<&'static str>,
    /// The progress of the requests that wait for an answer, by its token.
    requests: watch::Sender<HashMap<ProgressToken, Option<Progress>>>,
    /// True if the server has changed its tools since they were listed.
    changed: AtomicBool,
    /// Notified when clients subscribe to other resources.
    pub(crate) subscribed: Notify,
}

/// A request that waits for its answer.
pub(super) struct Receiving<'l>(&'l Listener, ProgressToken);

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        let Self(listener, token) = self;
        let requests = &listener.requests;
        requests.send_modify(|requests| drop(requests.remove(token)));
    }
}

impl Default for Listener {
    /// Returns a listener of a session for one request: it asks no one, and shows nothing.
    fn default() -> Self {
        let clients = Arc::new(Clients::of(&Arc::default(), false));
        Self::new(("", ""), Abilities::default(), clients, Arc::new(|| {}))
    }
}

impl Listener {
    /// Returns a listener to the server of the `source` with this `key`, which works for `clients`.
    pub(crate) fn new(
        (source, key): (&str, &str),
        abilities: Abilities,
        clients: Arc<Clients>,
        on_change: OnChange,
    ) -> Self {
        Self {
            source: clean(source),
            key: key.to_owned(),
            abilities,
            clients,
            on_change,
            questions: Semaphore::new(MAX_QUESTIONS),
            phase: Mutex::new(INITIALIZE),
            requests: watch::Sender::default(),
            changed: AtomicBool::new(false),
            subscribed: Notify::new(),
        }
    }

    /// Takes note of the request that the server is to answer.
    pub(super) fn enter(&self, phase: &'static str) -> &'static str {
        *self.phase.lock() = phase;
        phase
    }

    /// Returns the error of the server `name`, which did not answer within `limit`.
    pub(crate) fn timed_out(&self, name: &str, limit: Duration) -> SessionError {
        ClientError::TimedOut(name.to_owned(), *self.phase.lock(), limit).into()
    }

    /// Returns true if the server has changed its tools since the last call of this function.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Begins a request with this token, which ends when the result is dropped.
    pub(super) fn begin(&self, token: ProgressToken, progress: Option<Progress>) -> Receiving<'_> {
        self.requests
            .send_modify(|requests| drop(requests.insert(token.clone(), progress)));
        Receiving(self, token)
    }

    /// Returns true if the server works on no request.
    fn is_idle(&self) -> bool {
        self.requests.borrow().is_empty()
    }

    /// Waits for an answer for the server, until it withdraws its request or works on none.
    async fn wait<T>(
        &self,
        context: &RequestContext<RoleClient>,
        answer: impl Future<Output = T>,
    ) -> Option<T> {
        let mut requests = self.requests.subscribe();
        tokio::select! {
            biased;
            answer = answer => Some(answer),
            () = context.ct.cancelled() => None,
            _ = requests.wait_for(HashMap::is_empty) => None,
        }
    }

    /// Asks the user for the server. A server that works for no one asks no one.
    async fn ask(
        &self,
        params: Value,
        context: &RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if self.is_idle() {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        let answer = self.wait(context, self.elicit(params, self.speaker()));
        let answer = answer.await;
        answer.unwrap_or_else(|| Ok(ElicitResult::new(ElicitationAction::Cancel)))
    }

    /// Asks the model for the server.
    async fn sample(
        &self,
        params: Value,
        context: &RequestContext<RoleClient>,
    ) -> Result<Value, ErrorData> {
        if self.is_idle() && self.abilities.capabilities().sampling.is_some() {
            let message = "no request is in flight, so no model is asked";
            return Err(ErrorData::invalid_request(message, None));
        }
        let answer = self.wait(context, self.create(params, self.speaker()));
        let answer = answer.await;
        answer.unwrap_or_else(|| Err(ErrorData::internal_error("cancelled", None)))
    }

    pub(crate) fn tools_changed(&self) {
        self.changed.store(true, Ordering::Release);
        self.offers_changed();
    }

    /// Tells the program, and other clients of a shared session.
    fn offers_changed(&self) {
        (self.on_change)();
        self.clients.changed();
    }

    /// Passes on an announcement of a stateless server.
    pub(super) fn announced(&self, notification: ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.tools_changed(),
            ServerNotification::PromptListChangedNotification(_)
            | ServerNotification::ResourceListChangedNotification(_) => self.offers_changed(),
            ServerNotification::ResourceUpdatedNotification(update) => {
                self.updated(&update.params.uri);
            }
            _ => {}
        }
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
        let capabilities = self.abilities.capabilities().clone();
        ClientConfig::new(capabilities, client).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.ask(value(&request)?, &context).await
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let message = self.sample(value(&request)?, &context).await?;
        serde_json::from_value(message).map_err(|error| invalid(&error))
    }

    /// Passes on a question that the SDK cannot read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.filter(Value::is_object);
        let params = params.ok_or_else(|| {
            let message = format!("the parameters of `{}` are not an object", request.method);
            ErrorData::invalid_params(message, None)
        });
        let answer = match &*request.method {
            ELICIT => value(&self.ask(params?, &context).await?)?,
            SAMPLE => self.sample(params?, &context).await?,
            method => {
                let message = method.to_owned();
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        Ok(CustomResult::new(answer))
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        // The user has finished what a page asked for.
        if notification.method == COMPLETE
            && let Some(host) = self.speaker()
        {
            host.notify(ServerNotification::CustomNotification(notification));
        }
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        self.roots(self.speaker()).await
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.updated(&params.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.offers_changed();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.offers_changed();
    }

    async fn on_logging_message(&self, message: LogMessage, _: NotificationContext<RoleClient>) {
        self.log(message);
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(Some(progress)) = self.requests.borrow().get(&params.progress_token) {
            progress.update(ProgressUpdate {
                progress: params.progress,
                total: params.total,
                message: params.message.as_deref().map(clean),
            });
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed();
    }
}

impl Listener {
    /// Adds the answers to the questions in `result` to the parameters of its request; nothing if one
    /// cannot be answered.
    pub(super) async fn answer(
        &self,
        params: &mut Map<String, Value>,
        result: &Map<String, Value>,
        host: Option<Arc<Host>>,
    ) -> Option<()> {
        let value = Value::Object(result.clone());
        let result: InputRequiredResult = serde_json::from_value(value).ok()?;
        let mut answers = Map::new();
        for (name, request) in result.input_requests.unwrap_or_default() {
            let answer = match request {
                InputRequest::Elicitation(request) => {
                    let params = serde_json::to_value(request.params).ok()?;
                    serde_json::to_value(self.elicit(params, host.clone()).await.ok()?).ok()?
                }
                InputRequest::CreateMessage(request) => {
                    let params = serde_json::to_value(request.params).ok()?;
                    self.create(params, host.clone()).await.ok()?
                }
                InputRequest::ListRoots(_) => {
                    serde_json::to_value(self.roots(host.clone()).await.ok()?).ok()?
                }
                _ => return None,
            };
            answers.insert(name, answer);
        }
        params.remove("inputResponses");
        if !answers.is_empty() {
            params.insert("inputResponses".to_owned(), answers.into());
        }
        params.remove("requestState");
        if let Some(state) = result.request_state {
            params.insert("requestState".to_owned(), state.into());
        }
        Some(())
    }

    /// Passes on a log message, unless it is too large.
    fn log(&self, message: LogMessage) {
        let Some(host) = self.speaker() else {
            return;
        };
        // A server that several share was asked for what one of them wants.
        let is_own = self.clients.own.is_some();
        let level = host.level().filter(|_| !is_own);
        let is_wanted = level.is_none_or(|least| message.level as u8 >= least as u8);
        if let Some(message) = self.log_message(message).filter(|_| is_wanted) {
            host.log(message);
        }
    }

    fn log_message(&self, mut message: LogMessage) -> Option<LogMessage> {
        message.logger = Some(match message.logger {
            Some(logger) => format!("{}: {logger}", self.source),
            None => self.source.clone(),
        });
        let mut value = serde_json::to_value(message).ok()?;
        if value.to_string().len() > MAX_BYTES {
            return None;
        }
        clean_all(&mut value);
        serde_json::from_value(value).ok()
    }

    /// The client that the source works for, if it is known.
    pub(super) fn speaker(&self) -> Option<Arc<Host>> {
        self.clients.speaker()
    }

    /// Asks the user of `host`, as far as it can.
    ///
    /// # Errors
    /// That of the client.
    async fn elicit(
        &self,
        params: Value,
        host: Option<Arc<Host>>,
    ) -> Result<ElicitResult, ErrorData> {
        let permit = self.questions.try_acquire();
        let (Ok(_permit), Some(question), Some(host)) = (permit, self.question(params), host)
        else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let request = match serde_json::from_value(question.clone()) {
            Ok(question) => ServerRequest::ElicitRequest(ElicitRequest::new(question)),
            // The SDK does not know every form that clients show.
            Err(_) => ServerRequest::CustomRequest(CustomRequest::new(ELICIT, Some(question))),
        };
        match timeout(PATIENCE, host.request(request)).await {
            Ok(Ok(ClientResult::ElicitResult(result))) => Ok(result),
            Ok(Err(NoAnswer::Refused(error))) => Err(error),
            _ => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    /// Asks the model of `host`, if it lets sources do so; returns the message.
    async fn create(&self, mut params: Value, host: Option<Arc<Host>>) -> Result<Value, ErrorData> {
        let Ok(_permit) = self.questions.try_acquire() else {
            let message = "too many questions at once";
            return Err(ErrorData::internal_error(message, None));
        };
        if self.abilities.capabilities().sampling.is_none() {
            return Err(unsupported(SAMPLE));
        }
        // The user reads it before the model does.
        clean_all(&mut params);
        let request = match serde_json::from_value(params.clone()) {
            Ok(params) => ServerRequest::CreateMessageRequest(CreateMessageRequest::new(params)),
            Err(_) => ServerRequest::CustomRequest(CustomRequest::new(SAMPLE, Some(params))),
        };
        let message = request_of(host, request).await?;
        value(&message)
    }

    /// Returns the folders of `host`, if it has some.
    async fn roots(&self, host: Option<Arc<Host>>) -> Result<ListRootsResult, ErrorData> {
        if self.abilities.capabilities().roots.is_none() {
            return Err(unsupported("roots/list"));
        }
        let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
        match request_of(host, request).await? {
            ClientResult::ListRootsResult(result) => Ok(result),
            _ => Err(ErrorData::internal_error("an unexpected answer", None)),
        }
    }

    /// Tells the subscribers of a resource that it has changed.
    fn updated(&self, uri: &str) {
        for host in self.clients.hosts() {
            host.updated(&self.key, uri);
        }
    }

    /// Returns the resources of the source that have subscribers.
    pub(crate) fn subscribed(&self) -> Vec<String> {
        let hosts = self.clients.hosts();
        let mut uris: Vec<_> = hosts
            .iter()
            .flat_map(|it| it.subscribed(&self.key))
            .collect();
        uris.sort_unstable();
        uris.dedup();
        uris
    }

    /// Returns the question for the user; nothing if the host cannot ask it.
    fn question(&self, mut question: Value) -> Option<Value> {
        let text = |key: &str| question.get(key).and_then(Value::as_str);
        let is_allowed = match text("mode") {
            None | Some("form") => self.abilities.has_forms(),
            Some("url") => self.abilities.has_pages() && may_be_opened(text("url")?),
            _ => false,
        };
        let message = format!("{}: {}", self.source, text("message").unwrap_or_default());
        if !is_allowed || !question.is_object() || question.to_string().len() > MAX_BYTES {
            return None;
        }
        question["message"] = message.into();
        clean_all(&mut question);
        Some(question)
    }

    /// Returns the error of a server for the client. If it asks the user to open pages, it has those
    /// that the host may show.
    pub(crate) fn error(&self, mut error: ErrorData) -> ErrorData {
        if error.code == PAGES_REQUIRED {
            let data = error
                .data
                .as_mut()
                .and_then(|it| it.get_mut("elicitations"));
            if let Some(pages) = data.and_then(Value::as_array_mut) {
                let asked = std::mem::take(pages).into_iter();
                *pages = asked.filter_map(|page| self.question(page)).collect();
            }
        }
        error.message = clean(&error.message).into();
        error.data.as_mut().map(clean_all);
        error
    }

    /// Returns the error by which a server asks for pages, if the host shows at least one.
    pub(crate) fn pages(&self, error: &ErrorData) -> Option<ErrorData> {
        let error = Some(error).filter(|error| error.code == PAGES_REQUIRED)?;
        let error = self.error(error.clone());
        let pages = error.data.as_ref()?.get("elicitations")?.as_array()?;
        (!pages.is_empty()).then_some(error)
    }
}

/// Sends a request to `host`.
async fn request_of(
    host: Option<Arc<Host>>,
    request: ServerRequest,
) -> Result<ClientResult, ErrorData> {
    match host {
        Some(host) => host.request(request).await.map_err(ErrorData::from),
        None => Err(unsupported("requests of servers that work for several")),
    }
}

/// Returns the parameters of a question as the protocol writes them.
fn value(params: &impl Serialize) -> Result<Value, ErrorData> {
    serde_json::to_value(params).map_err(|error| invalid(&error))
}

/// Returns the error of a message that cannot be written or read.
fn invalid(error: &serde_json::Error) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn listener(abilities: Abilities) -> Listener {
        let clients = Arc::new(Clients::of(&Arc::default(), false));
        Listener::new(("s", "key"), abilities, clients, Arc::new(|| {}))
    }

    #[test]
    fn what_the_host_cannot_do_is_declined() {
        let schema = json!({"type": "object", "properties": {}});
        let form = json!({"mode": "form", "message": "m", "requestedSchema": schema});
        let page =
            |url: &str| json!({"mode": "url", "message": "m", "url": url, "elicitationId": "e"});
        let declared = json!({"elicitation": {"url": {}}});
        let declared = serde_json::from_value(declared).expect("capabilities");
        let only_pages = Abilities::of(&declared);
        let declared = serde_json::from_value(json!({"elicitation": {"form": {}}}));
        let forms = Abilities::of(&declared.expect("capabilities"));
        for (abilities, value, expected) in [
            (Abilities::default(), form.clone(), false),
            (Abilities::default(), page("https://a.example/"), false),
            (only_pages.clone(), form, false),
            (only_pages.clone(), page("file:///etc/passwd"), false),
            (only_pages.clone(), page("javascript:alert(1)"), false),
            (only_pages.clone(), page("http://a.example/"), false),
            (only_pages.clone(), page("https://u:p@a.example/"), false),
            (forms.clone(), json!("text"), false),
            (forms, json!([]), false),
            (only_pages.clone(), page("https://a.example/"), true),
        ] {
            let asked = listener(abilities).question(value.clone());
            assert_eq!(asked.is_some(), expected, "{value}");
        }
    }

    #[test]
    fn what_a_server_says_is_cleaned_and_named() {
        let listener = listener(Abilities::default());
        let message = json!({
            "level": "info", "logger": "l\u{1b}", "data": {"a": ["x\u{1b}[31m\u{202e}\ny"]},
        });
        let message = serde_json::from_value(message).expect("a message");
        let logged = listener.log_message(message).expect("it is small");
        assert_eq!(
            serde_json::to_value(logged).expect("JSON"),
            json!({"level": "info", "logger": "s: l", "data": {"a": ["x[31m\ny"]}})
        );
        let large = json!({"level": "info", "data": "x".repeat(MAX_BYTES)});
        let large = serde_json::from_value(large).expect("a message");
        assert!(listener.log_message(large).is_none());
    }
}
