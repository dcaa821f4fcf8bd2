//! Responses that are cut, slow, too large or not HTTP.

use std::time::Duration;

use tokio::net::TcpSocket;

use super::peer::{Peer, Step, TIMEOUT, client, failure, get, ok, send, text};
use crate::error::Reason;

/// The result of a GET from a server with this script: the body, or the message, and
/// whether the failure is transient.
async fn outcome(script: Vec<Step>) -> Result<String, (String, bool)> {
    let peer = Peer::start(script).await;
    let result = text(&client(|_| ()), get(&peer.url("http", "a.example", "/"))).await;
    let port = format!(":{}", peer.address.port());
    result.map_err(|error| (error.to_string().replace(&port, ""), error.is_transient()))
}

async fn succeeds(script: Vec<Step>, body: &str) {
    assert_eq!(
        outcome(script.clone()).await,
        Ok(body.to_owned()),
        "{script:?}"
    );
}

async fn fails(script: Vec<Step>, message: &str, is_transient: bool) {
    let expected = Err((format!("`a.example` {message}"), is_transient));
    assert_eq!(outcome(script.clone()).await, expected, "{script:?}");
}

fn chunked(rest: &str) -> Step {
    send(&format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{rest}"
    ))
}

#[tokio::test]
async fn every_form_of_a_response_is_read() {
    succeeds(vec![ok("a")], "a").await;
    succeeds(vec![send("HTTP/1.1 204 No Content\r\n\r\n")], "").await;
    succeeds(
        vec![chunked("1\r\na\r\n1;x=y\r\nb\r\n0\r\ntrailer: t\r\n\r\n")],
        "ab",
    )
    .await;
    succeeds(vec![send("HTTP/1.0 200 OK\r\n\r\nold"), Step::Close], "old").await;
    succeeds(vec![send("HTTP/1.1 100 Continue\r\n\r\n"), ok("a")], "a").await;
    let identity = "HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\ncontent-length: 1\r\n\r\na";
    succeeds(vec![send(identity)], "a").await;
}

#[tokio::test]
async fn a_connection_that_ends_early_is_transient() {
    let closed = "cannot be reached: connection closed before message completed";
    fails(vec![Step::Close], closed, true).await;
    fails(
        vec![send("HTTP/1.1 200 OK\r\nconte"), Step::Close],
        closed,
        true,
    )
    .await;
    let cut = "closed the connection in the middle of a response";
    let part = send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart");
    fails(vec![part.clone(), Step::Close], cut, true).await;
    fails(vec![chunked("4\r\npart\r\n"), Step::Close], cut, true).await;
    fails(vec![part, Step::Wait(TIMEOUT / 4), Step::Reset], cut, true).await;
    let reset = "cannot be reached: connection error: Connection reset by peer (os error 104)";
    fails(vec![Step::Reset], reset, true).await;
}

#[tokio::test]
async fn a_pause_is_bounded_but_the_whole_is_not() {
    let pause = Step::Wait(TIMEOUT / 3);
    let mut slow = vec![chunked("")];
    for _ in 0..6 {
        slow.extend([pause.clone(), send("1\r\na\r\n")]);
    }
    slow.push(send("0\r\n\r\n"));
    succeeds(slow, "aaaaaa").await;
    let silent = "sent nothing for 300ms";
    fails(vec![Step::Hang], silent, true).await;
    fails(vec![chunked("1\r\na\r\n"), Step::Hang], silent, true).await;
    // A drop now and then does not extend the headers.
    let drip = [send("HTTP/1.1 200 OK\r\n"), pause];
    let drips: Vec<Step> = std::iter::once(drip[0].clone())
        .chain((0..9).flat_map(|_| [drip[1].clone(), send("x: y\r\n")]))
        .collect();
    fails(drips, silent, true).await;
}

#[tokio::test]
async fn a_response_is_bounded() {
    let large = "a".repeat(1_001);
    succeeds(vec![ok(&large[1..])], &large[1..]).await;
    let message = "sent a response larger than 1000 bytes";
    fails(vec![ok(&large)], message, false).await;
    let chunk = format!("{:x}\r\n{large}\r\n", large.len());
    fails(vec![chunked(&chunk), Step::Hang], message, false).await;
    fails(
        vec![
            send("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n"),
            Step::Hang,
        ],
        message,
        false,
    )
    .await;
    let headers = "sent a response with too many headers";
    let line = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(160 << 10));
    fails(vec![send(&line)], headers, false).await;
    let lines = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(200));
    fails(vec![send(&lines)], headers, false).await;
}

#[tokio::test]
async fn a_response_is_http() {
    let version = "sent a response that is not valid HTTP: invalid HTTP version parsed";
    fails(vec![send("SSH-2.0-OpenSSH_9.9\r\n\r\n")], version, false).await;
    let status = "sent a response that is not valid HTTP: invalid HTTP status-code parsed";
    fails(vec![send("HTTP/1.1 2x0 OK\r\n\r\n")], status, false).await;
    let length = "sent a response that is not valid HTTP: invalid content-length parsed";
    let lengths = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\naa";
    fails(vec![send(lengths)], length, false).await;
    let gzip = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\na";
    let message = "sent a compressed response, which was not asked for";
    fails(vec![send(gzip)], message, false).await;
}

#[tokio::test]
async fn a_host_may_not_be_reached() {
    let client = client(|_| ());
    let nowhere = failure(&client, "http://nowhere.example/").await;
    assert_eq!(nowhere, Reason::Resolve("no such name".to_owned()));
    let slow = failure(&client, "http://slow.example/").await;
    assert_eq!(slow, Reason::ConnectTimeout(TIMEOUT));
    let port = Peer::start(vec![]).await.address.port();
    tokio::task::yield_now().await;
    let refused = failure(&client, &format!("http://127.0.0.1:{port}/")).await;
    let message = "tcp connect error: Connection refused (os error 111)";
    assert_eq!(refused, Reason::Connect(message.to_owned()));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_host_that_does_not_accept_connections_times_out() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let listener = socket.listen(1).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) = tokio::time::timeout(
        Duration::from_millis(50),
        tokio::net::TcpStream::connect(address),
    )
    .await
    {
        waiting.push(stream);
    }
    let reason = failure(&client(|_| ()), &format!("http://{address}/")).await;
    assert_eq!(reason, Reason::ConnectTimeout(TIMEOUT));
}

#[tokio::test]
async fn a_url_is_checked() {
    let strict = client(|options| options.plain_http = crate::PlainHttp::Loopback);
    for (url, message) in [
        (
            "/path",
            "`` cannot be reached: its URL must begin with https:// or http://",
        ),
        (
            "ftp://a.example/",
            "`a.example` cannot be reached: its URL must begin with https:// or http://",
        ),
        (
            "http://a.example:99999/",
            "`a.example` cannot be reached: its URL has an invalid port",
        ),
        (
            "http://a.example:0/",
            "`a.example` cannot be reached: its URL has an invalid port",
        ),
        (
            "http://u:p@a.example:1/x?key=k",
            "`a.example:1` cannot be reached: over http, anyone on the network can read what is \
             sent",
        ),
        (
            "http://127.0.0.1.evil.example/",
            "`127.0.0.1.evil.example` cannot be reached: over http, anyone on the network can \
             read what is sent",
        ),
    ] {
        let Ok(request) = http::Request::get(url).body(hyper::body::Bytes::new()) else {
            assert!(url.contains("99999"), "{url}");
            continue;
        };
        let error = text(&strict, request).await.expect_err("a failure");
        assert_eq!(
            (error.to_string().as_str(), error.is_transient()),
            (message, false),
            "{url}"
        );
    }
    let peer = Peer::start(vec![ok("a")]).await;
    for host in ["127.0.0.1", "localhost", "x.localhost", "LOCALHOST."] {
        let result = text(&strict, get(&peer.url("http", host, "/"))).await;
        assert_eq!(result, Ok("a".to_owned()), "{host}");
    }
}
