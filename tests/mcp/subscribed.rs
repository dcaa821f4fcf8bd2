//! Updates of resources: they reach the clients that have subscribed, over every transport and in both
//! eras, and end with the session of the client.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, Run, install, str};
use serde_json::json;

use super::cache;
use super::http::{Service, address};
use super::offered::{asked, called, offering, open};
use super::peer::peer;
use super::session::signal;

#[test]
fn updates_reach_subscribers_until_they_leave() {
    let project = offering(&[("a", ""), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    let uri = json!({"uri": "cogtools://sources/b/mem://shared"});
    session
        .get("resources/subscribe", &uri)
        .expect("subscribed");
    assert_eq!(
        asked(&project, "b", "resources/subscribe"),
        ["resources/subscribe mem://shared"]
    );
    called(&mut session, "a_touch");
    called(&mut session, "b_touch");
    assert_eq!(session.notification("notifications/resources/updated"), uri);
    session
        .get("resources/unsubscribe", &uri)
        .expect("unsubscribed");
    called(&mut session, "b_touch");
    called(&mut session, "b_touch");
    let updates = session.notified();
    assert!(
        updates
            .iter()
            .all(|it| it["method"] != "notifications/resources/updated"),
        "{updates:?}"
    );
    let unknown = session.get("resources/subscribe", &json!({"uri": "mem://unknown"}));
    assert_eq!(unknown.expect_err("no one has it")["code"], -32002);
}

/// The gateway in front of another one, which is stateless: the subscription is a part of its stream.
#[test]
fn updates_pass_through_a_stateless_server() {
    let inner = offering(&[("a", "")]);
    let service = Service::start(&inner, &[("PATH", "/usr/bin:/bin")]);
    let outer = Project::new();
    let sources = json!({"tool_sources": [{"mcp": {"url": service.url, "name": "s", "wait": 30}}]});
    outer.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = open(&outer, &json!({}), &[]);
    let uri = json!({"uri": "mem://shared"});
    session
        .get("resources/subscribe", &uri)
        .expect("subscribed");
    let end = Instant::now() + Duration::from_secs(10);
    while asked(&inner, "a", "resources/subscribe").is_empty() {
        assert!(Instant::now() < end, "the source is not told");
        std::thread::sleep(Duration::from_millis(10));
    }
    called(&mut session, "a_touch");
    assert_eq!(session.notification("notifications/resources/updated"), uri);
    session
        .get("resources/unsubscribe", &uri)
        .expect("unsubscribed");
    while asked(&inner, "a", "resources/unsubscribe").is_empty() {
        assert!(Instant::now() < end, "the source is not told");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The streams of sessions do not keep the server from ending.
#[test]
fn a_session_without_calls_ends_with_the_server() {
    let project = offering(&[("a", "")]);
    let drain = ["--drain", "60"];
    let mut service = Service::start_with(&project, &drain, &[("PATH", "/usr/bin:/bin")]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    let request = |head: &str, body: &str| {
        let address = address(&service.url);
        let mut stream = TcpStream::connect(address).expect("it listens");
        let length = body.len();
        let request = format!(
            "{head}\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = lines.read_line(&mut head).expect("it answers");
            assert!(read > 0, "{head}");
        }
        (lines, head)
    };
    let (_, head) = request("POST /mcp HTTP/1.1", &hello.to_string());
    let id = head
        .lines()
        .find(|line| line.starts_with("mcp-session-id: "));
    let id = id.unwrap_or_else(|| panic!("no session: {head}"));
    let (open, head) = request(&format!("GET /mcp HTTP/1.1\r\n{id}"), "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let begin = Instant::now();
    signal(service.child.id(), "TERM");
    service.child.wait().expect("it ends");
    assert!(begin.elapsed() < Duration::from_secs(10), "it has waited");
    drop(open);
}

/// Two clients with sessions over HTTP: each has its own session with the source, whose questions and
/// updates reach no one else.
#[test]
fn clients_over_http_do_not_hear_each_other() {
    let sdk = install::npm(
        &cache(),
        "mcp-sdk-1.32.2",
        &["@modelcontextprotocol/sdk@1.32.2"],
    );
    let node = install::node(&cache()).join("node");
    let project = offering(&[("a", "")]);
    let service = Service::start(&project, &[("PATH", "/usr/bin:/bin")]);
    let two = Run::new(node)
        .arg(peer("two.mjs"))
        .arg(sdk)
        .arg(&service.url)
        .limit(Duration::from_mins(1))
        .run();
    two.outputs(str![[r#"
one
touched
[ 'one hears of mem://shared' ]
two
touched
[]

"#]]);
    // The sessions with the source have ended with those of the clients.
    let end = Instant::now() + Duration::from_secs(10);
    let left = || asked(&project, "a", "end").len();
    while left() < 2 {
        assert!(Instant::now() < end, "{} have ended", left());
        std::thread::sleep(Duration::from_millis(10));
    }
}
