//! A server that follows a script, and a client whose every name is this machine.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Request;
use hyper::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::ClientOptions;
use crate::connect::Resolver;
use crate::error::{HttpError, Reason};
use crate::{Client, Response};

/// Time that a client of a test waits.
pub(super) const TIMEOUT: Duration = Duration::from_millis(300);

/// Behaviour of a server after a request.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Send(String),
    Wait(Duration),
    /// Ends the connection in an orderly way.
    Close,
    /// Ends it by a reset.
    Reset,
    /// Nothing more, until the client closes.
    Hang,
}

/// A server, ended when it is dropped.
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    records: Records,
    task: JoinHandle<()>,
}

/// Events that a server has seen.
#[derive(Clone, Default)]
struct Records {
    /// One text for each request.
    received: Arc<Mutex<Vec<String>>>,
    /// Number of connections that clients have closed.
    closed: Arc<Mutex<usize>>,
}

/// A step that sends a response with this body.
pub(super) fn ok(body: &str) -> Step {
    let length = body.len();
    send(&format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

pub(super) fn send(text: &str) -> Step {
    Step::Send(text.to_owned())
}

impl Peer {
    /// A server that follows the same script for each request.
    pub(super) async fn start(script: Vec<Step>) -> Self {
        Self::start_with(script, |stream| async { Ok(stream) }).await
    }

    /// Starts a peer whose connections are wrapped.
    pub(super) async fn start_with<S, F>(
        script: Vec<Step>,
        wrap: impl Fn(TcpStream) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = std::io::Result<S>> + Send + 'static,
    {
        let serve = move |stream: TcpStream, records: Records| {
            let is_reset = script.iter().any(|step| matches!(step, Step::Reset));
            if is_reset {
                stream.set_zero_linger().expect("an option");
            }
            let (wrapped, script) = (wrap(stream), script.clone());
            async move {
                if let Ok(stream) = wrapped.await {
                    serve(stream, &script, &records.received).await;
                    *records.closed.lock().expect("a count") += 1;
                }
            }
        };
        Self::listen(serve).await
    }

    /// A server that hands each connection to `relay` after its first request.
    pub(super) async fn start_tunnel<F: Future<Output = ()> + Send + 'static>(
        script: Vec<Step>,
        relay: impl Fn(TcpStream) -> F + Clone + Send + Sync + 'static,
    ) -> Self {
        let serve = move |mut stream: TcpStream, records: Records| {
            let (script, relay) = (script.clone(), relay.clone());
            async move {
                let request = receive(&mut stream).await.expect("a request");
                records.received.lock().expect("a list").push(request);
                play(&mut stream, &script).await;
                relay(stream).await;
            }
        };
        Self::listen(serve).await
    }

    async fn listen<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(TcpStream, Records) -> F + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let records = Records::default();
        let own = records.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).expect("an option");
                tokio::spawn(serve(stream, own.clone()));
            }
        });
        Self {
            address,
            records,
            task,
        }
    }

    /// The URL of this server under a name.
    pub(super) fn url(&self, scheme: &str, host: &str, path: &str) -> String {
        format!("{scheme}://{host}:{}{path}", self.address.port())
    }

    /// The requests that it has received.
    pub(super) fn received(&self) -> Vec<String> {
        self.records.received.lock().expect("a list").clone()
    }

    /// Waits until this many connections are closed.
    pub(super) async fn wait_closed(&self, count: usize) {
        let closed = async {
            while *self.records.closed.lock().expect("a count") < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let closed = tokio::time::timeout(Duration::from_secs(10), closed).await;
        closed.expect("the client closes its connection");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves the requests of a connection until either side closes it.
async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    script: &[Step],
    received: &Mutex<Vec<String>>,
) {
    while let Some(request) = receive(&mut stream).await {
        received.lock().expect("a list").push(request);
        if !play(&mut stream, script).await {
            return;
        }
    }
}

/// Follows the script; returns whether the connection is still open.
async fn play(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), script: &[Step]) -> bool {
    for step in script {
        match step {
            // A client may be gone.
            Step::Send(text) => {
                let _ = stream.write_all(text.as_bytes()).await;
                let _ = stream.flush().await;
            }
            Step::Wait(time) => tokio::time::sleep(*time).await,
            Step::Close => {
                let _ = stream.shutdown().await;
                return false;
            }
            Step::Reset => return false,
            Step::Hang => {
                let mut rest = Vec::new();
                let _ = stream.read_to_end(&mut rest).await;
                return false;
            }
        }
    }
    true
}

/// One request, whose body has the length that its headers say.
async fn receive(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n") {
        text.push(char::from(stream.read_u8().await.ok()?));
    }
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().expect("a number"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    text.push_str(std::str::from_utf8(&body).expect("text"));
    Some(text)
}

/// A client with short limits; every name but `nowhere.example` is this machine.
pub(super) fn client(change: impl FnOnce(&mut ClientOptions)) -> Client {
    let mut options = ClientOptions {
        connect_timeout: TIMEOUT,
        read_timeout: TIMEOUT,
        max_response_bytes: 1_000,
        plain_http: crate::PlainHttp::Any,
        ..ClientOptions::default()
    };
    change(&mut options);
    let resolver = Resolver::new(|name| {
        Box::pin(async move {
            match name.as_str() {
                "nowhere.example" => Err(std::io::Error::other("no such name")),
                "slow.example" => std::future::pending().await,
                _ => Ok(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0))]),
            }
        })
    });
    Client::with_resolver(options, resolver)
}

/// A request without a body.
pub(super) fn get(url: &str) -> Request<Bytes> {
    Request::get(url).body(Bytes::new()).expect("a request")
}

/// The whole body of the response, or the error.
pub(super) async fn text(client: &Client, request: Request<Bytes>) -> Result<String, HttpError> {
    let response: Response = client.send(request).await?;
    response.text(u64::MAX).await
}

/// Why the request for `url` fails.
pub(super) async fn failure(client: &Client, url: &str) -> Reason {
    let error = text(client, get(url)).await.expect_err("a failure");
    error.reason
}
