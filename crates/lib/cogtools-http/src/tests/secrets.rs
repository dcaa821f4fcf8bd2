//! Secrets in requests, which no message or debug text repeats.

use http::Request;
use hyper::body::Bytes;

use super::peer::{Peer, Step, client, ok};
use crate::{ClientOptions, Vars};

const SECRET: &str = "s3cr3t";

fn request(url: &str) -> Request<Bytes> {
    Request::post(url)
        .header("x-goog-api-key", SECRET)
        .header("proxy-authorization", SECRET)
        .body(Bytes::from("{}"))
        .expect("a request")
}

#[tokio::test]
async fn a_request_is_sent_as_it_is() {
    let peer = Peer::start(vec![ok("a")]).await;
    let url = peer.url("http", "user:p%3Aw@a.example", "/v1?key=k");
    client(|_| ())
        .send(request(&url))
        .await
        .expect("a response");
    let port = peer.address.port();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "POST /v1?key=k HTTP/1.1\r\nx-goog-api-key: {SECRET}\r\naccept-encoding: identity\r\n\
         authorization: Basic dXNlcjpwOnc=\r\nuser-agent: cogtools/{version}\r\n\
         host: a.example:{port}\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    assert_eq!(peer.received(), [expected]);
}

#[tokio::test]
async fn no_text_has_a_secret() {
    let vars = Vars::from([
        (
            "ALL_PROXY".into(),
            format!("http://user:{SECRET}@proxy.example").into(),
        ),
        ("SSL_CERT_FILE".into(), "/ca.pem".into()),
    ]);
    let options = ClientOptions::from_vars(&vars);
    let texts = [
        format!("{options:?}"),
        format!("{:?}", client(|own| own.proxies = options.proxies.clone())),
    ];
    for text in texts {
        assert!(
            text.contains("proxy.example") && !text.contains(SECRET),
            "{text}"
        );
    }
    let peer = Peer::start(vec![Step::Close]).await;
    let url = peer.url(
        "http",
        &format!("user:{SECRET}@a.example"),
        &format!("/{SECRET}?k={SECRET}"),
    );
    let error = client(|_| ())
        .send(request(&url))
        .await
        .expect_err("a failure");
    let text = format!("{error} {error:?}");
    assert!(!text.contains(SECRET), "{text}");
}
