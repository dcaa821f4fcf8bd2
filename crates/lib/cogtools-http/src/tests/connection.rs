//! Connections: used again, and closed when a request is dropped.

use std::time::Duration;

use super::peer::{Peer, Step, client, get, ok, send, text};

#[tokio::test]
async fn a_connection_is_used_again() {
    let peer = Peer::start(vec![ok("a")]).await;
    let client = client(|_| ());
    for _ in 0..3 {
        let result = text(&client.clone(), get(&peer.url("http", "a.example", "/"))).await;
        assert_eq!(result, Ok("a".to_owned()));
    }
    assert_eq!(peer.received().len(), 3);
    drop(client);
    // All three were on the one connection.
    peer.wait_closed(1).await;
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_not() {
    let peer = Peer::start(vec![ok("a"), Step::Close]).await;
    let client = client(|_| ());
    for _ in 0..3 {
        let result = text(&client, get(&peer.url("http", "a.example", "/"))).await;
        assert_eq!(result, Ok("a".to_owned()));
        peer.wait_closed(1).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_dropped_request_closes_its_connection() {
    let peer = Peer::start(vec![Step::Hang]).await;
    let client = client(|options| options.read_timeout = Duration::from_mins(1));
    let request = client.send(get(&peer.url("http", "a.example", "/")));
    let dropped = tokio::time::timeout(Duration::from_millis(100), request).await;
    assert!(dropped.is_err(), "the server does not respond");
    peer.wait_closed(1).await;
}

#[tokio::test]
async fn a_dropped_response_closes_its_connection() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n";
    let peer = Peer::start(vec![send(head), Step::Hang]).await;
    let client = client(|_| ());
    let request = get(&peer.url("http", "a.example", "/"));
    let mut response = client.send(request).await.expect("a response");
    let chunk = response.chunk().await.expect("a chunk");
    assert_eq!(chunk.as_deref(), Some(&b"a"[..]));
    drop(response);
    peer.wait_closed(1).await;
}
