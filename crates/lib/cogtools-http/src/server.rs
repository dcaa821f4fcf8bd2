//! The server, only for programs and pages on this machine.
//!
//! It listens on a loopback address. But any page in a browser can send requests to
//! this machine, even under a host name that it controls, so that is not enough:
//! a guard rejects any other `Host`, foreign `Origin`s and clients without the token
//! before it reads a body.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::client::MAX_HEADER_BYTES;
use crate::target::Target;

/// The body of a response: bytes, or a stream of them.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The pause when the system has no more sockets.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A server that listens on a loopback address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on `address`, whose port 0 selects a free port.
    ///
    /// # Errors
    /// `AddrNotAvailable` for an address that is not loopback, or the error of the system.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let kind = io::ErrorKind::AddrNotAvailable;
            return Err(io::Error::new(kind, "not a loopback address"));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the address that it listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` ends, and then lets responses end within the grace.
    /// `handle` answers the requests that were let through, each with its whole body.
    pub async fn serve<F>(
        self,
        options: ServerOptions,
        handle: impl Fn(Request<Bytes>) -> F + Send + Sync + 'static,
        stop: impl Future<Output = ()>,
    ) where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let connections = Connections::new(connections(options.max_connections));
        let grace = options.shutdown_grace;
        let port = self.address.port();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(options.head_timeout)
            .max_buf_size(MAX_HEADER_BYTES);
        let shared = Arc::new((options, handle));
        let mut stop = pin!(stop);
        loop {
            let accept = async {
                let accepted = self.listener.accept().await;
                (accepted, connections.slot().await)
            };
            let (accepted, permit) = tokio::select! {
                accepted = accept => accepted,
                () = &mut stop => break,
            };
            let Ok((stream, _)) = accepted else {
                // A client that is gone already, or no more sockets.
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let shared = Arc::clone(&shared);
            let service = service_fn(move |request: Request<Incoming>| {
                let shared = Arc::clone(&shared);
                async move {
                    let (options, handle) = &*shared;
                    let response = match read(request, options, port).await {
                        Ok(request) => handle(request).await,
                        Err(rejection) => rejection.into(),
                    };
                    Ok::<_, Infallible>(response)
                }
            });
            connections.serve(&http, stream, service, permit);
        }
        drop(self.listener);
        connections.end(grace).await;
    }
}

/// Makes a body of any other one. An error in it ends the connection.
pub fn body<B>(body: B) -> Body
where
    B: hyper::body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    body.map_err(Into::into).boxed_unsync()
}

/// Returns a response of the media type `kind`.
pub fn typed(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = text(status, body);
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Returns a response of plain text.
pub fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(body(Full::new(text.into())));
    *response.status_mut() = status;
    response
}

/// Reads a request that may be served, with its body.
async fn read(
    request: Request<Incoming>,
    options: &ServerOptions,
    port: u16,
) -> Result<Request<Bytes>, Rejection> {
    let (parts, mut incoming) = request.into_parts();
    check(&parts, options, port)?;
    let reject = |status, text| Rejection { status, text };
    let mut body = Vec::new();
    while let Some(frame) = timeout(options.body_timeout, incoming.frame())
        .await
        .map_err(|_| reject(StatusCode::REQUEST_TIMEOUT, "the request is too slow\n"))?
    {
        let frame = frame.map_err(|_| reject(StatusCode::BAD_REQUEST, "the request is cut\n"))?;
        let Ok(bytes) = frame.into_data() else {
            continue;
        };
        if bytes.len() > options.max_request_bytes - body.len() {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return Err(reject(status, "the request is too large\n"));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(Request::from_parts(parts, body.into()))
}

/// The requests that a server accepts, and its limits.
#[derive(Clone)]
pub struct ServerOptions {
    /// The number of connections that are served at a time, or half the limit of open files if that is
    /// less. For a further one, the oldest ends after its request.
    pub max_connections: u32,
    /// The limit for the body of a request.
    pub max_request_bytes: usize,
    /// The limit for the headers of a request, and for a connection without requests.
    pub head_timeout: Duration,
    /// The limit for each pause in the body of a request.
    pub body_timeout: Duration,
    /// The time that responses may take after the server is stopped.
    pub shutdown_grace: Duration,
    /// Origins whose pages may send requests, besides the origin of this server.
    pub origins: Vec<Target>,
    /// The token that clients must send as `Authorization: Bearer`.
    pub token: Option<String>,
    /// The paths for which no token is needed.
    pub open_paths: &'static [&'static str],
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_connections: 512,
            max_request_bytes: 1 << 20,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            shutdown_grace: Duration::from_secs(2),
            origins: Vec::new(),
            token: None,
            open_paths: &[],
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("origins", &self.origins)
            .field("has_token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}

/// The scheme of a token.
const SCHEME: &[u8] = b"Bearer";

/// Why a request is rejected.
#[derive(Clone, Copy, Debug)]
struct Rejection {
    status: StatusCode,
    text: &'static str,
}

impl From<Rejection> for Response<Body> {
    fn from(rejection: Rejection) -> Self {
        let mut response = text(rejection.status, rejection.text);
        if rejection.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// Rejects a request that is not from this machine, or has no token.
fn check(parts: &Parts, options: &ServerOptions, port: u16) -> Result<(), Rejection> {
    let reject = |status, text| Err(Rejection { status, text });
    // RFC 9112, 3.2.
    if parts.headers.get_all(HOST).iter().count() != 1 {
        return reject(StatusCode::BAD_REQUEST, "send one Host header\n");
    }
    if !has_local_host(parts) {
        return reject(
            StatusCode::FORBIDDEN,
            "the server is only for this machine\n",
        );
    }
    if !has_allowed_origin(&parts.headers, &options.origins, port) {
        return reject(StatusCode::FORBIDDEN, "the page may not use this server\n");
    }
    let is_open = options.open_paths.contains(&parts.uri.path());
    match &options.token {
        Some(token) if !is_open && !has_token(&parts.headers, token) => {
            reject(StatusCode::UNAUTHORIZED, "send the token\n")
        }
        _ => Ok(()),
    }
}

/// Returns the only value of a header; nothing if there are several.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// Returns true if the client has asked for a name of this machine: the name of a page that
/// was made to resolve to it is another.
fn has_local_host(parts: &Parts) -> bool {
    let named = parts.uri.authority().map(Authority::as_str);
    let host = only(&parts.headers, &HOST).and_then(|value| value.to_str().ok());
    let is_local = |authority: &str| {
        let target = Target::parse(&format!("http://{authority}/"));
        target.is_some_and(|target| target.is_loopback() && target.authorization.is_none())
    };
    host.is_some_and(is_local) && named.is_none_or(is_local)
}

/// Returns true if the page that sends the request may do so. Programs send no origin.
fn has_allowed_origin(headers: &HeaderMap, origins: &[Target], port: u16) -> bool {
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let origin = only(headers, &ORIGIN).and_then(|value| value.to_str().ok());
    let Some(target) = origin.and_then(Target::parse) else {
        return false;
    };
    let is_own = !target.is_https && target.port == port && target.is_loopback();
    is_own || origins.iter().any(|it| it.is_same_server(&target))
}

/// Returns true if the client has sent the token. The comparison takes constant time, so that
/// it does not reveal where a guess is wrong. The name of the scheme has no case (RFC 9110, 11.1).
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let sent = only(headers, &AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
    let Some((scheme, rest)) = sent.split_at_checked(SCHEME.len()) else {
        return false;
    };
    let sent = rest.trim_ascii_start();
    if !scheme.eq_ignore_ascii_case(SCHEME) || sent.len() == rest.len() {
        return false;
    }
    let difference = token.bytes().zip(sent).fold(0, |all, (a, b)| all | (a ^ b));
    difference == 0 && token.len() == sent.len()
}

/// The time that the next connection waits for one to end, until another one is asked.
const PATIENCE: Duration = Duration::from_millis(20);

/// The connections of a server.
struct Connections {
    slots: Arc<Semaphore>,
    /// Each connection's request to end, the oldest first.
    open: Arc<Mutex<VecDeque<Arc<Notify>>>>,
    max: u32,
}

impl Connections {
    /// Returns room for `max` connections.
    fn new(max: u32) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(max as usize)),
            open: Arc::default(),
            max,
        }
    }

    /// Waits for a place for another connection. If there is none, the oldest ones end, each after the
    /// request that it is at: clients keep connections that they do not use.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let slot = || Arc::clone(&self.slots).acquire_owned();
        if let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned() {
            return Some(permit);
        }
        loop {
            let oldest = self.open.lock().pop_front();
            let Some(oldest) = oldest else {
                return slot().await.ok();
            };
            oldest.notify_one();
            if let Ok(permit) = timeout(PATIENCE, slot()).await {
                return permit.ok();
            }
        }
    }

    /// Serves the requests on `stream` in a task of its own, in `permit`'s place.
    fn serve<S>(
        &self,
        http: &http1::Builder,
        stream: TcpStream,
        service: S,
        permit: Option<OwnedSemaphorePermit>,
    ) where
        S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>
            + Send
            + 'static,
        S::Future: Send,
    {
        let close = Arc::<Notify>::default();
        self.open.lock().push_back(Arc::clone(&close));
        let open = Arc::clone(&self.open);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            tokio::select! {
                _ = connection.as_mut() => {}
                () = close.notified() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            open.lock().retain(|other| !Arc::ptr_eq(other, &close));
            drop(permit);
        });
    }

    /// Ends all connections, each after its request, at most within `grace`.
    async fn end(self, grace: Duration) {
        for close in self.open.lock().drain(..) {
            close.notify_one();
        }
        let _ = timeout(grace, self.slots.acquire_many(self.max)).await;
    }
}

/// The part of the open files that connections may be: answers need files, too.
const PART: u32 = 2;
/// The number that even the smallest limit leaves.
const MIN_CONNECTIONS: u32 = 4;

/// Returns the number of connections that there is room for, at most `max`: a connection that is accepted and
/// cannot be served shuts out those that could be.
fn connections(max: u32) -> u32 {
    let room = open_files().map_or(max, |files| (files / PART).max(MIN_CONNECTIONS));
    max.min(room)
}

/// Returns the limit of open files, if there is one.
#[cfg(unix)]
fn open_files() -> Option<u32> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current.and_then(|files| u32::try_from(files).ok())
}

/// Returns the limit of open files, if there is one.
#[cfg(not(unix))]
const fn open_files() -> Option<u32> {
    None
}
