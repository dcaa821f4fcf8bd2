//! A session with a server, stateful or stateless: its start, its list of tools, a call, and the
//! messages of the server besides answers.

use std::sync::Arc;
use std::time::Duration;

use cogtools_core::Progress;
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, CustomRequest, ProtocolVersion, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, PeerRequestOptions,
    RunningService, ServiceError,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use crate::client::CLOSE_TIMEOUT;
use crate::client::connector::ClientError;
use crate::client::http;
use crate::client::listener::{Listener, Receiving};
use crate::sources::host::{self, Host, Level};

/// The largest list of tools.
const MAX_PAGES: usize = 1_000;
const MAX_LIST_BYTES: usize = 10 << 20;
/// The part of an unexpected response that is shown.
const MAX_EXCERPT_CHARS: usize = 120;
/// The time after which a server that does not answer `server/discover` is taken for a stateful one.
const MAX_DISCOVERY: Duration = Duration::from_secs(10);
/// The number of turns that other tasks get before a request ends, each of some sixty tasks.
const NOTIFICATION_TURNS: usize = 16;
/// The number of times that a server may ask during one call.
const MAX_ROUNDS: usize = 8;
/// The pause before a stream that has ended is opened again: doubled each time.
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(1);

pub(crate) const INITIALIZE: &str = "initialize";
const DISCOVER: &str = "server/discover";
const CALL: &str = "tools/call";
const TASK_RESULT: &str = "tasks/result";
const TEMPLATES: &str = "resources/templates/list";
pub(crate) const SUBSCRIBE: &str = "resources/subscribe";
pub(crate) const UNSUBSCRIBE: &str = "resources/unsubscribe";
/// The longest instructions of a server, in characters.
const MAX_INSTRUCTIONS: usize = 64 << 10;

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
    is_stateless: bool,
    service: RunningService<RoleClient, Arc<Listener>>,
}

/// A call that waits for its answer, and can be cancelled.
pub(crate) struct Watch<'w> {
    pub(crate) progress: Option<&'w Progress>,
    /// Its metadata.
    pub(crate) meta: &'w Map<String, Value>,
    /// The client that it is for, if it is known.
    pub(crate) host: Option<Arc<Host>>,
    /// Notified when the call is cancelled.
    pub(crate) cancelled: &'w Notify,
    pub(crate) timeout: Duration,
}

impl<'s> Session<'s> {
    /// Starts a session. `transport` connects to the server, a second time if the
    /// server does not speak the protocol that is tried first.
    pub(crate) async fn start<T: Transport<RoleClient> + 'static>(
        name: &'s str,
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
            listener.enter(request);
            let connecting = Arc::clone(listener).serve_with_lifecycle(transport(), lifecycle);
            connecting.await.map(|service| Self {
                name,
                is_stateless,
                service,
            })
        };
        let failed = |error| start_error(error, name, INITIALIZE);
        if first == FirstRequest::Initialize {
            return match connect(false).await {
                Err(error @ ClientInitializeError::JsonRpcError(_)) => {
                    connect(true).await.map_err(|_| failed(error))
                }
                first => first.map_err(failed),
            };
        }
        // Some stateful servers never answer it.
        match timeout(MAX_DISCOVERY, connect(true)).await {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(error)) if !http::is_of_stateful(&error) => {
                Err(start_error(error, name, DISCOVER))
            }
            _ => connect(false).await.map_err(failed),
        }
    }

    fn listener(&self) -> &Listener {
        self.service.service()
    }

    /// Returns true if the server is stateless.
    pub(crate) const fn is_stateless(&self) -> bool {
        self.is_stateless
    }

    /// Lists all its tools, as it describes them. A server that does not say that it has some may
    /// reject the request.
    pub(crate) async fn list_tools(&self) -> Result<Vec<Value>, SessionError> {
        let server = self.service.peer().peer_info();
        let has_tools = server.is_none_or(|it| it.capabilities.tools.is_some());
        match self.list("tools/list", "tools").await {
            Err(SessionError::Server(ClientError::Rejected(..))) if !has_tools => Ok(Vec::new()),
            listed => listed,
        }
    }

    /// Reads all pages of a list.
    async fn list(&self, method: &'static str, key: &str) -> Result<Vec<Value>, SessionError> {
        let phase = self.listener().enter(method);
        let (mut items, mut size, mut params) = (Vec::new(), 0, Map::new());
        for _ in 0..MAX_PAGES {
            let request = self.request_of(method, &params)?;
            let mut page = self.send(phase, request, None).await?;
            let Some(Value::Array(more)) = page.remove(key) else {
                return Err(self.unexpected_response(phase, &Value::Object(page).to_string()));
            };
            size += more
                .iter()
                .map(|item| item.to_string().len())
                .sum::<usize>();
            items.extend(more);
            // As clients do: an empty cursor is none. The same one again leads nowhere.
            let is_next = |cursor: &&Value| {
                cursor.as_str().is_some_and(|it| !it.is_empty())
                    && params.get("cursor") != Some(*cursor)
            };
            match page.get("nextCursor").filter(is_next) {
                Some(cursor) => params.insert("cursor".to_owned(), cursor.clone()),
                None => return Ok(items),
            };
            if size > MAX_LIST_BYTES {
                break;
            }
        }
        Err(ClientError::TooManyTools(self.name.to_owned()).into())
    }

    /// Lists everything besides tools, as far as the server says that it has some. A list that it
    /// rejects is empty.
    pub(crate) async fn offer(&self) -> Result<Value, SessionError> {
        let Some(server) = self.service.peer().peer_info() else {
            return Ok(json!({}));
        };
        let able = &server.capabilities;
        let (mut offer, mut unexpected) = (Map::new(), Vec::new());
        for (method, key, is_able) in [
            ("prompts/list", "prompts", able.prompts.is_some()),
            ("resources/list", "resources", able.resources.is_some()),
            (TEMPLATES, "resourceTemplates", able.resources.is_some()),
        ] {
            if !is_able {
                continue;
            }
            match self.list(method, key).await {
                Ok(items) => drop(offer.insert(key.to_owned(), items.into())),
                Err(SessionError::Server(ClientError::Rejected(..))) => {}
                Err(SessionError::Server(ClientError::UnexpectedResponse(..))) => {
                    unexpected.push(method);
                }
                Err(error) => return Err(error),
            }
        }
        offer.insert("unexpected".to_owned(), unexpected.into());
        let instructions = server.instructions.as_ref();
        let instructions = instructions.map(|it| it.chars().take(MAX_INSTRUCTIONS).collect());
        offer.insert(
            "instructions".to_owned(),
            instructions.map(Value::String).into(),
        );
        Ok(offer.into())
    }

    /// Answers a request of a client with the server's `result` or `error`.
    pub(crate) async fn request(
        &self,
        method: &'static str,
        params: Map<String, Value>,
        watch: &Watch<'_>,
    ) -> Result<Value, SessionError> {
        let phase = self.listener().enter(method);
        if self.is_stateless && matches!(method, SUBSCRIBE | UNSUBSCRIBE) {
            // Its stream is opened anew with the resources that clients subscribe to.
            self.listener().subscribed.notify_one();
            return Ok(json!({"result": {}}));
        }
        match self.asked(phase, method, params, watch).await {
            Ok(result) => Ok(json!({"result": result})),
            Err(SessionError::Server(ClientError::Rejected(.., error))) => {
                Ok(json!({"error": self.listener().error(*error)}))
            }
            Err(error) => Err(error),
        }
    }

    /// Sends a request, and again with the answers to the questions in its results.
    async fn asked(
        &self,
        phase: &'static str,
        method: &'static str,
        mut params: Map<String, Value>,
        watch: &Watch<'_>,
    ) -> Result<Map<String, Value>, SessionError> {
        let mut rounds = 0;
        if !watch.meta.is_empty() {
            params.insert("_meta".to_owned(), watch.meta.clone().into());
        }
        loop {
            let request = self.request_of(method, &params)?;
            let result = self.send(phase, request, Some(watch)).await?;
            let kind = result.get("resultType").and_then(Value::as_str);
            if kind != Some("input_required") {
                return Ok(result);
            }
            rounds += 1;
            let source = self.listener();
            // A question in the result of a request is for its client.
            let host = watch.host.clone().or_else(|| source.speaker());
            let is_asked =
                rounds <= MAX_ROUNDS && source.answer(&mut params, &result, host).await.is_some();
            if !is_asked {
                return Err(ClientError::Unanswered(self.name.to_owned(), phase).into());
            }
        }
    }

    /// Returns a request in the protocol's own type, which has the headers of HTTP.
    fn request_of(
        &self,
        method: &'static str,
        params: &Map<String, Value>,
    ) -> Result<ClientRequest, SessionError> {
        let request = json!({"method": method, "params": params});
        serde_json::from_value(request)
            .map_err(|error| self.unexpected_response(method, &error.to_string()))
    }

    /// Calls a tool, `as_task` if it runs in no other way. If that fails because the server no longer
    /// has the tool, the error says so.
    pub(crate) async fn call_tool(
        &self,
        (tool, as_task): (&str, bool),
        arguments: Map<String, Value>,
        watch: &Watch<'_>,
    ) -> Result<Map<String, Value>, SessionError> {
        let phase = self.listener().enter(CALL);
        let params = Map::from_iter([
            ("name".to_owned(), tool.into()),
            ("arguments".to_owned(), arguments.into()),
        ]);
        let result = if as_task {
            self.run_task(params, watch).await
        } else {
            self.asked(phase, CALL, params, watch).await
        };
        let may_be_gone = match &result {
            Ok(object)
                if object.get("content").is_some_and(Value::is_array)
                    || !object.contains_key("content")
                        && object.contains_key("structuredContent") =>
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

    /// Calls a tool as a task (revision 2025-11-25), and waits for its result.
    async fn run_task(
        &self,
        mut params: Map<String, Value>,
        watch: &Watch<'_>,
    ) -> Result<Map<String, Value>, SessionError> {
        params.insert("task".to_owned(), json!({}));
        if !watch.meta.is_empty() {
            params.insert("_meta".to_owned(), watch.meta.clone().into());
        }
        let request = |method: &str, params: Value| {
            ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)))
        };
        // The progress of the task has the token of this request, until the task has ended.
        let (created, _receiving) = self
            .send_open(CALL, request(CALL, params.into()), Some(watch))
            .await;
        let created = created?;
        let Some(task) = created.get("task").and_then(|it| it.get("taskId")) else {
            return Ok(created);
        };
        let task = json!({"taskId": task});
        let phase = self.listener().enter(TASK_RESULT);
        let waiting = self.send(phase, request(TASK_RESULT, task.clone()), Some(watch));
        let result = waiting.await;
        if let Err(SessionError::Server(ClientError::TimedOut(..))) = result {
            let cancel = self.send(phase, request("tasks/cancel", task), None);
            let _ = timeout(CLOSE_TIMEOUT, cancel).await;
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
        self.send_open(phase, request, watch).await.0
    }

    /// Sends a request; its progress is received until the second value is dropped.
    async fn send_open(
        &self,
        phase: &'static str,
        request: ClientRequest,
        watch: Option<&Watch<'_>>,
    ) -> (
        Result<Map<String, Value>, SessionError>,
        Option<Receiving<'_>>,
    ) {
        let mut receiving = None;
        let options = PeerRequestOptions::no_options();
        let sent = self.service.send_cancellable_request(request, options);
        let response = match (sent.await, watch) {
            (Ok(handle), None) => handle.await_response().await,
            (Err(error), _) => Err(error),
            (Ok(mut handle), Some(watch)) => {
                let (token, listener) = (handle.progress_token.clone(), self.listener());
                receiving = Some(listener.begin(token, watch.progress.cloned()));
                let response = tokio::select! {
                    response = &mut handle.rx => Some(response),
                    () = watch.cancelled.notified() => None,
                    () = sleep(watch.timeout) => None,
                };
                // The SDK has a task for each notification before the answer.
                for _ in 0..NOTIFICATION_TURNS {
                    yield_now().await;
                }
                let Some(response) = response else {
                    let reason = "the request was cancelled".to_owned();
                    let _ = handle.cancel(Some(reason)).await;
                    let error = ClientError::TimedOut(self.name.to_owned(), phase, watch.timeout);
                    return (Err(error.into()), None);
                };
                response.unwrap_or(Err(ServiceError::TransportClosed))
            }
        };
        let result = match response.map(serde_json::to_value) {
            Ok(Ok(Value::Object(object))) => Ok(object),
            Ok(Ok(other)) => Err(self.unexpected_response(phase, &other.to_string())),
            Ok(Err(error)) => Err(self.unexpected_response(phase, &error.to_string())),
            Err(ServiceError::McpError(error)) => {
                Err(ClientError::Rejected(self.name.to_owned(), phase, Box::new(error)).into())
            }
            // The transport is as it was: only this request has failed.
            Err(ServiceError::TransportSend(error)) if !self.is_closed() => {
                match http::error_of(&error) {
                    Some(error) => Err(ClientError::Http(self.name.to_owned(), error).into()),
                    None => Err(SessionError::Disconnected(phase)),
                }
            }
            Err(_) => Err(SessionError::Disconnected(phase)),
        };
        (result, receiving)
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

    /// Tells a stateful server that there are other folders.
    pub(crate) async fn roots_changed(&self) {
        let abilities = self.listener().abilities.capabilities();
        if !self.is_stateless && abilities.roots.is_some() {
            let _ = self.service.peer().notify_roots_list_changed().await;
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

    /// Subscribes to the resources that clients of an earlier session with a stateful server have
    /// subscribed to.
    pub(crate) async fn resubscribe(&self) {
        for uri in self.listener().subscribed() {
            let params = Map::from_iter([("uri".to_owned(), uri.into())]);
            if !self.is_stateless
                && let Ok(request) = self.request_of(SUBSCRIBE, &params)
            {
                let _ = self.send(SUBSCRIBE, request, None).await;
            }
        }
    }

    /// Returns the changes that a stateless server is asked for; nothing if it announces none.
    fn changes(&self) -> Option<SubscriptionFilter> {
        let server = self.service.peer().peer_info()?;
        let able = &server.capabilities;
        let is_set = |announces: Option<bool>| announces.filter(|it| *it);
        let resources = able.resources.as_ref();
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = is_set(able.tools.as_ref().and_then(|it| it.list_changed));
        filter.prompts_list_changed = is_set(able.prompts.as_ref().and_then(|it| it.list_changed));
        filter.resources_list_changed = is_set(resources.and_then(|it| it.list_changed));
        let uris = self.listener().subscribed();
        let is_subscribed = is_set(resources.and_then(|it| it.subscribe)).is_some();
        filter.resource_subscriptions = Some(uris).filter(|it| is_subscribed && !it.is_empty());
        (filter != SubscriptionFilter::new()).then_some(filter)
    }

    /// Passes on changes of a stateless server as long as it is waited for. A stateful server
    /// announces them by itself.
    pub(crate) async fn hear(&self) {
        if !self.is_stateless {
            std::future::pending::<()>().await;
        }
        let listener = self.listener();
        let (mut pause, mut is_first) = (MIN_PAUSE, true);
        loop {
            let Some(filter) = self.changes() else {
                listener.subscribed.notified().await;
                continue;
            };
            let has_tools = filter.tools_list_changed.is_some();
            if let Ok(mut subscription) = self.service.listen(filter).await {
                // Changes while there was no stream were not announced.
                if !std::mem::take(&mut is_first) && has_tools {
                    listener.tools_changed();
                }
                loop {
                    let next = tokio::select! {
                        next = subscription.next() => next,
                        () = listener.subscribed.notified() => {
                            pause = Duration::ZERO;
                            is_first = true;
                            break;
                        }
                    };
                    let Ok(Some(notification)) = next else { break };
                    pause = MIN_PAUSE;
                    listener.announced(notification);
                }
            }
            sleep(pause).await;
            pause = (pause * 2).clamp(MIN_PAUSE, MAX_PAUSE);
        }
    }
}

fn start_error(error: ClientInitializeError, name: &str, phase: &'static str) -> SessionError {
    let name = name.to_owned();
    match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => SessionError::Disconnected(phase),
        ClientInitializeError::JsonRpcError(error) => {
            ClientError::Rejected(name, phase, Box::new(error)).into()
        }
        ClientInitializeError::ExpectedInitResult(Some(answer)) => {
            let answer = serde_json::to_value(answer).unwrap_or_default();
            let mut members = [
                "protocolVersion",
                "capabilities",
                "serverInfo/name",
                "serverInfo/version",
            ]
            .into_iter()
            .filter(|member| answer.pointer(&format!("/{member}")).is_none());
            let excerpt = match members.next() {
                Some(missing) => format!("it has no `{}`", missing.replace('/', ".")),
                None => answer.to_string().chars().take(MAX_EXCERPT_CHARS).collect(),
            };
            ClientError::UnexpectedResponse(name, phase, excerpt).into()
        }
        other => {
            let excerpt = other.to_string().chars().take(200).collect();
            ClientError::UnexpectedResponse(name, phase, excerpt).into()
        }
    }
}
