//! The server, only for programs and pages on this machine.
//!
//! It listens on a loopback address. But any page in a browser can send requests to
//! this machine, even under a host name that it controls, so that is not enough:
//! a guard rejects any other `Host`, foreign `Origin`s and clients without the token.

mod connections;
mod guard;
mod options;
mod sockets;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use tokio::net::TcpListener;

use connections::Connections;
use guard::Rejection;
pub use options::{Origins, ServerOptions};

/// The body of a response: bytes, or a stream of them.
pub type Body = BoxBody<Bytes, Infallible>;

/// How long to wait when the system has no more sockets.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The smallest buffer that hyper accepts.
const MIN_BUFFER_BYTES: usize = 8 << 10;

/// A server that listens on a loopback address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on `address`, whose port 0 selects a free port.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let kind = io::ErrorKind::AddrNotAvailable;
            return Err(io::Error::new(kind, "not a loopback address"));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
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
        let connections = Connections::new(sockets::connections(options.max_connections));
        let grace = options.shutdown_grace;
        let port = self.address.port();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(options.head_timeout)
            .max_buf_size(options.max_header_bytes.max(MIN_BUFFER_BYTES));
        let shared = Arc::new((options, handle));
        let mut stop = std::pin::pin!(stop);
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

/// A response of plain text.
pub fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(text.into()).boxed());
    *response.status_mut() = status;
    response
}

/// A request that may be served, with its body.
async fn read(
    request: Request<Incoming>,
    options: &ServerOptions,
    port: u16,
) -> Result<Request<Bytes>, Rejection> {
    let (parts, mut incoming) = request.into_parts();
    guard::check(&parts, options, port)?;
    let reject = |status, text| Rejection { status, text };
    let mut body = Vec::new();
    while let Some(frame) = tokio::time::timeout(options.body_timeout, incoming.frame())
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
