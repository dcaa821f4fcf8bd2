//! The protocol over HTTP, for clients on this machine alone.
//!
//! Any page that a browser shows can send requests to this machine, under names
//! of its own choice even. So it listens on a loopback address only, takes no
//! other `Host`, no `Origin` from elsewhere, and, if asked, no one without the
//! token.

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

use crate::given::Given;
use crate::server::{House, Server};
use crate::speech::Speech;

/// Where to listen, and what a client must know.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// A loopback address; port 0 takes any.
    pub(crate) socket: SocketAddr,
    /// What a client has to send as `Authorization: Bearer`.
    pub(crate) token: Option<String>,
}

type Reply = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The one path.
const PATH: &str = "/mcp";
/// The largest request: arguments as large as everywhere, and what is around them.
const LARGEST: usize = Input::LIMIT + (64 << 10);
/// How many connections there may be; further ones wait.
const CONNECTIONS: usize = 256;
/// Pages of these origins are this machine's own.
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Serves until everything ends.
pub(crate) async fn serve(house: &Arc<House>, address: Address) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot listen on {}: {error}", address.socket);
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(diagnostic.hint("choose another port, or 0 for any that is free"))
    };
    let listener = TcpListener::bind(address.socket).await.map_err(failed)?;
    let local = listener.local_addr().map_err(failed)?;
    let url = format!("http://{local}{PATH}\n");
    let _ = house.speeches.send(Speech::Message(url.into_bytes())).await;
    let gate = Arc::new(Gate {
        service: service(house),
        token: address.token,
    });
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return Ok(());
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = house.stop.cancelled() => return Ok(()),
        };
        // A client that left before it was let in is nobody's failure.
        let Ok((stream, _)) = accepted else { continue };
        let _ = stream.set_nodelay(true);
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let gate = Arc::clone(&gate);
                async move { Ok::<_, Infallible>(gate.answer(request).await) }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
            let _ = connection.await;
            drop(permit);
        });
    }
}

fn service(house: &Arc<House>) -> Service {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins(ORIGINS)
        .with_max_request_body_bytes(LARGEST)
        .with_cancellation_token(house.stop.clone());
    let house = Arc::clone(house);
    let server = move || Ok(Server::new(Arc::clone(&house), false));
    StreamableHttpService::new(server, Arc::default(), config)
}

/// What stands before the server.
struct Gate {
    service: Service,
    token: Option<String>,
}

impl Gate {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if request.uri().path() != PATH {
            return refused(StatusCode::NOT_FOUND, "the server is at /mcp\n");
        }
        if !self.admits(request.headers()) {
            let mut reply = refused(StatusCode::UNAUTHORIZED, "send the token\n");
            let scheme = hyper::header::HeaderValue::from_static("Bearer");
            reply.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return reply;
        }
        let (mut parts, body) = request.into_parts();
        let Ok(body) = Limited::new(body, LARGEST).collect().await else {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n");
        };
        let body = body.to_bytes();
        if let Some(given) = Given::of(&body) {
            parts.extensions.insert(given);
        }
        let request = Request::from_parts(parts, Full::new(body));
        self.service.handle(request).await
    }

    /// Whether a client knows the token, if there is one. How long the comparison
    /// takes says nothing of where a guess is wrong.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        let sent = headers
            .get(AUTHORIZATION)
            .map_or(&b""[..], |value| value.as_bytes());
        let expected = format!("Bearer {token}");
        let differing = expected
            .bytes()
            .zip(sent)
            .fold(0, |all, (a, b)| all | (a ^ b));
        differing == 0 && expected.len() == sent.len()
    }
}

fn refused(status: StatusCode, text: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *reply.status_mut() = status;
    reply
}

/// The arguments of a call that came over HTTP, word for word.
pub(crate) fn given(context: &RequestContext<RoleServer>) -> Option<&Given> {
    context.extensions.get::<Parts>()?.extensions.get()
}
