//! The introduction of the server: about itself, as the configuration says, and about the tools of other
//! servers, as they say.

use cogtools_test_support::{Project, str};
use serde_json::{Value, json};

use super::Session;
use super::source::{project, server, with};
use crate::run;

/// The answer of the server of `project` to `initialize`.
fn initialize(project: &Project) -> Value {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    let server = run("cogtools-mcp", project).stdin(hello.to_string());
    server.run().json()["result"].take()
}

fn words(answer: &Value) -> [&Value; 2] {
    [&answer["serverInfo"]["title"], &answer["instructions"]]
}

#[test]
fn a_title_and_instructions() {
    let project = Project::new();
    let texts = "hosts: {mcp: {title: Tools of the shop, instructions: Ask before you deploy.}}\n";
    let expected = [
        &json!("Tools of the shop"),
        &json!("Ask before you deploy."),
    ];
    assert_eq!(words(&initialize(&project)), [&Value::Null; 2]);
    // A project that is not trusted does not speak to a model.
    project
        .file(".cogtoolrc.yaml", texts)
        .file("sub/x", "")
        .trust("sub");
    assert_eq!(words(&initialize(&project)), [&Value::Null; 2]);
    project.trust(".");
    assert_eq!(words(&initialize(&project)), expected);
    // The user's own file needs no trust.
    let project = Project::new();
    project.file("../home/.gemini/cogtoolrc.yaml", texts);
    assert_eq!(words(&initialize(&project)), expected);
}

#[test]
fn they_are_texts_of_the_server_only() {
    let project = Project::new();
    project.file(
        ".cogtoolrc.yaml",
        "hosts: {mcp: {title: [a]}, gemini: {title: a}}\n",
    );
    run("cogtools-config", &project).arg("list").run().fails(
        78,
        str![[r#"
cogtools-config: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:22: `title` takes a text of at most 8 KiB, not a list
   |
 1 | hosts: {mcp: {title: [a]}, gemini: {title: a}}
   |                      ^^^
hint: write `title: Tools of the shop`
cogtools-config: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:37: unknown key `title`
   |
 1 | hosts: {mcp: {title: [a]}, gemini: {title: a}}
   |                                     ^^^^^
hint: see cogtoolrc(5) for all keys

"#]],
    );
}

#[test]
fn what_a_server_declares_reaches_clients() {
    let project = project();
    let discover = with("cogtools-discover", &project, &[server("whole")]);
    let declared = discover.args(["--format", "mcp"]).run().json();
    assert_eq!(
        declared[1],
        json!({
            "name": "t",
            "title": "T",
            "description": "d",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "annotations": {"title": "A", "readOnlyHint": true},
            "icons": [{"src": "https://a/b.png"}],
            "_meta": {"a/b": 1},
        })
    );
    let sources = json!({"tool_sources": [server("whole")]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = Session::open(&project);
    let id = session.ask("tools/list", &json!({}));
    assert_eq!(session.answer(id)["result"]["tools"][0], declared[1]);
    let id = session.call("t", &json!({}));
    assert_eq!(
        session.answer(id)["result"]["structuredContent"],
        json!({"n": 1})
    );
}

/// All that a client can use passes, whatever is in it; a block of a type that the protocol does
/// not have costs no other.
#[test]
fn unusual_values_pass_whole() {
    let project = project();
    let sources = json!({"tool_sources": [server("unusual")]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = Session::open(&project);
    let id = session.ask("tools/list", &json!({}));
    assert_eq!(
        session.answer(id)["result"]["tools"][0],
        json!({
            "name": "t",
            // Invisible characters of others go.
            "title": "Tool  of «all»",
            "description": "d",
            "inputSchema": {"type": "object"},
            "outputSchema": {
                "type": "object", "required": ["n"], "unevaluatedProperties": {"not": {}},
                "properties": {"n": {"type": "integer", "x-unit": "ms"}, "": {"const": null},
                    "u": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/d"}]}},
                "$defs": {"d": {"enum": [null, 1, "1", [], {}]}}, "x-own": {"list": [[[]]]},
            },
            "annotations": {"openWorldHint": false, "x/y": {"k": [null, {"z": 1, "a": 2}]}},
            "icons": [{"src": "data:image/png;base64,AAAA", "theme": "dark", "x": [1.5e300]}],
            "_meta": {
                "a/b": {"b": 1, "a": [null, true, 1.0, -0.0, u64::MAX]}, "z": null, "": {},
            },
        })
    );
    let params = json!({"name": "t", "arguments": {}, "_meta": {"progressToken": 1}});
    let id = session.ask("tools/call", &params);
    assert_eq!(
        session.answer(id)["result"],
        json!({
            "content": [
                {"type": "text", "text": "t", "annotations": {"priority": 0.5}, "_meta": {"c": [null]}},
                {"type": "text", "text": "[content of type `novel`, omitted]"},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "u:x", "text": "r", "_meta": {"q": 1}}},
            ],
            "structuredContent": {
                "n": 5, "big": u64::MAX, "deep": {"z": 1, "a": [{}]}, "": null,
            },
            "isError": false,
            "_meta": {"r/m": {"z": 1, "a": null}},
        })
    );
    // What reaches a terminal has no characters that control it.
    let messages: Vec<Value> = session
        .notified()
        .into_iter()
        .map(|it| it["params"]["message"].clone())
        .collect();
    assert_eq!(messages, [json!("[31mred")]);
}
