//! Addresses that may not be connected to, whatever a name says.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cogtools_process::http::HostRule;

use super::peer::{Peer, get, ok, text};
use crate::connect::Resolver;
use crate::error::Reason;
use crate::{Client, ClientOptions, PlainHttp};

/// A client that may reach what `hosts` permit, and for which every name has the addresses that
/// `lookup` returns.
fn client(
    hosts: &[&str],
    lookup: impl Fn() -> Vec<&'static str> + Send + Sync + 'static,
) -> Client {
    let options = ClientOptions {
        plain_http: PlainHttp::Any,
        hosts: hosts.iter().map(|host| HostRule::parse(host)).collect(),
        ..ClientOptions::default()
    };
    let resolver = Resolver::new(move |_| {
        let found = lookup().into_iter();
        let found = found.map(|text| SocketAddr::new(text.parse().expect(text), 0));
        let found: Vec<SocketAddr> = found.collect();
        Box::pin(async move { Ok(found) })
    });
    Client::with_resolver(options, resolver)
}

#[tokio::test]
async fn a_name_with_an_address_that_is_not_public_is_not_reached() {
    for addresses in [
        vec!["127.0.0.1"],
        vec!["93.184.216.34", "10.0.0.1"],
        vec!["::ffff:127.0.0.1"],
        vec!["::1"],
        vec!["169.254.169.254"],
        vec!["64:ff9b::a9fe:a9fe"],
    ] {
        let last = addresses
            .last()
            .map(|text| text.parse().expect("an address"));
        let client = client(&[], move || addresses.clone());
        let failed = text(&client, get("http://a.example:1/")).await;
        let reason = failed.expect_err("a failure").reason;
        assert_eq!(Some(reason), last.map(Reason::Forbidden));
    }
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_that_is_used() {
    let peer = Peer::start(vec![ok("a")]).await;
    let count = Arc::new(AtomicUsize::new(0));
    let lookups = Arc::clone(&count);
    // A name whose answer changes as soon as it was asked for.
    let own = format!("a.example:{}", peer.address.port());
    let client = client(&[&own], move || {
        match lookups.fetch_add(1, Ordering::SeqCst) {
            0 => vec!["127.0.0.1"],
            _ => vec!["127.0.0.2"],
        }
    });
    let url = peer.url("http", "a.example", "/");
    assert_eq!(text(&client, get(&url)).await, Ok("a".to_owned()));
    assert_eq!(count.load(Ordering::SeqCst), 1);
    // The open connection is used again; another one would be checked again.
    assert_eq!(text(&client, get(&url)).await, Ok("a".to_owned()));
    assert_eq!(count.load(Ordering::SeqCst), 1);
    let other = text(&client, get("http://b.example:1/")).await;
    let reason = other.expect_err("a failure").reason;
    assert!(matches!(reason, Reason::Forbidden(_)), "{reason:?}");
}
