//! The protocol over HTTP, only for clients on this machine.

use std::net::SocketAddr;
use std::sync::Arc;

use cogtools_core::{Code, Diagnostic};
use cogtools_http::Bytes;
use cogtools_http::http::request::Parts;
use cogtools_http::http::{Request, Response, StatusCode};
use cogtools_http::server::{self, Body, Origins, ServerOptions};
use cogtools_program::{Failure, Input};
use http_body_util::Full;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::output::Outgoing;
use crate::raw_arguments::RawArguments;
use crate::serve::SHUTDOWN_GRACE;
use crate::server::{AppState, Server};

/// The address to listen on, and the token.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// A loopback address; port 0 selects a free port.
    pub(crate) socket: SocketAddr,
    /// The token that clients must send as `Authorization: Bearer`.
    pub(crate) token: Option<String>,
}

type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The only path.
const PATH: &str = "/mcp";
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
        shutdown_grace: SHUTDOWN_GRACE,
        token: address.token,
        ..ServerOptions::default()
    };
    let service = service(state);
    let handle = move |request| handle(service.clone(), request);
    server.serve(options, handle, state.stop.cancelled()).await;
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

async fn handle(service: Service, request: Request<Bytes>) -> Response<Body> {
    if request.uri().path() != PATH {
        return server::text(StatusCode::NOT_FOUND, "the server is at /mcp\n");
    }
    let (mut parts, body) = request.into_parts();
    if let Some(arguments) = RawArguments::from_request(&body) {
        parts.extensions.insert(arguments);
    }
    let request = Request::from_parts(parts, Full::new(body));
    service.handle(request).await
}

/// The unparsed arguments of a call over HTTP.
pub(crate) fn raw_arguments(context: &RequestContext<RoleServer>) -> Option<&RawArguments> {
    context.extensions.get::<Parts>()?.extensions.get()
}
