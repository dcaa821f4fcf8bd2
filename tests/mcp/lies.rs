//! Servers over standard input and output that say more than they may: their tools are declared and
//! called all the same, and nothing of it reaches the client.

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::peer::peer;
use super::session::Session;
use super::source::{NONE, project, with};

fn lying(how: &str) -> Value {
    json!({"mcp": {
        "command": ["python3", peer("lies.py"), how], "name": "s", "timeout": 10, "wait": 30,
    }})
}

fn answers(project: &Project) -> String {
    let file = project.home().join("answers");
    std::fs::read_to_string(file).unwrap_or_default()
}

/// Discovery, a call of its own, and one under `cogtools mcp` with the notifications of its client.
#[track_caller]
fn is_harmless(how: &str) -> (Project, Vec<Value>) {
    let project = project();
    let sources = [lying(how)];
    with("cogtools-discover", &project, &sources)
        .run()
        .outputs(format!(
            "[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE},\n\
             {{\"name\":\"t\",\"description\":\"d\",\"parametersJsonSchema\":{{\"type\":\"object\"}}}}\n]\n"
        ));
    let call = with("cogtools-call", &project, &sources);
    call.arg("t").stdin("{}").run().outputs("fine");
    let sources = json!({"tool_sources": sources});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = Session::open(&project);
    for _ in 0..3 {
        let id = session.call("t", &json!({}));
        assert_eq!(session.text(id), ("fine".to_owned(), false), "{how}");
    }
    assert_eq!(super::living::names(&mut session), ["t", "ok"], "{how}");
    assert_eq!(session.unclaimed(), Vec::<u64>::new(), "{how}");
    let notified = session.notified();
    (project, notified)
}

#[test]
fn what_no_one_asked_for_is_ignored() {
    for how in ["progress", "strangers", "twice"] {
        let (_, notified) = is_harmless(how);
        assert_eq!(notified, Vec::<Value>::new(), "{how}");
    }
}

#[test]
fn requests_that_the_client_cannot_answer_are_refused() {
    for (how, answer) in [
        ("samples", "sampling/createMessage mine -32601"),
        ("roots", "roots/list mine -32601"),
        ("unknown", "tools/steal mine -32601"),
    ] {
        let (project, notified) = is_harmless(how);
        assert_eq!(notified, Vec::<Value>::new(), "{how}");
        let line = format!("{answer}\n");
        let answers = answers(&project);
        assert!(answers.len() >= line.len() * 4, "{answers}");
        assert_eq!(answers.replace(&line, ""), "");
    }
}

#[test]
fn lines_that_are_no_messages_do_not_end_a_session() {
    let (_, notified) = is_harmless("forms");
    assert_eq!(notified, Vec::<Value>::new());
}

#[test]
fn log_messages_without_a_level_are_dropped() {
    let (_, notified) = is_harmless("logs");
    // No terminal obeys what is in it.
    let params = json!({"level": "info", "logger": "s", "data": "[31mred"});
    let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
    assert_eq!(notified, vec![message; 4]);
}

#[test]
fn a_storm_of_changes_is_a_few() {
    let (_, notified) = is_harmless("storm");
    let changes = notified
        .iter()
        .map(|it| it["method"].as_str().unwrap_or_default());
    let kinds = [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
    ];
    let others: Vec<&str> = changes.filter(|it| !kinds.contains(it)).collect();
    assert_eq!(others, Vec::<&str>::new());
    assert!(
        notified.len() < 40,
        "{} notifications for thousands",
        notified.len()
    );
}
