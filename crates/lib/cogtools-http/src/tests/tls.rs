//! Certificates that are trusted, and those that are not.

use std::sync::Arc;

use cogtools_test_support::{Project, certificates};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::peer::{Peer, Step, TIMEOUT, client, failure, get, ok, send, text};
use crate::error::{Reason, TlsReason};

/// A server with this certificate, whose authority is in `ca.pem` of the folder.
pub(super) async fn secure(project: &Project, certificate: &str) -> Peer {
    project.file("ca.pem", certificates::AUTHORITY);
    let chain = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate");
    let private = PrivateKeyDer::from_pem_slice(certificates::KEY.as_bytes()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![chain], private)
        .expect("a configuration");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Peer::start_with(vec![ok("secure")], move |stream| acceptor.accept(stream)).await
}

/// The response of a server with this certificate.
async fn outcome(certificate: &str, trusted: &str) -> Result<String, Reason> {
    let folder = Project::new();
    let peer = secure(&folder, certificate).await;
    let client = client(|options| options.certificates = Some(folder.path(trusted)));
    let result = text(&client, get(&peer.url("https", "a.example", "/"))).await;
    result.map_err(|error| error.reason)
}

#[tokio::test]
async fn a_trusted_certificate_of_the_host_is_required() {
    let secure = outcome(certificates::of("a.example"), "ca.pem").await;
    assert_eq!(secure, Ok("secure".to_owned()));
    let other = certificates::of("b.example");
    for (certificate, expected) in [
        (other, "not valid for name"),
        (certificates::EXPIRED, "expired"),
    ] {
        let refused = outcome(certificate, "ca.pem").await;
        let Err(Reason::Tls(TlsReason::Certificate(text))) = &refused else {
            panic!("{refused:?}");
        };
        assert!(text.contains(expected), "{text}");
    }
    let none = outcome(certificates::of("a.example"), "none.pem").await;
    assert!(
        matches!(none, Err(Reason::Tls(TlsReason::NoRoots(_)))),
        "{none:?}"
    );
}

#[tokio::test]
async fn the_authority_of_another_is_not_trusted() {
    let folder = Project::new();
    let peer = secure(&folder, certificates::of("a.example")).await;
    folder.file("other.pem", certificates::OTHER_AUTHORITY);
    let client = client(|options| options.certificates = Some(folder.path("other.pem")));
    let reason = failure(&client, &peer.url("https", "a.example", "/")).await;
    assert_eq!(reason, Reason::Tls(TlsReason::UnknownIssuer));
}

#[tokio::test]
async fn a_server_may_not_speak_tls() {
    let folder = Project::new();
    let _peer = secure(&folder, certificates::of("a.example")).await;
    let client = client(|options| options.certificates = Some(folder.path("ca.pem")));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let answering = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
        let (mut stream, _) = listener.accept().await.expect("a client");
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        std::future::pending::<()>().await;
    });
    let reason = failure(&client, &format!("https://a.example:{}/", address.port())).await;
    assert_eq!(reason, Reason::Tls(TlsReason::NotTls));
    answering.abort();
    // One that accepts and says nothing.
    let peer = Peer::start(vec![send(""), Step::Hang]).await;
    let reason = failure(&client, &peer.url("https", "a.example", "/")).await;
    assert_eq!(reason, Reason::ConnectTimeout(TIMEOUT));
}
