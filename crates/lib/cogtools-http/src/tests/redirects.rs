//! Redirects: of a GET to the same server alone.

use http::Request;
use hyper::body::Bytes;

use super::peer::{Peer, client, get, send, text};

/// A server that redirects every request to `location`.
async fn redirecting(status: u16, location: &str) -> Peer {
    let head = format!("HTTP/1.1 {status} X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    Peer::start(vec![send(&head)]).await
}

#[tokio::test]
async fn no_request_follows_a_redirect_to_another_server() {
    for (location, shown) in [
        ("https://u:p@b.example/x?token=1#f", "https://b.example/x"),
        ("http://a.example/", "http://a.example/"),
        ("//b.example/x", "//b.example/x"),
        ("relative?x=y", "relative"),
    ] {
        let peer = redirecting(302, location).await;
        let error = text(
            &client(|_| ()),
            get(&peer.url("http", "a.example", "/?key=k")),
        )
        .await;
        let error = error.expect_err("a redirect");
        let host = format!("a.example:{}", peer.address.port());
        let message = format!("`{host}` responded with HTTP 302 Found, a redirect to `{shown}`");
        assert_eq!((error.to_string(), error.is_transient()), (message, false));
        assert_eq!(peer.received().len(), 1, "{location}");
    }
}

#[tokio::test]
async fn a_get_follows_a_few_redirects_of_its_server() {
    let peer = redirecting(307, "/next").await;
    let error = text(&client(|_| ()), get(&peer.url("http", "a.example", "/"))).await;
    let error = error.expect_err("a loop").to_string();
    assert!(
        error.ends_with("HTTP 307 Temporary Redirect, a redirect to `/next`"),
        "{error}"
    );
    let received = peer.received();
    let lines: Vec<&str> = received
        .iter()
        .filter_map(|head| head.lines().next())
        .collect();
    let next = "GET /next HTTP/1.1";
    assert_eq!(lines, ["GET / HTTP/1.1", next, next, next, next, next]);
}

#[tokio::test]
async fn a_post_follows_none() {
    for status in [301, 302, 303, 307, 308] {
        let peer = redirecting(status, "/next").await;
        let request = Request::post(peer.url("http", "a.example", "/"))
            .body(Bytes::from("body"))
            .expect("a request");
        let error = client(|_| ())
            .send(request)
            .await
            .expect_err("a redirect")
            .to_string();
        assert!(error.ends_with("a redirect to `/next`"), "{error}");
        assert_eq!(peer.received().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn another_status_is_a_response() {
    for status in [201, 304, 404] {
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
        let peer = Peer::start(vec![send(&head)]).await;
        let response = client(|_| ())
            .send(get(&peer.url("http", "a.example", "/")))
            .await;
        assert_eq!(response.expect("a response").status.as_u16(), status);
    }
    let head = "HTTP/1.1 201 Created\r\nlocation: /new\r\ncontent-length: 0\r\n\r\n";
    let peer = Peer::start(vec![send(head)]).await;
    let response = client(|_| ())
        .send(get(&peer.url("http", "a.example", "/")))
        .await;
    assert_eq!(
        response.expect("a response").header("location"),
        Some("/new")
    );
}
