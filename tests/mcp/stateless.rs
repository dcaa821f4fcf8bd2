//! Stateless clients over HTTP and their sources: each client has its own sessions, and a source that
//! asks goes on with the answer in the repeated call.

use std::time::{Duration, Instant};

use cogtools_test_support::{Project, install};
use serde_json::{Value, json};

use super::cache;
use super::http::Service;
use super::living::{living, wait_for_log};
use super::peer::peer;
use super::person::view;

const VERSION: &str = "2026-07-28";

/// A client, as its requests tell it from others.
#[derive(Clone, Copy)]
pub(super) struct Client<'c> {
    pub(super) path: &'c str,
    pub(super) name: &'c str,
    pub(super) abilities: &'c str,
}

const PLAIN: Client<'_> = Client {
    path: "/mcp",
    name: "a",
    abilities: "{}",
};
const ABLE: Client<'_> = Client {
    abilities: r#"{"elicitation": {"form": {}}, "sampling": {}, "roots": {}}"#,
    ..PLAIN
};

impl Client<'_> {
    /// The `result` or the `error` of a call.
    pub(super) fn call(self, service: &Service, tool: &str, more: &Value) -> Value {
        let params = json!({"name": tool, "arguments": {}});
        self.request(service, ("tools/call", tool), params, more)
    }

    /// The `result` or the `error` of a request about `subject`.
    fn request(
        self,
        service: &Service,
        (method, subject): (&str, &str),
        mut params: Value,
        more: &Value,
    ) -> Value {
        let abilities: Value = serde_json::from_str(self.abilities).expect("JSON");
        params["_meta"] = json!({

            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": abilities,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = [
            ("mcp-protocol-version", VERSION),
            ("mcp-method", method),
            ("mcp-name", subject),
        ];
        let (_, text) = service.post(self.path, &headers, &body.to_string());
        let mut messages = text.lines().filter_map(|line| {
            let line = line.strip_prefix("data: ").unwrap_or(line);
            serde_json::from_str::<Value>(line).ok()
        });
        messages
            .find(|it| it["id"] == 1)
            .unwrap_or_else(|| panic!("no answer: {text}"))
    }

    /// The text of a call that is finished.
    #[track_caller]
    fn text(self, service: &Service, tool: &str, more: &Value) -> String {
        let answer = self.call(service, tool, more);
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {answer}"))
            .to_owned()
    }

    /// The state of a call that asks, and its questions.
    #[track_caller]
    fn asked(self, service: &Service, tool: &str) -> (Value, Value) {
        let mut answer = self.call(service, tool, &json!({}));
        let result = &mut answer["result"];
        assert_eq!(result["resultType"], "input_required", "{result}");
        (
            result["requestState"].take(),
            result["inputRequests"].take(),
        )
    }
}

fn service(project: &Project) -> Service {
    Service::start(project, &[("PATH", "/usr/bin:/bin")])
}

/// A service with a server that asks during its calls.
fn parking(settings: &Value) -> (Project, Service) {
    let project = Project::new();
    let mut server = json!({"command": "python3", "args": [peer("parking.py")], "wait": 30});
    for (name, value) in settings.as_object().into_iter().flatten() {
        server[name] = value.clone();
    }
    let sources = json!({"tool_sources": [{"mcp": server}]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let service = service(&project);
    (project, service)
}

#[test]
fn each_client_has_its_own_sessions() {
    let project = living(&json!({}));
    let service = service(&project);
    let other = Client { name: "b", ..PLAIN };
    let second = Client {
        path: "/mcp?client=2",
        ..PLAIN
    };
    let count = |client: Client<'_>| {
        let text = client.text(&service, "count", &json!({}));
        text.split_once(" in ").expect("a process").0.to_owned()
    };
    assert_eq!([count(PLAIN), count(PLAIN)], ["count 1", "count 2"]);
    assert_eq!([count(other), count(second)], ["count 1", "count 1"]);
    assert_eq!([count(PLAIN), count(ABLE)], ["count 3", "count 1"]);
}

#[test]
fn a_shared_source_is_one_for_all() {
    let project = living(&json!({"shared": true}));
    let service = service(&project);
    for (index, name) in ["a", "b", "c"].into_iter().enumerate() {
        let text = Client { name, ..PLAIN }.text(&service, "count", &json!({}));
        assert!(
            text.starts_with(&format!("count {} in", index + 1)),
            "{text}"
        );
    }
    wait_for_log(&project, "starts\n");
}

/// The answers to questions of the server.
fn answers(questions: &Value) -> Value {
    let mut answers = json!({});
    for (name, question) in questions.as_object().expect("questions") {
        answers[name] = match question["method"].as_str() {
            Some("elicitation/create") => json!({"action": "accept", "content": {"x": 1}}),
            Some("roots/list") => json!({"roots": [{"uri": "file:///a"}]}),
            _ => json!({
                "role": "assistant", "model": "m", "content": {"type": "text", "text": "said"},
            }),
        };
    }
    answers
}

#[test]
fn a_source_asks_by_the_result_of_its_call() {
    let (project, service) = parking(&json!({}));
    let (mut state, mut questions) = ABLE.asked(&service, "ask_all");
    // A question that comes later than the others is one of the next result.
    let mut answered = 0;
    let text = loop {
        let answers = answers(&questions);
        answered += answers.as_object().expect("answers").len();
        let last = json!({"requestState": state, "inputResponses": answers});
        if answered == 3 {
            break ABLE.text(&service, "ask_all", &last);
        }
        let mut next = ABLE.call(&service, "ask_all", &last);
        state = next["result"]["requestState"].take();
        questions = next["result"]["inputRequests"].take();
    };
    let given: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(given[0], json!({"action": "accept", "content": {"x": 1}}));
    assert_eq!(given[1]["content"]["text"], "said");
    assert_eq!(given[2]["roots"][0]["uri"], "file:///a");
    let log = std::fs::read_to_string(project.home().join("log")).expect("a log");
    assert!(
        log.contains("abilities elicitation roots sampling\n"),
        "{log}"
    );
}

#[test]
fn only_the_same_call_answers() {
    let (_project, service) = parking(&json!({}));
    let (state, questions) = ABLE.asked(&service, "ask");
    let name = questions.as_object().expect("questions").keys().next();
    let form = json!({"action": "accept", "content": {"a": 1}});
    let yes = json!({name.expect("one"): form});
    let with = |state: &Value| json!({"requestState": state, "inputResponses": yes});
    let mut others = with(&state);
    others["arguments"] = json!({"a": 1});
    let other = Client { name: "b", ..ABLE };
    for (client, tool, more) in [
        (ABLE, "ask", with(&json!("0123"))),
        (ABLE, "ask_all", with(&state)),
        (ABLE, "ask", others),
        (other, "ask", with(&state)),
    ] {
        let refused = client.call(&service, tool, &more);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let text = ABLE.text(&service, "ask", &with(&state));
    assert_eq!(
        text,
        json!([form])
            .to_string()
            .replace(':', ": ")
            .replace(",\"", ", \"")
    );
    let again = ABLE.call(&service, "ask", &with(&state));
    assert_eq!(again["error"]["code"], -32602, "{again}");
    // Repeated without an answer, the question is cancelled.
    let (state, _) = ABLE.asked(&service, "ask");
    let text = ABLE.text(&service, "ask", &json!({"requestState": state}));
    assert_eq!(text, r#"[{"action": "cancel"}]"#);
}

#[test]
fn prompts_and_resources_ask_as_calls_do() {
    let (_project, service) = parking(&json!({}));
    for (method, params, subject, text) in [
        (
            "prompts/get",
            json!({"name": "ask"}),
            "ask",
            "/messages/0/content/text",
        ),
        (
            "resources/read",
            json!({"uri": "ask:"}),
            "ask:",
            "/contents/0/text",
        ),
    ] {
        let send = |more: &Value| ABLE.request(&service, (method, subject), params.clone(), more);
        let mut asked = send(&json!({}));
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let given = answers(&asked["result"]["inputRequests"]);
        let state = asked["result"]["requestState"].take();
        // The name is the one of this request alone.
        let with = json!({"requestState": state, "inputResponses": given});
        let refused = ABLE.call(&service, "ask", &with);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let answer = send(&with);
        let expected = r#"[{"action": "accept", "content": {"x": 1}}]"#;
        assert_eq!(
            answer["result"].pointer(text),
            Some(&expected.into()),
            "{answer}"
        );
    }
}

#[test]
fn a_client_that_cannot_answer_is_not_asked() {
    let (project, service) = parking(&json!({}));
    let text = PLAIN.text(&service, "ask_all", &json!({}));
    assert_eq!(text, r#"[{"action": "decline"}, -32601, -32601]"#);
    let log = std::fs::read_to_string(project.home().join("log")).expect("a log");
    assert!(log.ends_with("abilities \n"), "{log}");
    // A shared source asks no one: it could be the wrong one.
    let (_project, service) = parking(&json!({"shared": true}));
    let text = ABLE.text(&service, "ask_all", &json!({}));
    assert_eq!(text, r#"[{"action": "decline"}, -32601, -32601]"#);
}

#[test]
fn a_call_that_nobody_repeats_is_cancelled() {
    let (project, service) = parking(&json!({"timeout": 2}));
    let (state, _) = ABLE.asked(&service, "ask");
    let file = project.home().join("log");
    let end = Instant::now() + Duration::from_secs(20);
    let is_cancelled = || std::fs::read_to_string(&file).is_ok_and(|it| it.contains("cancelled\n"));
    while !is_cancelled() {
        assert!(Instant::now() < end, "the source is not told");
        std::thread::sleep(Duration::from_millis(20));
    }
    let late = ABLE.call(&service, "ask", &json!({"requestState": state}));
    let text = late["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default();
    assert!(
        text.contains("TIMEOUT") || late["error"]["code"] == -32602,
        "{late}"
    );
}

#[test]
fn parked_calls_are_few() {
    let (_project, service) = parking(&json!({"timeout": 20}));
    let mut clients = Vec::new();
    for index in 0..17 {
        clients.push(format!("/mcp?client={index}"));
    }
    let results = clients.iter().map(|path| {
        let client = Client { path, ..ABLE };
        client.call(&service, "ask", &json!({}))["result"].clone()
    });
    let results: Vec<Value> = results.collect();
    let (last, parked) = results.split_last().expect("results");
    assert!(parked.iter().all(|it| it["resultType"] == "input_required"));
    assert_eq!(last["content"][0]["text"], r#"[{"action": "cancel"}]"#);
}

/// The official SDK on both sides: of the second generation as the client, of the first as the server.
#[test]
fn the_sdk_answers_a_source() {
    let python = install::python(&cache(), "mcp-python-1.30.0", &["mcp==1.30.0"]);
    let project = Project::new();
    let source = json!({"mcp": {
        "command": [python, peer("asking.py")], "name": "s", "wait": 30,
    }});
    let sources = json!({"tool_sources": [source]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let service = service(&project);
    let answers = json!({"book": [{"seats": 3, "window": false}]});
    let seen = view("2.3.0", service.url.as_ref(), ("form", &answers), &project);
    assert_eq!(seen["book"]["asked"][0][0], "s: How many[31m seats?");
    assert_eq!(seen["book"]["text"], "accept seats=3 window=False");
}
