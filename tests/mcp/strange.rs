//! Servers that hang, send malformed messages or attack: others go on, and secrets stay hidden.

use std::process::Command;
use std::time::Duration;

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::peer::peer;
use super::server;
use super::session::Session;

/// A session with one source of each of these kinds, and a tool of the project.
fn session(kinds: &[&str]) -> (Session, Project) {
    let project = super::project();
    let source = |kind: &&str| {
        let command = json!(["python3", peer("strange.py"), kind]);
        json!({"mcp": {"command": command, "name": kind, "env": ["TOKEN"], "wait": 30}})
    };
    let sources: Vec<Value> = kinds.iter().map(source).collect();
    let sources = json!({"tool_sources": sources});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut command = Command::new("env");
    command.arg("TOKEN=s3cret-token").arg(server());
    let session = Session::start(&project, &mut command);
    (session, project)
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|it| it[key].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Answers that SDKs of other languages accept, and one that nobody can read.
#[test]
fn strange_answers_are_read_or_fail_at_once() {
    let (mut session, _project) = session(&["tools"]);
    for (tool, expected) in [("half", "a\u{fffd}"), ("null", "b"), ("batch", "tools")] {
        let id = session.call(tool, &json!({}));
        assert_eq!(session.text(id), (expected.to_owned(), false), "{tool}");
    }
    let id = session.call("deep", &json!({}));
    let (text, is_error) = session.text(id);
    assert!(
        is_error && text.contains("its response cannot be read"),
        "{text}"
    );
    let id = session.call("close", &json!({}));
    let (text, is_error) = session.text(id);
    assert!(
        is_error && text.contains("closed its standard output before it answered"),
        "{text}"
    );
    // Its schema would be checked for ever.
    let id = session.call("bomb", &json!({"x": 1}));
    let (text, is_error) = session.text(id);
    assert!(
        is_error && text.contains("more than 100000 schemas"),
        "{text}"
    );
}

/// Clients know nothing of tasks (revision 2025-11-25), and their calls run as such all the same.
#[test]
fn tools_that_run_only_as_tasks_are_called() {
    let (mut session, _project) = session(&["tasks"]);
    let token = json!({"name": "task", "arguments": {}, "_meta": {"progressToken": "p"}});
    let result = session.get("tools/call", &token).expect("a result");
    assert_eq!(result["content"][0]["text"], "done");
    let progress = session.notification("notifications/progress");
    assert_eq!(progress["message"], "half");
    let id = session.call("stuck", &json!({}));
    std::thread::sleep(Duration::from_secs(1));
    session.tell("notifications/cancelled", &json!({"requestId": id}));
    std::thread::sleep(Duration::from_secs(1));
    let id = session.call("seen", &json!({}));
    let (text, is_error) = session.text(id);
    assert!(!is_error && text.contains("tasks/cancel"), "{text}");
}

#[test]
fn errors_have_no_secrets_and_no_controls() {
    let (mut session, _project) = session(&["tools", "prompts"]);
    let id = session.call("fail", &json!({}));
    let (text, is_error) = session.text(id);
    assert!(
        is_error && text.contains("no ***") && !text.contains("s3cret"),
        "{text}"
    );
    let error = session.get("prompts/get", &json!({"name": "p"}));
    let error = error.expect_err("it fails").to_string();
    assert!(
        error.contains("no *** [31m") && !error.contains("s3cret"),
        "{error}"
    );
}

/// More calls than may run at once.
#[test]
fn a_silent_server_leaves_places_to_others() {
    let (mut session, _project) = session(&["silent", "tools"]);
    for _ in 0..30 {
        session.call("silent", &json!({}));
    }
    let id = session.call("half", &json!({}));
    assert_eq!(session.text(id).0, "a\u{fffd}");
}

#[test]
fn a_server_without_tools_has_its_prompts() {
    let (mut session, _project) = session(&["prompts"]);
    let prompts = session.get("prompts/list", &json!({})).expect("prompts");
    assert_eq!(names(&prompts["prompts"], "name"), ["greet", "p"]);
}

#[test]
fn a_template_takes_over_no_document() {
    let (mut session, _project) = session(&["greedy"]);
    let listed = session
        .get("resources/list", &json!({}))
        .expect("resources");
    let uris = names(&listed["resources"], "uri");
    let document = uris
        .iter()
        .find(|uri| uri.starts_with("cogtools:"))
        .expect("a document");
    let read = session.get("resources/read", &json!({"uri": document}));
    let read = read.expect("it is there").to_string();
    assert!(!read.contains("stolen"), "{read}");
    // A member that is not as the protocol says costs itself, and a missing name nothing.
    assert!(uris.iter().any(|uri| uri == "x://1") && uris.iter().any(|uri| uri == "x://2"));
    let read = session.get("resources/read", &json!({"uri": "other://1"}));
    assert_eq!(
        read.expect("it claims all")["contents"][0]["text"],
        "stolen"
    );
}
