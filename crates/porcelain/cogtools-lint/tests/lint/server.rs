//! The language server, with a scripted client: each session is a list of messages, and all that
//! the server says to them.

use std::io::Cursor;

use cogtools_program::Input;
use cogtools_test_support::Project;
use serde_json::{Value, json};

use crate::project::serve;

const TOOL: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greet people 👋 by their names
parameters:
  people:
    type: array
    description: The guests
    items:
      type: object
      properties:
        name: {type: string, description: The name}
        mood: {type: string, enum: [glad, sad], description: How they are}
  loud: {type: boolean, description: Shout, default: false}
examples:
  - people: [{name: Ada, mood: glad}]
    loud: true
  - people: [{name: Bob, mood: sad}]
implementation: |
  {% for person in people %}{# 👋 #}
  Hello 👋 {{ person.name | upper }}{% if loud %}!{% endif %}
  {% if person.mood == 'sad' %}Cheer up{% endif %}
  {% endfor %}
";

/// A session of a client in `project`.
pub(crate) struct Client<'p> {
    project: &'p Project,
    messages: Vec<Value>,
}

impl<'p> Client<'p> {
    pub(crate) fn new(project: &'p Project) -> Self {
        let mut client = Self {
            project,
            messages: Vec::new(),
        };
        client.ask(
            "initialize",
            json!({"initializationOptions": {"inlayHints": true}}),
        );
        client.tell("initialized", json!({}));
        client
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.project.path(name).display())
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) {
        let id = self.messages.len();
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        message["params"] = params;
        self.messages.push(message);
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        message["params"] = params;
        self.messages.push(message);
    }

    pub(crate) fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let params = json!({"textDocument": {
            "uri": uri, "languageId": "yaml", "version": 1, "text": text,
        }});
        self.tell("textDocument/didOpen", params);
    }

    /// Asks about the place behind `needle` in `text`, the text of the file.
    pub(crate) fn ask_at(
        &mut self,
        method: &str,
        name: &str,
        text: &str,
        needle: &str,
        more: &Value,
    ) {
        let mut params = json!({
            "textDocument": {"uri": self.uri(name)},
            "position": position(text, text.find(needle).unwrap() + needle.len()),
        });
        let more = more.as_object().unwrap().clone();
        params.as_object_mut().unwrap().extend(more);
        self.ask(&format!("textDocument/{method}"), params);
    }

    /// Ends the session: all that the server said.
    pub(crate) fn end(self) -> Vec<Value> {
        let mut stdin = Vec::new();
        for message in &self.messages {
            let text = message.to_string();
            stdin.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
        }
        let ended = serve(self.project, Input::new(Cursor::new(stdin), false));
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
        let mut said = Vec::new();
        let mut rest = ended.stdout.as_str();
        while let Some(body) = rest.strip_prefix("Content-Length: ") {
            let (length, body) = body.split_once("\r\n\r\n").unwrap();
            let (text, next) = body.split_at(length.parse().unwrap());
            said.push(serde_json::from_str(text).unwrap());
            rest = next;
        }
        assert_eq!(rest, "");
        said
    }

    /// Ends the session: the result of its last question before.
    pub(crate) fn last_result(self) -> Value {
        let mut said = self.end();
        let mut results = said.iter_mut().rev().filter_map(|it| it.get_mut("result"));
        results.next().unwrap().take()
    }
}

pub(crate) fn project() -> Project {
    let project = Project::new();
    project.dir(".gemini").file("tools/greet.yaml", TOOL);
    project
}

/// The position of an offset, as the protocol counts.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap();
    json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
}

/// The part of `text` in a range of the protocol.
pub(crate) fn text_at<'t>(text: &'t str, range: &Value) -> &'t str {
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let units = usize::try_from(position["character"].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let rest = text[start..].char_indices();
        let mut count = 0;
        for (at, c) in rest {
            if count == units {
                return start + at;
            }
            count += c.len_utf16();
        }
        text.len()
    };
    &text[offset(&range["start"])..offset(&range["end"])]
}

/// The text of `TOOL` with a change.
pub(crate) fn with(from: &str, to: &str) -> String {
    assert!(TOOL.contains(from), "{from}");
    TOOL.replacen(from, to, 1)
}

/// The rule, the place and the message of each diagnostic of `text`.
fn diagnostics(name: &str, text: &str) -> Vec<[String; 3]> {
    let project = project();
    let mut client = Client::new(&project);
    client.open(name, text);
    let said = client.end();
    let found = said
        .iter()
        .find(|it| it["method"] == "textDocument/publishDiagnostics");
    let found = found.unwrap()["params"]["diagnostics"]
        .as_array()
        .unwrap()
        .clone();
    let line = |it: &Value| {
        let message = it["message"].as_str().unwrap().to_owned();
        let code = it["code"].as_str().unwrap_or_default().to_owned();
        [code, text_at(text, &it["range"]).to_owned(), message]
    };
    found.iter().map(line).collect()
}

fn check(text: &str, expected: &[[&str; 3]]) {
    let found = diagnostics("tools/greet.yaml", text);
    assert_eq!(found, expected);
}

/// The labels that are offered behind `needle`.
pub(crate) fn offered(text: &str, needle: &str) -> Vec<String> {
    offered_in(TOOL, text, needle)
}

/// The labels that are offered behind `needle` once the text `before` has become `text`.
pub(crate) fn offered_in(before: &str, text: &str, needle: &str) -> Vec<String> {
    let project = project();
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", before);
    client.ask_at("hover", "tools/greet.yaml", before, "name", &json!({}));
    let uri = client.uri("tools/greet.yaml");
    client.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}],
        }),
    );
    client.ask_at("completion", "tools/greet.yaml", text, needle, &json!({}));
    let result = client.last_result();
    let items = result["items"].as_array().unwrap();
    items
        .iter()
        .map(|it| it["label"].as_str().unwrap().to_owned())
        .collect()
}

/// The result of a question about the place behind `needle` in `TOOL`.
fn asked(method: &str, needle: &str, more: &Value) -> Value {
    let project = project();
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", TOOL);
    client.ask_at(method, "tools/greet.yaml", TOOL, needle, more);
    client.last_result()
}

#[test]
fn diagnostics_are_the_linters_with_positions_in_utf_16() {
    check(TOOL, &[]);
    check(
        &with("person.name |", "person.nmae |"),
        &[[
            "unknown-member",
            "nmae",
            "`person` has no member `nmae`\ndid you mean `name`?",
        ]],
    );
}

#[test]
fn a_text_that_changes_is_checked_again() {
    let project = project();
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", TOOL);
    let uri = client.uri("tools/greet.yaml");
    let at = TOOL.find("name | upper").unwrap();
    client.tell("textDocument/didChange", json!({
        "textDocument": {"uri": uri, "version": 2},
        "contentChanges": [{
            "range": {"start": position(TOOL, at), "end": position(TOOL, at + 4)}, "text": "nam👋",
        }, {
            "range": {"start": position(TOOL, at + 3), "end": position(TOOL, at + 3)}, "text": "",
        }],
    }));
    let said = client.end();
    let last = said
        .iter()
        .rfind(|it| it["method"] == "textDocument/publishDiagnostics")
        .unwrap();
    assert_eq!(last["params"]["version"], 2);
    let text = with("person.name |", "person.nam👋 |");
    let found = last["params"]["diagnostics"].as_array().unwrap();
    let is_member = |it: &&Value| it["code"] == "unknown-member";
    let found = found.iter().find(is_member).unwrap();
    assert_eq!(text_at(&text, &found["range"]), "nam👋");
}

#[test]
fn completion_in_templates() {
    for (from, to, needle, expected) in [
        (
            "person.name |",
            "person. |",
            "{{ person.",
            vec!["name", "mood"],
        ),
        (
            "person.name |",
            "person.na",
            "{{ person.na",
            vec!["name", "mood"],
        ),
        ("== 'sad'", "== '", "== '", vec!["glad", "sad"]),
        ("== 'sad'", "== 'g' ", "== 'g", vec!["glad", "sad"]),
    ] {
        assert_eq!(offered(&with(from, to), needle), expected, "{to}");
    }
    let names = offered(&with("person.name |", " "), "👋 {{ ");
    for name in ["person", "people", "loud", "range"] {
        assert!(names.iter().any(|it| it == name), "{name}: {names:?}");
    }
    assert!(offered(&with("| upper", "| "), "name | ").contains(&"upper".to_owned()));
    assert!(offered(&with("if loud", "if loud is "), "loud is ").contains(&"defined".to_owned()));
    assert!(offered(&with("{% if loud", "{% "), "}}{% ").contains(&"for".to_owned()));
}

#[test]
fn completion_in_yaml() {
    let keys = offered(&with("examples:\n", "ann\nexamples:\n"), "\nann");
    assert!(keys.contains(&"annotations".to_owned()), "{keys:?}");
    let keys = offered(
        &with("    description: The guests\n", "    des\n"),
        "    des",
    );
    assert!(keys.contains(&"description".to_owned()), "{keys:?}");
    let types = offered(&with("    type: array\n", "    type: \n"), "    type: ");
    assert!(types.contains(&"string".to_owned()), "{types:?}");
}

#[test]
fn hover_explains_values_filters_and_keys() {
    for (needle, expected) in [
        ("{{ person.na", "`people[].name`: string\n\nThe name"),
        ("in peo", "`people`: array of object\n\nThe guests"),
        ("{% if lo", "`loud`: boolean, false by default\n\nShout"),
        (
            "descrip",
            "The description for the model: what the tool does and when to call it. Keep it short; some hosts append text to it. Required.",
        ),
    ] {
        let result = asked("hover", needle, &json!({}));
        assert_eq!(result["contents"]["value"], expected, "{needle}");
    }
    let upper = asked("hover", "| upp", &json!({}));
    assert!(
        upper["contents"]["value"]
            .as_str()
            .unwrap()
            .starts_with("```\n"),
        "{upper}"
    );
}

#[test]
fn definitions() {
    for (needle, expected, line) in [
        ("{{ person.na", "name", 10),
        ("in peo", "people", 4),
        ("{{ per", "person", 18),
    ] {
        let result = asked("definition", needle, &json!({}));
        assert_eq!(text_at(TOOL, &result["range"]), expected, "{needle}");
        assert_eq!(result["range"]["start"]["line"], line, "{needle}");
    }
}

#[test]
fn references_and_new_names() {
    let lines = |result: &Value| -> Vec<u64> {
        let places = result.as_array().unwrap().iter();
        places
            .map(|it| it["range"]["start"]["line"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(
        lines(&asked("references", "{{ person.na", &json!({}))),
        [10, 14, 16, 19]
    );
    assert_eq!(
        lines(&asked("references", "  lou", &json!({}))),
        [12, 15, 19]
    );
    assert_eq!(
        lines(&asked("references", "{{ per", &json!({}))),
        [18, 19, 20]
    );
    let others = json!({"context": {"includeDeclaration": false}});
    assert_eq!(lines(&asked("references", "  lou", &others)), [15, 19]);
    let result = asked("rename", "{% if lo", &json!({"newName": "shout"}));
    let (_, edits) = result["changes"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let mut text = TOOL.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let start = text
            .find(text_at(
                &text,
                &json!({
                    "start": edit["range"]["start"], "end": {"line": 1000, "character": 0},
                }),
            ))
            .unwrap();
        text.replace_range(start..start + 4, edit["newText"].as_str().unwrap());
    }
    assert_eq!(text, TOOL.replace("loud", "shout"));
}

#[test]
fn what_editors_show_beside_the_text() {
    let symbols = asked("documentSymbol", "name", &json!({}));
    let names: Vec<&str> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "$schema",
            "name",
            "description",
            "parameters",
            "examples",
            "implementation"
        ]
    );
    assert_eq!(symbols[3]["children"][1]["name"], "loud");
    let tokens = asked("semanticTokens/full", "name", &json!({}));
    // The first one is `{%` on line 18, then `for`.
    let data = tokens["data"].as_array().unwrap();
    assert_eq!(data[..10], [18, 2, 2, 0, 0, 0, 3, 3, 1, 0]);
    let lenses = asked("codeLens", "name", &json!({}));
    assert_eq!(lenses[0]["command"]["title"], "run example");
    let arguments = &lenses[3]["command"]["arguments"][1];
    assert_eq!(
        *arguments,
        json!(["test", "greet", "--test=^greet\\.2$", "--update"])
    );
    let hints = asked("inlayHint", "name", &json!({}));
    assert_eq!(hints[0]["label"], ": object");
}

#[test]
fn configurations_and_templates_are_checked() {
    let found = diagnostics(".cogtoolrc.yaml", "tool_sources: 1\n");
    assert_eq!(found.len(), 1, "{found:?}");
    let found = diagnostics("tools/part.njk", "Hello {{ a | uper }}\n");
    assert_eq!(found[0][2], "unknown filter `uper`\ndid you mean `upper`?");
    let found = diagnostics("tools/part.njk", "Hello\n{{ a \n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        diagnostics("notes/other.yaml", "a: [\n"),
        Vec::<[String; 3]>::new()
    );
}

#[test]
fn a_text_that_is_too_long_has_a_diagnostic() {
    let found = diagnostics("tools/greet.yaml", &"#".repeat((1 << 20) + 1));
    assert_eq!(found.len(), 1, "{found:?}");
    let message = "is larger than 1 MiB\nshorten it; long reference text belongs outside the tool";
    assert!(found[0][2].ends_with(message), "{found:?}");
}

#[test]
fn an_invalid_configuration_of_the_user_is_told_once() {
    let project = project();
    project.file("../home/.gemini/cogtoolrc.yaml", "tool_sources: 1\n");
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", TOOL);
    client.open("tools/other.yaml", TOOL);
    let said = client.end();
    let told = said
        .iter()
        .filter(|it| it["method"] == "window/showMessage");
    let told: Vec<&Value> = told.map(|it| &it["params"]).collect();
    assert_eq!(told.len(), 1, "{said:?}");
    assert_eq!(told[0]["type"], 1);
    let message = told[0]["message"].as_str().unwrap();
    assert!(message.contains("cogtoolrc.yaml:1: "), "{message}");
}

#[test]
fn a_client_ends_the_server() {
    let project = project();
    let mut client = Client::new(&project);
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    let said = client.end();
    assert_eq!(said.last().unwrap()["result"], Value::Null);
}

#[test]
fn a_method_that_is_not_known_is_an_error() {
    let project = project();
    let mut client = Client::new(&project);
    client.ask("textDocument/nonsense", json!({}));
    let said = client.end();
    assert_eq!(said[1]["error"]["code"], -32601);
}

#[test]
fn a_thousand_edits() {
    let project = project();
    let mut client = Client::new(&project);
    let uri = client.uri("tools/greet.yaml");
    client.open("tools/greet.yaml", TOOL);
    let mut text: Vec<u16> = TOOL.encode_utf16().collect();
    let parts = [
        "{{ ",
        "}}",
        "👋",
        "\r\n",
        "\n",
        "  x: [",
        "'",
        "\"",
        "{% for a in ",
        "\t",
        "- ",
        "#",
    ];
    // A generator of numbers that are always the same.
    let mut seed: usize = 7;
    let mut next = |limit: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let place = |text: &[u16], at: usize| {
        let before = &text[..at];
        let line_ends: Vec<usize> = (0..at)
            .filter(|at| before[*at] == 10 || (before[*at] == 13 && text.get(at + 1) != Some(&10)))
            .collect();
        let start = line_ends.last().map_or(0, |at| at + 1);
        json!({"line": line_ends.len(), "character": at - start})
    };
    let is_low =
        |text: &[u16], at: usize| text.get(at).is_some_and(|it| (0xDC00..0xE000).contains(it));
    for version in 0..1_000 {
        let mut start = next(text.len());
        while is_low(&text, start) {
            start -= 1;
        }
        let mut end = (start + next(12)).min(text.len());
        while is_low(&text, end) {
            end -= 1;
        }
        let part = parts[next(parts.len())];
        // A position between a carriage return and its line feed is none.
        let is_inside = |at: usize| at > 0 && text.get(at) == Some(&10) && text[at - 1] == 13;
        if is_inside(start) || is_inside(end) || end < start {
            continue;
        }
        client.tell(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{
                    "range": {"start": place(&text, start), "end": place(&text, end)}, "text": part,
                }],
            }),
        );
        text.splice(start..end, part.encode_utf16());
        if version % 10 == 0 {
            let method = ["completion", "hover", "definition", "references"][next(4)];
            client.ask(
                &format!("textDocument/{method}"),
                json!({
                    "textDocument": {"uri": uri}, "position": place(&text, start),
                }),
            );
        }
    }
    client.ask(
        "textDocument/semanticTokens/full",
        json!({"textDocument": {"uri": uri}}),
    );
    let said = client.end();
    let text = String::from_utf16(&text).unwrap();
    let found = said
        .iter()
        .rfind(|it| it["method"] == "textDocument/publishDiagnostics")
        .unwrap();
    for one in found["params"]["diagnostics"].as_array().unwrap() {
        assert!(
            text.lines().count()
                >= usize::try_from(one["range"]["end"]["line"].as_u64().unwrap()).unwrap()
        );
    }
    assert!(
        said.iter()
            .all(|it| it.get("error").is_none_or(|it| it["code"] == -32601))
    );
}
