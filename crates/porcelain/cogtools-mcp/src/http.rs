//! The protocol over HTTP, only for clients on this machine.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_http::Bytes;
use cogtools_http::http::header::{ACCEPT, CONTENT_TYPE};
use cogtools_http::http::request::Parts;
use cogtools_http::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use cogtools_http::server::{self, Body, Origins, ServerOptions};
use cogtools_program::{Failure, Input};
use http_body_util::Full;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::arguments::RawArguments;
use crate::observe::MEDIA_TYPE;
use crate::serve::Outgoing;
use crate::server::{AppState, Server};

/// The address to listen on, and the token.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// A loopback address; port 0 selects a free port.
    pub(crate) socket: SocketAddr,
    /// The token that clients must send as `Authorization: Bearer`.
    pub(crate) token: Option<String>,
    /// The time for which calls may continue after a signal.
    pub(crate) drain: Duration,
}

type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The path of the protocol.
const PATH: &str = "/mcp";
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
pub(crate) async fn serve(state: &Arc<AppState>, address: Address) -> Result<(), Failure> {
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
        origins: Origins::Loopback,
        shutdown_grace: address.drain,
        token: address.token,
        open_paths: &[HEALTH, READINESS],
        ..ServerOptions::default()
    };
    let service = service(state);
    let shared = Arc::clone(state);
    let handle = move |request| handle(Arc::clone(&shared), service.clone(), request);
    server
        .serve(options, handle, state.closing.cancelled())
        .await;
    Ok(())
}

fn service(state: &Arc<AppState>) -> Service {
    // Who may send requests is checked before.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
        .with_cancellation_token(state.stop.clone());
    let state = Arc::clone(state);
    let server = move || Ok(Server::new(Arc::clone(&state), false));
    StreamableHttpService::new(server, Arc::default(), config)
}

async fn handle(state: Arc<AppState>, service: Service, request: Request<Bytes>) -> Response<Body> {
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
    let request = Request::from_parts(parts, Full::new(body));
    service.handle(request).await
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
        (METRICS, Some(metrics)) => {
            let mut response = server::text(StatusCode::OK, metrics.text());
            let media_type = HeaderValue::from_static(MEDIA_TYPE);
            response.headers_mut().insert(CONTENT_TYPE, media_type);
            response
        }
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
