//! The server: which requests it accepts, its limits and its end.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http::{Request, StatusCode, Uri};
use hyper::body::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::peer::{client, get, text};
use crate::Target;
use crate::server::{self, Server, ServerOptions};

/// A server whose responses repeat the request; `/slow` answers after a while.
struct Service {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Service {
    async fn start(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let mut options = ServerOptions {
            max_request_bytes: 10,
            head_timeout: Duration::from_millis(200),
            body_timeout: Duration::from_millis(200),
            shutdown_grace: Duration::from_millis(500),
            ..ServerOptions::default()
        };
        change(&mut options);
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::bind(address).await.expect("a port");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            let _ = stopped.await;
        };
        let handle = async |request: Request<Bytes>| {
            match request.uri().path() {
                "/slow" => tokio::time::sleep(Duration::from_millis(200)).await,
                "/hang" => std::future::pending().await,
                _ => {}
            }
            server::text(StatusCode::OK, request.into_body())
        };
        let task = tokio::spawn(server.serve(options, handle, stopped));
        Self {
            address,
            stop,
            task,
        }
    }

    /// All bytes until it closes the connection.
    async fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("it reads");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text).await;
        text
    }

    /// The status of a request with these headers, and its body.
    async fn post(&self, headers: &str, body: &str) -> (String, String) {
        let length = body.len();
        let response = self
            .raw(&format!(
                "POST / HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n\
                 {headers}\r\n{body}"
            ))
            .await;
        let status = response.get(9..12).unwrap_or_default().to_owned();
        let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_owned())
    }

    async fn check(&self, headers: &str, status: &str) {
        let (found, _) = self.post(headers, "body").await;
        assert_eq!(found, status, "{headers:?}");
    }
}

#[tokio::test]
async fn only_this_machine_is_served() {
    let service = Service::start(|_| ()).await;
    let port = service.address.port();
    for host in [
        "localhost",
        "127.0.0.1:1",
        "[::1]",
        "LOCALHOST:8080",
        "127.0.0.2",
    ] {
        service.check(&format!("host: {host}\r\n"), "200").await;
    }
    for headers in ["", "host: localhost\r\nhost: evil.example\r\n"] {
        service.check(headers, "400").await;
    }
    for headers in [
        "host: evil.example\r\n",
        "host: localhost.evil.example\r\n",
        "host: 127.0.0.1.evil.example\r\n",
        "host: evil.example@localhost\r\n",
        "host: 0.0.0.0\r\n",
        "host: localhost\r\norigin: http://evil.example\r\n",
        "host: localhost\r\norigin: null\r\n",
        "host: localhost\r\norigin: http://localhost\r\n",
        "host: localhost\r\norigin: file://\r\n",
    ] {
        service.check(headers, "403").await;
    }
    let own = format!("host: localhost\r\norigin: http://127.0.0.1:{port}\r\n");
    service.check(&own, "200").await;
    let two = format!("{own}origin: http://evil.example\r\n");
    service.check(&two, "403").await;
    let named = Target::new(&Uri::from_static("https://localhost:5173")).expect("a target");
    let open = Service::start(|options| options.origins = vec![named]).await;
    open.check(
        "host: localhost\r\norigin: https://localhost:5173\r\n",
        "200",
    )
    .await;
    for origin in ["https://evil.example", "https://localhost:5174"] {
        let headers = format!("host: localhost\r\norigin: {origin}\r\n");
        open.check(&headers, "403").await;
    }
}

#[tokio::test]
async fn only_a_loopback_address_is_bound() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let error = Server::bind(address.parse().expect("an address")).await;
        assert_eq!(
            error.expect_err("an error").to_string(),
            "not a loopback address"
        );
    }
}

#[tokio::test]
async fn the_token_is_required() {
    let service = Service::start(|options| options.token = Some("s3cret".to_owned())).await;
    for (header, status) in [
        ("", "401"),
        ("authorization: Bearer s3cre\r\n", "401"),
        ("authorization: Bearer s3cret!\r\n", "401"),
        ("authorization: s3cret\r\n", "401"),
        ("authorization: Bearer s3cret\r\n", "200"),
        (
            "authorization: Bearer s3cret\r\nauthorization: Bearer x\r\n",
            "401",
        ),
    ] {
        service
            .check(&format!("host: localhost\r\n{header}"), status)
            .await;
    }
}

#[tokio::test]
async fn a_request_is_bounded() {
    let service = Service::start(|_| ()).await;
    let host = "host: localhost\r\n";
    let ten = service.post(host, "0123456789").await;
    assert_eq!(ten, ("200".to_owned(), "0123456789".to_owned()));
    let large = service.post(host, "0123456789a").await;
    assert_eq!(
        large,
        ("413".to_owned(), "the request is too large\n".to_owned())
    );
    service
        .check(&format!("{host}x: {}\r\n", "y".repeat(160 << 10)), "431")
        .await;
    service
        .check(&format!("{host}{}", "x: y\r\n".repeat(200)), "431")
        .await;
    // Slow headers, a slow body, and silence.
    let slow = service.raw("POST / HTTP/1.1\r\nhost: loc").await;
    assert!(
        slow.is_empty() || slow.starts_with("HTTP/1.1 408"),
        "{slow}"
    );
    let body = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\npart";
    let slow = service.raw(body).await;
    assert!(
        slow.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
        "{slow}"
    );
    let silent = service.raw("").await;
    assert!(
        silent.is_empty() || silent.starts_with("HTTP/1.1 408"),
        "{silent}"
    );
    assert!(
        service
            .raw("garbage\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 400")
    );
}

#[tokio::test]
async fn a_connection_without_requests_makes_room() {
    let minute = Duration::from_mins(1);
    let service = Service::start(|options| {
        options.max_connections = 2;
        options.head_timeout = minute;
    });
    let service = service.await;
    let request = "GET /kept HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut kept = TcpStream::connect(service.address)
        .await
        .expect("it listens");
    kept.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = [0; 12];
    kept.read_exact(&mut answer).await.expect("it answers");
    assert_eq!(&answer, b"HTTP/1.1 200");
    let _silent = TcpStream::connect(service.address)
        .await
        .expect("it listens");
    tokio::time::sleep(Duration::from_millis(20)).await;
    for _ in 0..3 {
        let served = service.check("host: localhost\r\n", "200");
        let served = tokio::time::timeout(Duration::from_secs(10), served).await;
        served.expect("it is served at once");
    }
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(minute, kept.read_to_end(&mut rest)).await;
    ended.expect("it ends").expect("without an error");
}

#[tokio::test]
async fn a_connection_with_a_request_makes_room_after_its_answer() {
    let service = Service::start(|options| options.max_connections = 1).await;
    let slow = service.raw("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let next = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let begin = Instant::now();
        service.check("host: localhost\r\n", "200").await;
        begin.elapsed()
    };
    let (slow, waited) = tokio::join!(slow, next);
    assert!(slow.starts_with("HTTP/1.1 200"), "{slow}");
    assert!(waited > Duration::from_millis(100), "{waited:?}");
}

#[tokio::test]
async fn a_stopped_server_sends_the_last_responses() {
    for (path, is_answered) in [("/slow", true), ("/hang", false)] {
        let service = Service::start(|_| ()).await;
        let url = format!("http://{}{path}", service.address);
        let request = tokio::spawn(async move {
            let client = client(|options| options.read_timeout = Duration::from_mins(1));
            text(&client, get(&url)).await
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
        let start = Instant::now();
        service.stop.send(()).expect("it is running");
        service.task.await.expect("it ends");
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}",
            start.elapsed()
        );
        if is_answered {
            assert_eq!(request.await.expect("no panic"), Ok(String::new()));
        } else {
            request.abort();
        }
        let refused = TcpStream::connect(service.address).await;
        assert!(refused.is_err(), "nothing listens");
    }
}
