//! Flows that ask a person: the host shows a form, its answer is checked, and a model never
//! answers.

use std::time::Duration;

use cogtools_test_support::{Project, Run, install};
use serde_json::{Value, json};

use super::peer::peer;
use super::{cache, server};

/// A flow that does something before its question, which may not happen twice.
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

/// The view of a host with these abilities that gives these answers, by tool.
fn host(abilities: &str, answers: &Value) -> (Value, Project) {
    let python = install::python(&cache(), "mcp-python-1.30.0", &["mcp==1.30.0"]);
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/book.yaml", BOOK)
        .file("tools/find.yaml", FIND)
        .file("tools/sure.yaml", SURE)
        .file("tools/list.yaml", LIST);
    let outcome = Run::new(&python)
        .arg(peer("person.py"))
        .arg(server())
        .args([abilities, &answers.to_string()])
        .cwd(project.root())
        .home(project.home())
        .env("PATH", "/usr/bin:/bin")
        .limit(Duration::from_mins(1))
        .run();
    (outcome.json(), project)
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
    let (seen, project) = host("form", &answers);
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
    assert_eq!(seen, expected);
    let found = std::fs::read_to_string(project.path("found")).expect("it ran");
    assert_eq!(
        found, "found\n",
        "an effect before the question happens once"
    );
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
    let (seen, _) = host("", &json!({"book": [], "sure": []}));
    let text = "cogtools-mcp: error[TOOL_FAILED]: book: Seats in Oslo?\\u{1b}[31m\n\
                hint: only a person can answer this, not a caller of the tool\n";
    let expected = json!({
        "book": {"asked": [], "text": text, "failed": true},
        "sure": {"asked": [], "text": "yes", "failed": false},
    });
    assert_eq!(seen, expected);
}
