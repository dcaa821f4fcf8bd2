//! Sources that ask the user, and log: their questions reach the host as far as it can show them,
//! and its answers reach them.

use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::{Value, json};

use super::peer::peer;
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
