//! Flows that ask a person: the host shows a form, its answer is checked, and a model never
//! answers.

use std::ffi::OsStr;
use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::{Value, json};

use super::http::Service;
use super::peer::peer;
use super::stateless::Client;
use super::{cache, server};

const BOOK: &str = "\
name: book
description: Book seats
implementation:
  flow:
    nodes:
      find: {tool: {name: find}}
      seats:
        needs: [find]
        ask:
          text: \"Seats in {{ find }}?\\e[31m\"
          reply:
            count: {type: integer, description: The number of seats, minimum: 1}
            window: {type: boolean, description: At the window, default: false}
      why: {needs: [seats], ask: 'Why?'}
    output: '{{ seats.count }} {{ seats.window }} {{ why }}'
";
const FIND: &str = "\
name: find
description: Find a room
implementation: {exec: [sh, -c, 'echo found >> found; printf Oslo']}
";
/// A default answers only where nobody can be asked.
const SURE: &str = "\
name: sure
description: Ask whether
implementation: {flow: {nodes: {sure: {ask: {text: 'Sure?', default: 'yes'}}}}}
";
/// Forms have no lists.
const LIST: &str = "\
name: list
description: Ask for names
implementation:
  flow:
    nodes:
      names: {ask: {text: 'Who?', reply: {names: {type: array, items: {type: string}}}}}
    output: '{{ names.names | join(\"+\") }}'
";

fn project() -> Project {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/book.yaml", BOOK)
        .file("tools/find.yaml", FIND)
        .file("tools/sure.yaml", SURE)
        .file("tools/list.yaml", LIST);
    project
}

/// The view of a host with these abilities that starts the server, and gives these answers, by tool.
fn host(abilities: &str, answers: &Value) -> (Value, Project) {
    let project = project();
    let seen = view(
        "1.30.0",
        server().as_os_str(),
        (abilities, answers),
        &project,
    );
    (seen, project)
}

/// The view of a client over HTTP, of the revision without sessions.
fn client(abilities: &str, answers: &Value) -> (Value, Project) {
    let project = project();
    let service = Service::start(&project, &[("PATH", "/usr/bin:/bin")]);
    let seen = view(
        "2.3.0",
        service.url.as_ref(),
        (abilities, answers),
        &project,
    );
    (seen, project)
}

pub(super) fn view(
    sdk: &str,
    server: &OsStr,
    (abilities, answers): (&str, &Value),
    project: &Project,
) -> Value {
    let name = format!("mcp-python-{sdk}");
    let python = install::python(&cache(), &name, &[&format!("mcp=={sdk}")]);
    let outcome = Run::new(&python)
        .arg(peer("person.py"))
        .arg(server)
        .args([abilities, &answers.to_string()])
        .cwd(project.root())
        .home(project.home())
        .env("PATH", "/usr/bin:/bin")
        .limit(Duration::from_mins(1))
        .run();
    outcome.json()
}

/// The form for an answer that is one text.
fn text_form(message: &str) -> Value {
    let field = json!({"type": "string", "title": "Answer"});
    json!([message, {"type": "object", "properties": {"answer": field}, "required": ["answer"]}])
}

/// The form for the answer to `seats`.
fn seats_form(message: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "The number of seats", "minimum": 1},
            "window": {"type": "boolean", "description": "At the window", "default": false},
        },
        "required": ["count"],
    });
    json!([message, schema])
}

/// The form for the answer to `names`.
fn names_form(message: &str) -> Value {
    let mut form = text_form(message);
    form[1]["properties"]["answer"]["description"] = "a JSON object with names".into();
    form
}

#[test]
fn a_flow_asks_the_person_behind_the_host() {
    let answers = json!({
        "book": [{"count": 0}, {"count": 2, "window": true}, {"answer": "a trip"}],
        "sure": [{"answer": "no"}],
        "list": [{"answer": "{\"names\": [\"Ann\", \"Bo\"]}"}],
    });
    let expected = json!({
        "book": {
            "asked": [
                seats_form("book: Seats in Oslo?[31m"),
                seats_form("book: count: must be at least 1, got 0\nSeats in Oslo?[31m"),
                text_form("book: Why?"),
            ],
            "text": "2 true a trip",
            "failed": false,
        },
        "sure": {"asked": [text_form("sure: Sure?")], "text": "no", "failed": false},
        "list": {"asked": [names_form("list: Who?")], "text": "Ann+Bo", "failed": false},
    });
    for view in [host, client] {
        let (seen, project) = view("form", &answers);
        assert_eq!(seen, expected);
        let found = std::fs::read_to_string(project.path("found")).expect("it ran");
        assert_eq!(
            found, "found\n",
            "an effect before the question happens once"
        );
    }
}

#[test]
fn without_an_answer_a_flow_has_no_result() {
    let wrong = json!({"count": 0});
    let answers = json!({"book": [wrong, wrong, wrong], "sure": ["decline"], "list": ["cancel"]});
    let (seen, _) = host("form", &answers);
    let text = |question: &str| {
        let hint = "a person was asked, and has not answered; only a person can";
        format!("cogtools-mcp: error[TOOL_FAILED]: {question}\nhint: {hint}\n")
    };
    let again = seats_form("book: count: must be at least 1, got 0\nSeats in Oslo?[31m");
    let expected = json!({
        "book": {
            "asked": [seats_form("book: Seats in Oslo?[31m"), again, again],
            "text": text("book: Seats in Oslo?\\u{1b}[31m"),
            "failed": true,
        },
        // Where a person can be asked, no default answers.
        "sure": {"asked": [text_form("sure: Sure?")], "text": text("sure: Sure?"), "failed": true},
        "list": {"asked": [names_form("list: Who?")], "text": text("list: Who?"), "failed": true},
    });
    assert_eq!(seen, expected);
}

#[test]
fn a_host_without_forms_learns_that_a_person_is_asked() {
    let text = "cogtools-mcp: error[TOOL_FAILED]: book: Seats in Oslo?\\u{1b}[31m\n\
                hint: only a person can answer this, not a caller of the tool\n";
    let expected = json!({
        "book": {"asked": [], "text": text, "failed": true},
        "sure": {"asked": [], "text": "yes", "failed": false},
    });
    for view in [host, client] {
        let (seen, _) = view("", &json!({"book": [], "sure": []}));
        assert_eq!(seen, expected);
    }
}

/// The `tools/call` of `tool` for a client that shows forms, with these parameters.
pub(super) fn call(service: &Service, tool: &str, parameters: &Value) -> Value {
    let client = Client {
        path: "/mcp",
        name: "c",
        abilities: r#"{"elicitation": {"form": {}}}"#,
    };
    client.call(service, tool, parameters)
}

#[test]
fn an_answer_is_for_the_call_that_asked() {
    let project = project();
    let service = Service::start(&project, &[("PATH", "/usr/bin:/bin")]);
    let asked = call(&service, "sure", &json!({}));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let state = &asked["result"]["requestState"];
    let yes = json!({"answer": {"action": "accept", "content": {"answer": "no"}}});
    let answer = |state: &Value| json!({"requestState": state, "inputResponses": yes});
    for (tool, parameters) in [
        ("sure", answer(&json!("0123"))),
        ("book", answer(state)),
        (
            "sure",
            json!({"requestState": state, "inputResponses": yes, "arguments": {"a": 1}}),
        ),
    ] {
        let refused = call(&service, tool, &parameters);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let done = call(&service, "sure", &answer(state));
    assert_eq!(done["result"]["content"][0]["text"], "no", "{done}");
    // Each question is answered once.
    let again = call(&service, "sure", &answer(state));
    assert_eq!(again["error"]["code"], -32602, "{again}");
    // A flow that has changed does not go on.
    let asked = call(&service, "sure", &json!({}));
    project.file("tools/sure.yaml", SURE.replace("Sure?", "Other?"));
    let stale = call(&service, "sure", &answer(&asked["result"]["requestState"]));
    let text = stale["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default();
    assert!(text.contains("INVALID_TOOL"), "{stale}");
}
