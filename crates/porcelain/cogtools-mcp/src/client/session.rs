//! A session with a server, stateful or stateless: its start, its list of tools, a call, changes.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorCode, InputRequest,
    InputRequiredResult, ListToolsRequest, PaginatedRequestParams, ProtocolVersion,
    ServerNotification, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, PeerRequestOptions,
    RunningService, ServiceError,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value};
use tokio::time::sleep;

use crate::client::error::ClientError;
use crate::client::listener::{Listener, Notifications, RequestWatch};
use crate::logging::{self, Level};

/// The largest list of tools.
const MAX_PAGES: usize = 1_000;
const MAX_LIST_BYTES: usize = 10 << 20;
/// How much of an unexpected response is shown.
const MAX_EXCERPT_CHARS: usize = 120;

/// The request that the server is to answer, for the message of a timeout.
pub(crate) type Phase = Mutex<&'static str>;

/// Why a session failed.
pub(crate) enum SessionError {
    /// The server returned an error, or an invalid response.
    Server(ClientError),
    /// The connection was lost in this phase; the transport knows more.
    Disconnected(&'static str),
}

/// A session.
pub(crate) struct Session<'s> {
    name: &'s str,
    phase: &'s Phase,
    is_stateless: bool,
    service: RunningService<RoleClient, Listener>,
}

fn enter(phase: &Phase, name: &'static str) -> &'static str {
    if let Ok(mut phase) = phase.lock() {
        *phase = name;
    }
    name
}

impl<'s> Session<'s> {
    /// Starts a session. `transport` connects to the server, a second time if the
    /// server does not speak the protocol that is tried first.
    pub(crate) async fn start<T: Transport<RoleClient> + 'static>(
        name: &'s str,
        phase: &'s Phase,
        listener: Listener,
        first: FirstRequest,
        transport: impl Fn() -> T,
    ) -> Result<Self, SessionError> {
        let connect = |is_stateless: bool| {
            let lifecycle = if is_stateless {
                enter(phase, DISCOVER);
                ClientLifecycleMode::Discover {
                    preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                }
            } else {
                enter(phase, INITIALIZE);
                ClientLifecycleMode::Initialize
            };
            let connecting = listener
                .clone()
                .serve_with_lifecycle(transport(), lifecycle);
            async move {
                connecting.await.map(|service| Self {
                    name,
                    phase,
                    is_stateless,
                    service,
                })
            }
        };
        match first {
            FirstRequest::Initialize => match connect(false).await {
                Ok(session) => Ok(session),
                Err(error @ ClientInitializeError::JsonRpcError(_)) => connect(true)
                    .await
                    .map_err(|_| start_error(error, name, INITIALIZE)),
                Err(error) => Err(start_error(error, name, INITIALIZE)),
            },
            FirstRequest::Discover => match connect(true).await {
                Ok(session) => Ok(session),
                Err(error) if is_of_stateful(&error) => connect(false)
                    .await
                    .map_err(|error| start_error(error, name, INITIALIZE)),
                Err(error) => Err(start_error(error, name, DISCOVER)),
            },
        }
    }

    /// Whether a stateless server announces that its tools have changed.
    pub(crate) fn announces_changes(&self) -> bool {
        let Some(server) = self.service.peer().peer_info() else {
            return false;
        };
        let tools = server.capabilities.tools.as_ref();
        self.is_stateless && tools.is_some_and(|tools| tools.list_changed == Some(true))
    }

    fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Whether the server is stateless.
    pub(crate) const fn is_stateless(&self) -> bool {
        self.is_stateless
    }

    /// All its tools, as it describes them.
    pub(crate) async fn list_tools(&self) -> Result<Vec<Value>, SessionError> {
        let phase = enter(self.phase, "tools/list");
        let (mut tools, mut size, mut cursor) = (Vec::new(), 0, None::<String>);
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ListToolsRequest::with_param(params);
            let mut page = self
                .send(phase, ClientRequest::ListToolsRequest(request))
                .await?;
            let Some(Value::Array(page_tools)) = page.remove("tools") else {
                let response = Value::Object(page).to_string();
                return Err(self.unexpected_response(phase, &response));
            };
            size += page_tools
                .iter()
                .map(|tool| tool.to_string().len())
                .sum::<usize>();
            tools.extend(page_tools);
            cursor = page
                .remove("nextCursor")
                .and_then(|cursor| cursor.as_str().map(str::to_owned));
            if cursor.is_none() {
                return Ok(tools);
            }
            if size > MAX_LIST_BYTES {
                break;
            }
        }
        let error = ClientError::TooManyTools(self.name.to_owned());
        Err(SessionError::Server(error))
    }

    /// The result of a call. If it fails because the server no longer has the tool,
    /// the error says so.
    pub(crate) async fn call_tool(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        watch: Option<&RequestWatch<'_>>,
    ) -> Result<Map<String, Value>, SessionError> {
        let phase = enter(self.phase, "tools/call");
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let mut rounds = 0;
        let result = loop {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let result = self.send_watched(phase, request, watch).await;
            let Some(questions) = result.as_ref().ok().filter(|it| is_question(it)) else {
                break result;
            };
            rounds += 1;
            let listener = self.service.service();
            match answered(params, questions, listener).await {
                Some(answered) if rounds <= MAX_ROUNDS => params = answered,
                _ => break result,
            }
        };
        match &result {
            Ok(object)
                if object.contains_key("content") || object.contains_key("structuredContent") =>
            {
                let is_error = object.get("isError") == Some(&Value::Bool(true));
                if is_error && !self.has_tool(tool).await {
                    return Err(self.tool_not_found(tool));
                }
            }
            Ok(object) => {
                let response = Value::Object(object.clone()).to_string();
                return Err(self.unexpected_response(phase, &response));
            }
            Err(SessionError::Server(ClientError::Rejected(..))) if !self.has_tool(tool).await => {
                return Err(self.tool_not_found(tool));
            }
            Err(_) => {}
        }
        result
    }

    /// Whether the server still lists the tool; true if its list cannot be read.
    async fn has_tool(&self, name: &str) -> bool {
        self.list_tools().await.map_or(true, |tools| {
            tools
                .iter()
                .filter_map(|tool| tool.get("name")?.as_str())
                .any(|listed| listed == name)
        })
    }

    async fn send(
        &self,
        phase: &'static str,
        request: ClientRequest,
    ) -> Result<Map<String, Value>, SessionError> {
        self.send_watched(phase, request, None).await
    }

    async fn send_watched(
        &self,
        phase: &'static str,
        request: ClientRequest,
        watch: Option<&RequestWatch<'_>>,
    ) -> Result<Map<String, Value>, SessionError> {
        let peer = self.service.peer();
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let response = match (sent.await, watch) {
            (Ok(handle), Some(watch)) => watch.wait(handle, phase, self.name).await?,
            (Ok(handle), None) => handle.await_response().await,
            (Err(error), _) => Err(error),
        };
        match response {
            Ok(result) => match serde_json::to_value(result) {
                Ok(Value::Object(object)) => Ok(object),
                Ok(other) => Err(self.unexpected_response(phase, &other.to_string())),
                Err(error) => Err(self.unexpected_response(phase, &error.to_string())),
            },
            Err(ServiceError::McpError(error)) => {
                let message = error.message.to_string();
                let name = self.name.to_owned();
                Err(SessionError::Server(ClientError::Rejected(
                    name, phase, message,
                )))
            }
            Err(_) => Err(SessionError::Disconnected(phase)),
        }
    }

    fn unexpected_response(&self, phase: &'static str, response: &str) -> SessionError {
        let excerpt = response.chars().take(MAX_EXCERPT_CHARS).collect();
        let name = self.name.to_owned();
        SessionError::Server(ClientError::UnexpectedResponse(name, phase, excerpt))
    }

    fn tool_not_found(&self, tool: &str) -> SessionError {
        let (name, tool) = (self.name.to_owned(), tool.to_owned());
        SessionError::Server(ClientError::ToolNotFound(name, tool))
    }

    /// Asks a stateful server for log messages of this level and above.
    pub(crate) async fn set_level(&self, level: Level) {
        if !self.is_stateless {
            logging::set_level(self.peer(), level).await;
        }
    }

    /// Whether the connection is lost.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.peer().is_transport_closed()
    }

    /// Closes the session.
    pub(crate) async fn close(self) {
        let _ = self.service.cancel().await;
    }
}

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

/// How often a server may ask during one call.
pub(crate) const MAX_ROUNDS: usize = 8;

/// Whether a result is a question.
pub(crate) fn is_question(result: &Map<String, Value>) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// The call with the answers to the questions in `result`; nothing if one cannot be answered.
pub(crate) async fn answered(
    mut params: CallToolRequestParams,
    result: &Map<String, Value>,
    listener: &Listener,
) -> Option<CallToolRequestParams> {
    let value = Value::Object(result.clone());
    let result: InputRequiredResult = serde_json::from_value(value).ok()?;
    let mut answers = BTreeMap::new();
    for (name, request) in result.input_requests.unwrap_or_default() {
        // The client declares no other ability.
        let InputRequest::Elicitation(request) = request else {
            return None;
        };
        let answer = listener.ask(request.params).await;
        answers.insert(name, serde_json::to_value(answer).ok()?);
    }
    params.input_responses = (!answers.is_empty()).then_some(answers);
    params.request_state = result.request_state;
    Some(params)
}

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
