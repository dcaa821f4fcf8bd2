//! Requests through a proxy, which may reject them, hang or be absent.

use cogtools_test_support::{Project, certificates};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use super::peer::{Peer, Step, TIMEOUT, client, failure, get, ok, send, text};
use super::tls::secure;
use crate::Vars;
use crate::error::{ProxyReason, Reason};
use crate::proxy::Proxies;

fn proxies(name: &str, url: &str) -> Proxies {
    Proxies::from_vars(&Vars::from([(name.into(), url.into())]))
}

#[tokio::test]
async fn a_proxy_reads_the_whole_url_over_http() {
    let proxy = Peer::start(vec![ok("proxied")]).await;
    let url = proxy.url("http", "u:p@proxy.example", "");
    let client = client(|options| options.proxies = proxies("http_proxy", &url));
    let result = text(&client, get("http://a.example/x?y=z")).await;
    assert_eq!(result, Ok("proxied".to_owned()));
    let received = proxy.received().join("");
    assert!(
        received.starts_with("GET http://a.example/x?y=z HTTP/1.1\r\n"),
        "{received}"
    );
    assert!(
        received.contains("\r\nproxy-authorization: Basic dTpw\r\n"),
        "{received}"
    );
    // This machine is reached directly.
    let direct = Peer::start(vec![ok("direct")]).await;
    let result = text(&client, get(&direct.url("http", "localhost", "/"))).await;
    assert_eq!(result, Ok("direct".to_owned()));
    let received = direct.received().join("");
    assert!(!received.contains("proxy-authorization"), "{received}");
}

#[tokio::test]
async fn a_proxy_only_connects_over_https() {
    let folder = Project::new();
    let site = secure(&folder, certificates::of("a.example")).await;
    let address = site.address;
    let established = send("HTTP/1.1 200 Connection established\r\n\r\n");
    let proxy = Peer::start_tunnel(vec![established], move |mut stream| async move {
        let mut upstream = TcpStream::connect(address).await.expect("the site");
        let _ = copy_bidirectional(&mut stream, &mut upstream).await;
    })
    .await;
    let url = proxy.url("http", "u:p@proxy.example", "/");
    let client = client(|options| {
        options.certificates = Some(folder.path("ca.pem"));
        options.proxies = proxies("HTTPS_PROXY", &url);
    });
    let result = text(&client, get("https://a.example/x")).await;
    assert_eq!(result, Ok("secure".to_owned()));
    let connect = "CONNECT a.example:443 HTTP/1.1\r\nhost: a.example:443\r\n\
                   proxy-authorization: Basic dTpw\r\n\r\n";
    assert_eq!(proxy.received(), [connect]);
    let received = site.received().join("");
    assert!(received.starts_with("GET /x HTTP/1.1\r\n"), "{received}");
    assert!(!received.contains("proxy-authorization"), "{received}");
}

/// Why a request for an `https:` URL fails through a proxy with this script.
async fn rejected(script: Vec<Step>) -> Reason {
    let proxy = Peer::start(script).await;
    let url = proxy.url("http", "u:p@proxy.example", "");
    let client = client(|options| options.proxies = proxies("ALL_PROXY", &url));
    let reason = failure(&client, "https://a.example/").await;
    if let Reason::Proxy { proxy: name, .. } = &reason {
        assert_eq!(*name, format!("proxy.example:{}", proxy.address.port()));
    }
    reason
}

fn reason(reason: Reason) -> ProxyReason {
    match reason {
        Reason::Proxy { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_proxy_may_not_connect() {
    let status = |line: &str| {
        vec![send(&format!(
            "HTTP/1.1 {line}\r\ncontent-length: 0\r\n\r\n"
        ))]
    };
    let authentication = rejected(status("407 Proxy Authentication Required")).await;
    assert_eq!(reason(authentication), ProxyReason::Authentication);
    let forbidden = rejected(status("403 Forbidden")).await;
    assert_eq!(
        reason(forbidden),
        ProxyReason::Status(http::StatusCode::FORBIDDEN)
    );
    for script in [
        vec![Step::Close],
        vec![send("SSH-2.0\r\n\r\n")],
        vec![Step::Reset],
    ] {
        assert_eq!(reason(rejected(script).await), ProxyReason::Malformed);
    }
    assert_eq!(
        rejected(vec![Step::Hang]).await,
        Reason::ConnectTimeout(TIMEOUT)
    );
    let absent = client(|options| {
        options.proxies = proxies("https_proxy", "nowhere.example:3128");
    });
    let absent = failure(&absent, "https://a.example/").await;
    assert_eq!(
        absent.to_string(),
        "cannot be reached through the proxy `nowhere.example:3128`: it cannot be reached: its \
         name cannot be resolved: no such name"
    );
}

#[tokio::test]
async fn an_invalid_proxy_is_an_error_not_a_direct_connection() {
    for value in ["socks5://proxy.example:1080", "http://", "ht!tp://x", "a b"] {
        let client = client(|options| options.proxies = proxies("HTTPS_PROXY", value));
        let error = text(&client, get("https://a.example/"))
            .await
            .expect_err("a failure");
        assert_eq!(
            error.to_string(),
            "`a.example` cannot be reached through the proxy `HTTPS_PROXY`: it is not an http:// \
             or https:// URL",
            "{value}"
        );
    }
}
