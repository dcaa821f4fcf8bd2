//! Changes that a source over HTTP announces: they reach the client of `cogtools mcp`, and calls.

use cogtools_test_support::{Project, install};
use serde_json::json;

use super::cache;
use super::http::Service;
use super::living::names;
use super::peer::{Site, peer};
use super::session::Session;

/// A project whose user has the server at `url` as a source.
fn behind(url: &str) -> Project {
    let project = Project::new();
    let sources = json!({"tool_sources": [{"mcp": {"url": url, "name": "s", "wait": 30}}]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    project
}

#[test]
fn ours_announces_over_http_and_ours_hears_it() {
    let served = super::project();
    let service = Service::start(&served, &[]);
    let project = behind(&service.url);
    let mut session = Session::open(&project);
    assert_eq!(names(&mut session), ["greet", "sum"]);
    // The session exists, and with it the subscription.
    let id = session.call("greet", &json!({"person": "Ada"}));
    assert_eq!(session.text(id), ("Good day, Ada!".to_owned(), false));
    served.file("tools/later.yaml", super::GREET.replace("greet", "later"));
    session.wait_for_change();
    assert_eq!(names(&mut session), ["greet", "later", "sum"]);
}

#[test]
fn a_stateful_server_announces_on_its_stream() {
    let python = install::python(&cache(), "mcp-python-1.30.0", &["mcp==1.30.0"]);
    let peers = Project::new();
    let site = Site::start(&peers, &python, [peer("changing.py")]);
    let project = behind(&site.url);
    let mut session = Session::open(&project);
    assert_eq!(names(&mut session), ["more"]);
    let id = session.call("more", &json!({}));
    assert_eq!(session.text(id), ("more".to_owned(), false));
    session.wait_for_change();
    assert_eq!(names(&mut session), ["more", "new"]);
    let id = session.call("new", &json!({}));
    assert_eq!(session.text(id), ("new".to_owned(), false));
}
