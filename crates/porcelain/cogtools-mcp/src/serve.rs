//! One run of the server: the runtime, the connection, the output, and the shutdown.
//!
//! Only the thread that runs the program writes to the streams: messages to standard output,
//! warnings to standard error. The others send it their texts, so a client that reads slowly slows
//! the server down.

use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_http::http::header::ACCEPT;
use cogtools_http::http::request::Parts;
use cogtools_http::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use cogtools_http::server::{self, Body, ServerOptions};
use cogtools_http::{Bytes, Target};
use cogtools_program::{EACH_FOR_MCP, Failure, Input, Io};
use http_body_util::Full;
use rmcp::service::{Peer, QuitReason, RequestContext, serve_server_with_ct};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::runtime::Builder;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::command::RawArguments;
use crate::link::{Link, Sender};
use crate::observe::{Collector, MEDIA_TYPE, Traces};
use crate::server::{AppState, Server};
use crate::stdio::StdioTransport;
use crate::workspace;

/// The ways in which clients reach the server.
pub(crate) enum Listen {
    /// One client, over the standard streams.
    Stdio(Box<dyn Read + Send>),
    /// Any client on this machine.
    Http(Address),
}

/// The time that tools may take to stop when the server shuts down.
pub(crate) const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// The threads of the pool: for quick and for slow calls, and for all else.
const MAX_THREADS: usize = Workers::THREADS + 2;
/// The stack of each, as large as a main thread's: tools run there.
const STACK_BYTES: usize = 8 << 20;

/// Serves until the client is gone or the server is shut down; returns the exit status.
pub(crate) fn serve(
    mut state: AppState,
    listen: Listen,
    collector: Option<Collector>,
) -> Result<u8, Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| {
            let message = format!("cannot start the async runtime: {error}");
            Diagnostic::new(Code::Internal, message)
        })?;
    if let Some(collector) = collector {
        let _runtime = runtime.enter();
        state.observers.traces = Some(Traces::new(collector).map_err(|error| *error)?);
    }
    let state = Arc::new(state);
    let status = runtime.block_on(run(&state, listen));
    // A thread that waits for a file or a reader must not block the exit.
    runtime.shutdown_background();
    status
}

async fn run(state: &Arc<AppState>, listen: Listen) -> Result<u8, Failure> {
    let watcher = tokio::spawn(workspace::follow_files(Arc::clone(state)));
    let is_http = matches!(listen, Listen::Http(_));
    let mut serving = std::pin::pin!(async {
        match listen {
            Listen::Http(address) => serve_http(state, address).await,
            Listen::Stdio(stdin) => serve_stdio(state, stdin).await,
        }
    });
    let result = tokio::select! {
        result = &mut serving => result.map(|()| 0),
        status = signal(is_http) => Ok(status),
    };
    // Each client over HTTP may still wait for its response; a second signal is final.
    if is_http && matches!(result, Ok(1..)) {
        state.closing.cancel();
        tokio::select! {
            _ = &mut serving => {}
            _ = signal(is_http) => {}
        }
    }
    state.stop.cancel();
    state.catalogue.stop();
    watcher.abort();
    state.workers.wait_idle(SHUTDOWN_GRACE).await;
    let catalogue = Arc::clone(&state.catalogue);
    let observed = Arc::clone(state);
    let idle = tokio::task::spawn_blocking(move || {
        catalogue.end_sessions(SHUTDOWN_GRACE);
        if let Some(traces) = &observed.observers.traces {
            traces.shut_down();
        }
    });
    let _ = idle.await;
    result
}

/// Serves one client until it is gone.
async fn serve_stdio(state: &Arc<AppState>, stdin: Box<dyn Read + Send>) -> Result<(), Failure> {
    let transport = StdioTransport::new(stdin, state.outgoing.clone(), state.stop.clone())
        .map_err(|error| {
            Diagnostic::new(Code::Internal, format!("cannot start a thread: {error}"))
        })?;
    let server = Server::new(Arc::clone(state), Link::Stdio);
    // The transport follows the state's token, and ends after the last responses.
    let served = serve_server_with_ct(server, transport, CancellationToken::new()).await;
    let Ok(service) = served else {
        // The client disconnected before its first request.
        return Ok(());
    };
    let notifier = tokio::spawn(announce(service.peer().clone(), Arc::clone(state)));
    let quit = service.waiting().await;
    notifier.abort();
    match quit {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        Ok(_) | Err(_) => {
            Err(Diagnostic::new(Code::Internal, "the connection failed unexpectedly").into())
        }
    }
}

/// Announces changes of lists to a stateful client, until the task is aborted.
pub(crate) async fn announce(peer: Peer<RoleServer>, state: Arc<AppState>) {
    let mut list_changed = state.list_changed.subscribe();
    let mut last = *list_changed.borrow_and_update();
    while list_changed.changed().await.is_ok() {
        let now = *list_changed.borrow_and_update();
        let before = std::mem::replace(&mut last, now);
        // A client that did not send `initialize` is stateless, and subscribes.
        if peer.peer_info().is_none() {
            continue;
        }
        if now.tools != before.tools {
            let _ = peer.notify_tool_list_changed().await;
        }
        // Tools are prompts and resources, too: their documents.
        let _ = peer.notify_prompt_list_changed().await;
        if state.catalogue.has_servers() {
            let _ = peer.notify_resource_list_changed().await;
        }
    }
}

/// The number of messages that may wait to be written.
pub(crate) const MAX_QUEUED: usize = 64;

/// Something to write.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// A line for the client.
    Message(Vec<u8>),
    /// Problems that do not end the server.
    Warnings(Vec<Diagnostic>),
    /// A line of the log of requests.
    Log(String),
}

/// Writes until every sender is gone. After a failure it calls `on_failure` once and
/// drains the queue, so that no sender blocks.
pub(crate) fn write_loop(
    io: &mut Io<'_>,
    mut queue: Receiver<Outgoing>,
    on_failure: impl Fn(),
) -> Result<(), Failure> {
    let mut result = Ok(());
    while let Some(item) = queue.blocking_recv() {
        match item {
            Outgoing::Warnings(diagnostics) => io.warn(&diagnostics, &EACH_FOR_MCP),
            // As for warnings: if it cannot be written, calls go on.
            Outgoing::Log(line) => drop(io.stderr.write_all(line.as_bytes())),
            Outgoing::Message(line) if result.is_ok() => {
                result = io.print(&line);
                if result.is_err() {
                    on_failure();
                }
            }
            Outgoing::Message(_) => {}
        }
    }
    result
}

/// The pause after which the parent is checked again.
#[cfg(unix)]
const PARENT_POLL: Duration = Duration::from_millis(500);

/// Waits for a signal, or for the exit of the parent process, after which the streams may stay
/// open; returns the exit status.
///
/// A `service` that was started to live on, as by nohup(1), outlives its parent and the terminal.
#[cfg(unix)]
pub(crate) async fn signal(service: bool) -> u8 {
    use tokio::signal::unix::{self, SignalKind};

    let kinds = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ];
    let [terminate, interrupt, hangup] = kinds.map(|kind| async move {
        if let Ok(mut signals) = unix::signal(kind)
            && signals.recv().await.is_some()
        {
            return status(kind.as_raw_value());
        }
        std::future::pending().await
    });
    // The first signal is the hangup.
    let lives_on = service && cogtools_core::process::ignored_signals() & 1 != 0;
    tokio::select! {
        status = terminate => status,
        status = interrupt => status,
        status = hangup, if !lives_on => status,
        () = parent_exited(), if !lives_on => status(SignalKind::hangup().as_raw_value()),
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn signal(_: bool) -> u8 {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    status(2)
}

/// Returns the status of a program that a signal terminated.
fn status(signal: i32) -> u8 {
    u8::try_from(signal).unwrap_or(0).saturating_add(128)
}

/// Waits for the exit of the parent process.
#[cfg(unix)]
async fn parent_exited() {
    let first = cogtools_program::parent();
    while cogtools_program::parent() == first {
        tokio::time::sleep(PARENT_POLL).await;
    }
}

/// The address to listen on, and the token.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// A loopback address; port 0 selects a free port.
    pub(crate) socket: SocketAddr,
    /// The token that clients must send as `Authorization: Bearer`.
    pub(crate) token: Option<String>,
    /// The origins of pages that may use the server.
    pub(crate) origins: Vec<Target>,
    /// The time for which calls may continue after a signal.
    pub(crate) drain: Duration,
}

/// The services of HTTP: for clients that begin with `initialize`, and have sessions as long as a
/// source is an MCP server, and for all others.
#[derive(Clone)]
struct Services {
    /// For a service of one request, whose server knows the client.
    stateless: StreamableHttpServerConfig,
    stateful: StreamableHttpService<Server, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

/// The number of sessions over HTTP; further clients have none.
const MAX_SESSIONS: usize = 1_000;
/// The time after which a session without a message ends.
const SESSION_IDLE: Duration = Duration::from_hours(1);

/// The path of the protocol.
const PATH: &str = "/mcp";
/// The header with the name of a session.
const SESSION_ID: &str = "mcp-session-id";
/// Health and readiness, for monitors: neither needs the token.
const HEALTH: &str = "/healthz";
const READINESS: &str = "/readyz";
/// The metrics, with `--metrics`.
const METRICS: &str = "/metrics";
/// The media types that a client has to accept.
const MEDIA_TYPES: &str = "application/json, text/event-stream";
/// The largest request: the limit for arguments, and space for the rest.
const MAX_REQUEST_BYTES: usize = Input::MAX_BYTES + (64 << 10);

/// Serves until the server shuts down.
pub(crate) async fn serve_http(state: &Arc<AppState>, address: Address) -> Result<(), Failure> {
    let server = server::Server::bind(address.socket).await;
    let server = server.map_err(|error| {
        let message = format!("cannot listen on {}: {error}", address.socket);
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        diagnostic.hint("choose another port, or 0 for any free port")
    })?;
    let url = format!("http://{}{PATH}\n", server.address());
    let _ = state
        .outgoing
        .send(Outgoing::Message(url.into_bytes()))
        .await;
    let options = ServerOptions {
        max_request_bytes: MAX_REQUEST_BYTES,
        origins: address.origins,
        shutdown_grace: address.drain,
        token: address.token,
        open_paths: &[HEALTH, READINESS],
        ..ServerOptions::default()
    };
    let services = Services::new(state, address.drain);
    let shared = Arc::clone(state);
    let handle = move |request| handle(Arc::clone(&shared), services.clone(), request);
    server
        .serve(options, handle, state.closing.cancelled())
        .await;
    Ok(())
}

impl Services {
    /// Returns the services; when the server shuts down, calls may continue for `drain`.
    fn new(state: &Arc<AppState>, drain: Duration) -> Self {
        // Who may send requests is checked before.
        let config = |has_sessions, end| {
            StreamableHttpServerConfig::default()
                .with_legacy_session_mode(has_sessions)
                .with_json_response(true)
                .with_max_request_body_bytes(MAX_REQUEST_BYTES)
                .with_cancellation_token(end)
        };
        // The streams of sessions stay open without a call.
        let end = state.stop.child_token();
        tokio::spawn(end_when_idle(Arc::clone(state), drain, end.clone()));
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_IDLE);
        let sessions = Arc::new(sessions);
        let other = Arc::clone(state);
        let stateful = move || Ok(Server::new(Arc::clone(&other), Link::session(&other)));
        Self {
            stateless: config(false, state.stop.clone()),
            stateful: StreamableHttpService::new(
                stateful,
                Arc::clone(&sessions),
                config(true, end),
            ),
            sessions,
        }
    }

    /// Returns true if a request belongs to a session, or begins one.
    async fn are_stateful(&self, state: &AppState, parts: &Parts, sender: &Sender) -> bool {
        if parts.headers.contains_key(SESSION_ID) {
            return true;
        }
        state.catalogue.has_servers()
            && sender.method == "initialize"
            && self.sessions.sessions.read().await.len() < MAX_SESSIONS
    }
}

/// The time in which the last answers are sent.
const LAST_ANSWERS: Duration = Duration::from_millis(100);

/// Cancels `end` when the server shuts down and no call runs, at most `drain` later.
async fn end_when_idle(state: Arc<AppState>, drain: Duration, end: CancellationToken) {
    state.closing.cancelled().await;
    state.workers.wait_idle(drain).await;
    tokio::time::sleep(LAST_ANSWERS).await;
    end.cancel();
}

async fn handle(
    state: Arc<AppState>,
    services: Services,
    request: Request<Bytes>,
) -> Response<Body> {
    if request.uri().path() != PATH {
        return watched(&state, &request);
    }
    let (mut parts, body) = request.into_parts();
    if accepts_all(&parts.headers) {
        let both = HeaderValue::from_static(MEDIA_TYPES);
        parts.headers.insert(ACCEPT, both);
    }
    if let Some(arguments) = RawArguments::from_request(&body) {
        parts.extensions.insert(arguments);
    }
    if parts.method == Method::POST
        && let Some(refused) = refusal(&body)
    {
        return refused;
    }
    let sender: Sender = serde_json::from_slice(&body).unwrap_or_default();
    if services.are_stateful(&state, &parts, &sender).await {
        let request = Request::from_parts(parts, Full::new(body));
        let response = services.stateful.handle(request).await;
        return response.map(server::body);
    }
    let link = Link::stateless(&state, &parts, sender);
    let server = move || Ok(Server::new(Arc::clone(&state), link.clone()));
    let sessions = Arc::<NeverSessionManager>::default();
    let stateless = StreamableHttpService::new(server, sessions, services.stateless);
    let request = Request::from_parts(parts, Full::new(body));
    stateless.handle(request).await.map(server::body)
}

/// Answers a body that is not one message; the SDK would say that its media type is not supported.
fn refusal(body: &[u8]) -> Option<Response<Body>> {
    let error = match serde_json::from_slice::<&RawValue>(body) {
        Err(error) => ErrorData::parse_error(format!("the body is not JSON: {error}"), None),
        Ok(value) if value.get().starts_with('[') => {
            let message = "send each message in a request of its own: batches are only of the \
                           revision 2025-03-26";
            ErrorData::invalid_request(message, None)
        }
        Ok(_) => return None,
    };
    let answer = json!({"jsonrpc": "2.0", "id": null, "error": error});
    let status = StatusCode::BAD_REQUEST;
    Some(server::typed(
        status,
        "application/json",
        answer.to_string(),
    ))
}

/// Returns true if the client accepts every media type, also by not naming any (RFC 9110, 12.5.1).
fn accepts_all(headers: &HeaderMap) -> bool {
    let mut ranges = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    let is_any = |range: &str| {
        let mut parts = range.split(';').map(str::trim);
        let refused = |part: &str| part.eq_ignore_ascii_case("q=0");
        parts.next() == Some("*/*") && !parts.any(refused)
    };
    !headers.contains_key(ACCEPT) || ranges.any(is_any)
}

/// Answers a monitor of the server.
fn watched(state: &AppState, request: &Request<Bytes>) -> Response<Body> {
    let path = request.uri().path();
    let known = match (path, &state.observers.metrics) {
        (HEALTH, _) => server::text(StatusCode::OK, "ok\n"),
        (READINESS, _) if state.closing.is_cancelled() => {
            server::text(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n")
        }
        (READINESS, _) => server::text(StatusCode::OK, "ready\n"),
        (METRICS, Some(metrics)) => server::typed(StatusCode::OK, MEDIA_TYPE, metrics.text()),
        _ => return server::text(StatusCode::NOT_FOUND, "the server is at /mcp\n"),
    };
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        known
    } else {
        server::text(StatusCode::METHOD_NOT_ALLOWED, "send GET\n")
    }
}

/// Returns the unparsed arguments of a call over HTTP.
pub(crate) fn raw_arguments(context: &RequestContext<RoleServer>) -> Option<&RawArguments> {
    context.extensions.get::<Parts>()?.extensions.get()
}
