//! A session with a server, stateful or stateless: its start, its list of tools, a call, and the
//! messages of the server besides answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cogtools_core::{Progress, ProgressUpdate};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, Implementation, InputRequest,
    InputRequiredResult, ListToolsRequest, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, NotificationContext,
    PeerRequestOptions, RequestContext, RunningService, ServiceError,
};
use rmcp::transport::Transport;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::client::connector::ClientError;
use crate::sources::host::{self, Abilities, Level, LogMessage, SourceHost};

/// The largest list of tools.
const MAX_PAGES: usize = 1_000;
const MAX_LIST_BYTES: usize = 10 << 20;
/// The part of an unexpected response that is shown.
const MAX_EXCERPT_CHARS: usize = 120;
/// The number of times that a server may ask during one call.
const MAX_ROUNDS: usize = 8;
/// The pause before a stream that has ended is opened again: doubled each time.
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(1);

pub(crate) const INITIALIZE: &str = "initialize";
const DISCOVER: &str = "server/discover";

/// The request that the server is to answer, for the message of a timeout.
pub(crate) type Phase = Mutex<&'static str>;
/// A function that is called when a server declares other tools.
pub(crate) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// Why a session failed.
pub(crate) enum SessionError {
    /// The server returned an error, or an invalid response.
    Server(ClientError),
    /// The connection was lost in this phase; the transport knows more.
    Disconnected(&'static str),
}

impl From<ClientError> for SessionError {
    fn from(error: ClientError) -> Self {
        Self::Server(error)
    }
}

/// The first message to a server, which shows the protocol that it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstRequest {
    /// Over standard streams: some stateful servers never answer anything else.
    Initialize,
    /// Over HTTP: stateless servers reject a request without their headers.
    Discover,
}

/// A session.
pub(crate) struct Session<'s> {
    name: &'s str,
    phase: &'s Phase,
    is_stateless: bool,
    service: RunningService<RoleClient, Arc<Listener>>,
}

/// A call that waits for its answer, and can be cancelled.
pub(crate) struct Watch<'w> {
    pub(crate) progress: Option<&'w Progress>,
    /// Notified when the call is cancelled.
    pub(crate) cancelled: &'w Notify,
    pub(crate) timeout: Duration,
}

fn enter(phase: &Phase, name: &'static str) -> &'static str {
    *phase.lock().unwrap_or_else(PoisonError::into_inner) = name;
    name
}

/// Returns the error of a server that did not answer within `limit`.
pub(crate) fn timed_out(name: &str, phase: &Phase, limit: Duration) -> SessionError {
    let phase = *phase.lock().unwrap_or_else(PoisonError::into_inner);
    ClientError::TimedOut(name.to_owned(), phase, limit).into()
}

impl<'s> Session<'s> {
    /// Starts a session. `transport` connects to the server, a second time if the
    /// server does not speak the protocol that is tried first.
    pub(crate) async fn start<T: Transport<RoleClient> + 'static>(
        name: &'s str,
        phase: &'s Phase,
        listener: &Arc<Listener>,
        first: FirstRequest,
        transport: impl Fn() -> T,
    ) -> Result<Self, SessionError> {
        let connect = async |is_stateless: bool| {
            let (lifecycle, request) = if is_stateless {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                (
                    ClientLifecycleMode::Discover { preferred_versions },
                    DISCOVER,
                )
            } else {
                (ClientLifecycleMode::Initialize, INITIALIZE)
            };
            enter(phase, request);
            let connecting = Arc::clone(listener).serve_with_lifecycle(transport(), lifecycle);
            connecting.await.map(|service| Self {
                name,
                phase,
                is_stateless,
                service,
            })
        };
        let is_stateless = first == FirstRequest::Discover;
        let error = match connect(is_stateless).await {
            Ok(session) => return Ok(session),
            Err(error) => error,
        };
        match (&error, is_stateless) {
            (ClientInitializeError::JsonRpcError(_), false) => connect(true)
                .await
                .map_err(|_| start_error(error, name, INITIALIZE)),
            (_, true) if is_of_stateful(&error) => connect(false)
                .await
                .map_err(|error| start_error(error, name, INITIALIZE)),
            (_, true) => Err(start_error(error, name, DISCOVER)),
            (_, false) => Err(start_error(error, name, INITIALIZE)),
        }
    }

    /// Returns true if the server is stateless.
    pub(crate) const fn is_stateless(&self) -> bool {
        self.is_stateless
    }

    /// Lists all its tools, as it describes them.
    pub(crate) async fn list_tools(&self) -> Result<Vec<Value>, SessionError> {
        let phase = enter(self.phase, "tools/list");
        let (mut tools, mut size, mut cursor) = (Vec::new(), 0, None::<String>);
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let mut page = self.send(phase, request, None).await?;
            let Some(Value::Array(page_tools)) = page.remove("tools") else {
                return Err(self.unexpected_response(phase, &Value::Object(page).to_string()));
            };
            let sizes = page_tools.iter().map(|tool| tool.to_string().len());
            size += sizes.sum::<usize>();
            tools.extend(page_tools);
            let next = page.get("nextCursor").and_then(Value::as_str);
            cursor = next.map(str::to_owned);
            if cursor.is_none() {
                return Ok(tools);
            }
            if size > MAX_LIST_BYTES {
                break;
            }
        }
        Err(ClientError::TooManyTools(self.name.to_owned()).into())
    }

    /// Calls a tool. If that fails because the server no longer has the tool, the error says so.
    pub(crate) async fn call_tool(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        watch: &Watch<'_>,
    ) -> Result<Map<String, Value>, SessionError> {
        let phase = enter(self.phase, "tools/call");
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let mut rounds = 0;
        let result = loop {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let result = self.send(phase, request, Some(watch)).await;
            let is_question = |result: &&Map<String, Value>| {
                result.get("resultType").and_then(Value::as_str) == Some("input_required")
            };
            let Some(questions) = result.as_ref().ok().filter(is_question) else {
                break result;
            };
            rounds += 1;
            match answered(params, questions, &self.service.service().host).await {
                Some(answered) if rounds <= MAX_ROUNDS => params = answered,
                _ => break result,
            }
        };
        let may_be_gone = match &result {
            Ok(object)
                if object.contains_key("content") || object.contains_key("structuredContent") =>
            {
                object.get("isError") == Some(&Value::Bool(true))
            }
            Ok(object) => {
                let response = Value::Object(object.clone()).to_string();
                return Err(self.unexpected_response(phase, &response));
            }
            Err(error) => matches!(error, SessionError::Server(ClientError::Rejected(..))),
        };
        if may_be_gone && !self.has_tool(tool).await {
            return Err(ClientError::ToolNotFound(self.name.to_owned(), tool.to_owned()).into());
        }
        result
    }

    /// Returns true if the server still lists the tool, or if its list cannot be read.
    async fn has_tool(&self, name: &str) -> bool {
        self.list_tools().await.map_or(true, |tools| {
            tools
                .iter()
                .filter_map(|tool| tool.get("name")?.as_str())
                .any(|listed| listed == name)
        })
    }

    /// Sends a request. If a call is cancelled or takes too long, the server is notified.
    async fn send(
        &self,
        phase: &'static str,
        request: ClientRequest,
        watch: Option<&Watch<'_>>,
    ) -> Result<Map<String, Value>, SessionError> {
        let options = PeerRequestOptions::no_options();
        let sent = self.service.send_cancellable_request(request, options);
        let response = match (sent.await, watch) {
            (Ok(handle), None) => handle.await_response().await,
            (Err(error), _) => Err(error),
            (Ok(mut handle), Some(watch)) => {
                let (token, listener) = (handle.progress_token.clone(), self.service.service());
                let progress = watch.progress.cloned();
                listener.requests().insert(token.clone(), progress);
                let response = tokio::select! {
                    response = &mut handle.rx => Some(response),
                    () = watch.cancelled.notified() => None,
                    () = sleep(watch.timeout) => None,
                };
                listener.requests().remove(&token);
                let Some(response) = response else {
                    let reason = "the request was cancelled".to_owned();
                    let _ = handle.cancel(Some(reason)).await;
                    let name = self.name.to_owned();
                    return Err(ClientError::TimedOut(name, phase, watch.timeout).into());
                };
                response.unwrap_or(Err(ServiceError::TransportClosed))
            }
        };
        match response.map(serde_json::to_value) {
            Ok(Ok(Value::Object(object))) => Ok(object),
            Ok(Ok(other)) => Err(self.unexpected_response(phase, &other.to_string())),
            Ok(Err(error)) => Err(self.unexpected_response(phase, &error.to_string())),
            Err(ServiceError::McpError(error)) => {
                let (name, message) = (self.name.to_owned(), error.message.to_string());
                Err(ClientError::Rejected(name, phase, message).into())
            }
            Err(_) => Err(SessionError::Disconnected(phase)),
        }
    }

    fn unexpected_response(&self, phase: &'static str, response: &str) -> SessionError {
        let excerpt = response.chars().take(MAX_EXCERPT_CHARS).collect();
        ClientError::UnexpectedResponse(self.name.to_owned(), phase, excerpt).into()
    }

    /// Asks a stateful server for log messages of this level and above.
    pub(crate) async fn set_level(&self, level: Level) {
        if !self.is_stateless {
            host::ask_for_logs(self.service.peer(), level).await;
        }
    }

    /// Returns true if the connection is lost.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_transport_closed()
    }

    /// Closes the session.
    pub(crate) async fn close(self) {
        let _ = self.service.cancel().await;
    }

    /// Passes on changes of a stateless server as long as it is waited for. A stateful server
    /// announces them by itself.
    pub(crate) async fn hear(&self) {
        let server = self.service.peer().peer_info();
        let tools = server.and_then(|server| server.capabilities.tools.clone());
        let announces = tools.is_some_and(|tools| tools.list_changed == Some(true));
        if !self.is_stateless || !announces {
            std::future::pending::<()>().await;
        }
        let listener = self.service.service();
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let (mut pause, mut is_first) = (MIN_PAUSE, true);
        loop {
            if let Ok(mut subscription) = self.service.listen(filter.clone()).await {
                // Changes while there was no stream were not announced.
                if !std::mem::take(&mut is_first) {
                    listener.tools_changed();
                }
                while let Ok(Some(notification)) = subscription.next().await {
                    pause = MIN_PAUSE;
                    let is_change = matches!(
                        notification,
                        ServerNotification::ToolListChangedNotification(_)
                    );
                    if is_change {
                        listener.tools_changed();
                    }
                }
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

/// Returns true if `server/discover` failed because the server only knows stateful revisions: it
/// rejects the request, answers it with something else, or names such revisions.
fn is_of_stateful(error: &ClientInitializeError) -> bool {
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

fn start_error(error: ClientInitializeError, name: &str, phase: &'static str) -> SessionError {
    let name = name.to_owned();
    match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => SessionError::Disconnected(phase),
        ClientInitializeError::JsonRpcError(error) => {
            ClientError::Rejected(name, phase, error.message.to_string()).into()
        }
        other => {
            let excerpt = other.to_string().chars().take(200).collect();
            ClientError::UnexpectedResponse(name, phase, excerpt).into()
        }
    }
}

/// Returns the call with the answers to the questions in `result`; nothing if one cannot be
/// answered.
async fn answered(
    mut params: CallToolRequestParams,
    result: &Map<String, Value>,
    host: &SourceHost,
) -> Option<CallToolRequestParams> {
    let value = Value::Object(result.clone());
    let result: InputRequiredResult = serde_json::from_value(value).ok()?;
    let mut answers = BTreeMap::new();
    for (name, request) in result.input_requests.unwrap_or_default() {
        // The client declares no other ability.
        let InputRequest::Elicitation(request) = request else {
            return None;
        };
        let answer = host.ask(request.params).await;
        answers.insert(name, serde_json::to_value(answer).ok()?);
    }
    params.input_responses = (!answers.is_empty()).then_some(answers);
    params.request_state = result.request_state;
    Some(params)
}

/// The handler of progress, questions to the user, logs, and changes of the tools of a server.
/// Other requests of the server are rejected.
pub(crate) struct Listener {
    on_change: OnChange,
    host: SourceHost,
    /// The progress of the requests that wait for an answer, by its token.
    requests: Mutex<HashMap<ProgressToken, Option<Progress>>>,
    /// True if the server has changed its tools since they were listed.
    changed: AtomicBool,
}

impl Default for Listener {
    /// Returns a listener of a session for one request: it asks no one, and shows nothing.
    fn default() -> Self {
        let host = SourceHost::new("", Abilities::default(), Arc::default());
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
        }
    }

    /// Returns true if the server has changed its tools since the last call of this function.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    fn tools_changed(&self) {
        self.changed.store(true, Ordering::Release);
        (self.on_change)();
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<ProgressToken, Option<Progress>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.host.abilities.capability();
        ClientConfig::new(capabilities, client).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // A server that works for no one asks no one.
        let is_idle = self.requests().is_empty();
        if is_idle {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        tokio::select! {
            answer = self.host.ask(request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
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
