//! The protocol over HTTP, only for clients on this machine.
//!
//! Any page in a browser can send requests to this machine, even under a host name
//! that it controls. So the server listens only on a loopback address, and rejects
//! any other `Host`, any foreign `Origin` and, if it has a token, any client without
//! the token.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Input};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap, WWW_AUTHENTICATE};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::output::Outgoing;
use crate::raw_arguments::RawArguments;
use crate::server::{AppState, Server};

/// The address to listen on, and the token.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// A loopback address; port 0 selects a free port.
    pub(crate) socket: SocketAddr,
    /// The token that clients must send as `Authorization: Bearer`.
    pub(crate) token: Option<String>,
}

type HttpResponse = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The only path.
const PATH: &str = "/mcp";
/// The largest request: the limit for arguments, and space for the rest.
const MAX_REQUEST_BYTES: usize = Input::MAX_BYTES + (64 << 10);
/// How many connections are served at a time; further ones wait.
const MAX_CONNECTIONS: usize = 256;
/// The origins of pages that this machine serves.
const ALLOWED_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Serves until the server shuts down.
pub(crate) async fn serve(state: &Arc<AppState>, address: Address) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot listen on {}: {error}", address.socket);
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(diagnostic.hint("choose another port, or 0 for any free port"))
    };
    let listener = TcpListener::bind(address.socket).await.map_err(failed)?;
    let local = listener.local_addr().map_err(failed)?;
    let url = format!("http://{local}{PATH}\n");
    let _ = state
        .outgoing
        .send(Outgoing::Message(url.into_bytes()))
        .await;
    let guard = Arc::new(Guard {
        service: service(state),
        token: address.token,
    });
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&slots).acquire_owned().await else {
            return Ok(());
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = state.stop.cancelled() => return Ok(()),
        };
        // A client that disconnected before it was accepted is not an error.
        let Ok((stream, _)) = accepted else { continue };
        let _ = stream.set_nodelay(true);
        let guard = Arc::clone(&guard);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let guard = Arc::clone(&guard);
                async move { Ok::<_, Infallible>(guard.handle(request).await) }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            let _ = connection.await;
            drop(permit);
        });
    }
}

fn service(state: &Arc<AppState>) -> Service {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins(ALLOWED_ORIGINS)
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
        .with_cancellation_token(state.stop.clone());
    let state = Arc::clone(state);
    let server = move || Ok(Server::new(Arc::clone(&state), false));
    StreamableHttpService::new(server, Arc::default(), config)
}

/// Checks requests before they reach the service.
struct Guard {
    service: Service,
    token: Option<String>,
}

impl Guard {
    async fn handle(&self, request: Request<Incoming>) -> HttpResponse {
        if request.uri().path() != PATH {
            return reject(StatusCode::NOT_FOUND, "the server is at /mcp\n");
        }
        if !self.is_allowed(request.headers()) {
            let mut response = reject(StatusCode::UNAUTHORIZED, "send the token\n");
            let scheme = hyper::header::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return response;
        }
        let (mut parts, body) = request.into_parts();
        let Ok(collected) = Limited::new(body, MAX_REQUEST_BYTES).collect().await else {
            return reject(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n");
        };
        let body = collected.to_bytes();
        if let Some(arguments) = RawArguments::from_request(&body) {
            parts.extensions.insert(arguments);
        }
        let request = Request::from_parts(parts, Full::new(body));
        self.service.handle(request).await
    }

    /// Whether the client has sent the token, if there is one. The comparison takes
    /// constant time, so that it does not reveal where a guess is wrong.
    fn is_allowed(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        let sent = headers
            .get(AUTHORIZATION)
            .map_or(&b""[..], |value| value.as_bytes());
        let expected = format!("Bearer {token}");
        let difference = expected
            .bytes()
            .zip(sent)
            .fold(0, |all, (a, b)| all | (a ^ b));
        difference == 0 && expected.len() == sent.len()
    }
}

fn reject(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

/// The unparsed arguments of a call over HTTP.
pub(crate) fn raw_arguments(context: &RequestContext<RoleServer>) -> Option<&RawArguments> {
    context.extensions.get::<Parts>()?.extensions.get()
}
