//! Sources that ask the user, and log: their questions reach the host as far as it can show them,
//! and its answers reach them.

use std::process::Command;
use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::{Value, json};

use super::http::Service;
use super::peer::peer;
use super::session::Session;
use super::{cache, server};

/// The view of a host with these abilities, and the tools' view of the source.
fn host(abilities: &str) -> (Value, Project) {
    let python = install::python(&cache(), "mcp-python-1.30.0", &["mcp==1.30.0"]);
    let project = Project::new();
    let source =
        json!({"mcp": {"command": python, "args": [peer("asking.py")], "name": "s", "wait": 30}});
    let sources = json!({"tool_sources": [source]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let outcome = Run::new(&python)
        .arg(peer("answering.py"))
        .arg(server())
        .arg(abilities)
        .cwd(project.root())
        .home(project.home())
        .env("PATH", "/usr/bin:/bin")
        .limit(Duration::from_mins(1))
        .run();
    (outcome.json(), project)
}

/// The log message of the source: named, and without what a terminal would obey.
fn logged() -> Value {
    json!([{"level": "info", "logger": "s: inner", "data": "hello[31m there"}])
}

#[test]
fn a_form_reaches_the_host_and_its_answer_the_source() {
    let (seen, project) = host("form");
    let schema = json!({
        "title": "Booking",
        "type": "object",
        "properties": {
            "seats": {"type": "integer", "title": "Seats", "description": "How many [31mseats"},
            "window": {
                "type": "boolean", "title": "Window", "description": "At the window", "default": true,
            },
        },
        "required": ["seats"],
    });
    let question = json!({
        "mode": "form", "message": "s: How many[31m seats?", "requestedSchema": schema,
    });
    let expected = json!({
        "logs": true,
        "asked": [question],
        "logged": logged(),
        "book": "accept seats=3 window=False",
        // The host cannot open pages.
        "pay": "decline",
        "say": "said",
    });
    assert_eq!(seen, expected);
    let level = std::fs::read_to_string(project.home().join("level"));
    assert_eq!(level.expect("the source was asked for a level"), "info\n");
}

#[test]
fn a_host_that_opens_pages_gets_no_forms() {
    let (seen, _) = host("url");
    let question = json!({
        "mode": "url", "message": "s: Pay here", "url": "https://pay.example/1",
        "elicitationId": "1",
    });
    let expected = json!({
        "logs": true,
        "asked": [question],
        "logged": logged(),
        "book": "decline None",
        "pay": "accept",
        "say": "said",
    });
    assert_eq!(seen, expected);
}

#[test]
fn a_host_that_cannot_ask_is_not_asked() {
    let (seen, _) = host("");
    let expected = json!({
        "logs": true, "asked": [], "logged": logged(),
        "book": "decline None", "pay": "decline", "say": "said",
    });
    assert_eq!(seen, expected);
}

/// A project with a source that asks in ways that SDKs do not.
fn project() -> Project {
    let project = Project::new();
    let command = json!(["python3", peer("insisting.py")]);
    let source = json!({"mcp": {"command": command, "name": "s", "wait": 30}});
    let sources = json!({"tool_sources": [source]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    project
}

/// A session with that source, of a client that answers so.
fn insisting(answers: &[Value]) -> (Session, Project) {
    let project = project();
    let able = json!({"elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": true}});
    let mut session = Session::with_person(&project, &mut Command::new(server()), &able, answers);
    let tools = session.get("tools/list", &json!({})).expect("tools");
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(7), "{tools}");
    (session, project)
}

#[test]
fn a_form_that_the_sdk_cannot_read_reaches_the_host() {
    let given = json!({"action": "accept", "content": {"name": null}});
    let (mut session, _project) = insisting(&[given]);
    let id = session.call("ask", &json!({}));
    assert_eq!(session.text(id), ("accept".to_owned(), false));
    assert_eq!(session.asked, ["s: Which one?"]);
}

/// A client may read nothing but the answers to its requests.
#[test]
fn a_question_comes_with_the_answer_over_http() {
    let project = project();
    let service = Service::start(&project, &[("PATH", "/usr/bin:/bin")]);
    let client = Run::new("python3").arg(peer("posting.py"));
    let outcome = client.arg(&service.url).limit(Duration::from_mins(1)).run();
    outcome.outputs("decline\n");
}

/// More often than questions of one source may wait.
#[test]
fn questions_end_with_their_calls() {
    let (mut session, _project) = insisting(&[json!({"action": "cancel"})]);
    for _ in 0..20 {
        let id = session.call("hang", &json!({}));
        session.wait_for_notification("notifications/message");
        session.tell("notifications/cancelled", &json!({"requestId": id}));
        session.wait_for_notification("notifications/cancelled");
    }
    session.call("withdraw", &json!({}));
    session.wait_for_notification("notifications/cancelled");
    let id = session.call("ask", &json!({}));
    assert_eq!(session.text(id), ("cancel".to_owned(), false));
}

#[test]
fn pages_reach_the_host_until_they_are_finished() {
    let (mut session, _project) = insisting(&[]);
    let call = json!({"name": "pay", "arguments": {}});
    let error = session.get("tools/call", &call).expect_err("it asks first");
    let page = json!({
        "mode": "url", "message": "s: Pay", "url": "https://pay.example/1", "elicitationId": "e",
    });
    let expected =
        json!({"code": -32042, "message": "pay first", "data": {"elicitations": [page]}});
    assert_eq!(error, expected);
    session.call("finish", &json!({}));
    let finished = session.notification("notifications/elicitation/complete");
    assert_eq!(finished["elicitationId"], "e");
}

#[test]
fn parts_of_a_resource_and_other_folders_are_told() {
    let (mut session, _project) = insisting(&[]);
    let uri = json!({"uri": "mem://folder"});
    session
        .get("resources/subscribe", &uri)
        .expect("subscribed");
    session.call("touch", &json!({}));
    let part = json!({"uri": "mem://folder/file"});
    let updated = "notifications/resources/updated";
    assert_eq!(session.notification(updated), part);
    session.tell("notifications/roots/list_changed", &json!({}));
    let told = || {
        let id = session.call("folders", &json!({}));
        session.text(id).0 == "1"
    };
    assert!(std::iter::repeat_with(told).take(100).any(|it| it));
    assert!(session.notified().iter().all(|it| it["method"] != updated));
}
