//! Declarations that are repaired, and what says so.

use cogtools_test_support::str;
use serde_json::{Value, json};

use super::{Scene, declaring};

const TOOLS: &str = r#"[
  {"name": "whole", "description": "d", "inputSchema": {"type": "object"}},
  {"name": "odd", "inputSchema": {"properties": {"a": true, "b": {"type": "array"}}, "x-order": 1}}
]"#;

#[test]
fn a_list_names_what_was_repaired() {
    let scene = Scene::new(&declaring(TOOLS), "");
    scene.run("cogtools-list").run().outputs(str![[r#"
NAME   TOOLSET  SOURCE  FILE           TOKENS  NOTES
odd    other    other   other: odd         39  repaired: added description, items, type; translated boolean schemas; left out x-order
whole  other    other   other: whole       20
ok              tools   tools/ok.yaml      31

3 tools, about 90 tokens with every request

"#]]);
    let json = scene.run("cogtools-list").arg("--json").run().json();
    assert_eq!(json["tools"][0]["name"], "odd");
    assert_eq!(
        json["tools"][0]["repaired"],
        "added description, items, type; translated boolean schemas; left out x-order"
    );
    assert_eq!(json["tools"][1].get("repaired"), None);
}

/// Tools with names of parameters that the Gemini API rejects, and others accept: optional ones,
/// nested ones, and one that is required.
const NAMES: &str = r#"[
  {"name": "erase", "description": "d", "inputSchema": {"type": "object", "required": ["id"],
    "properties": {"id": {"type": "string"}, "If-Match": {"type": "string"}}}},
  {"name": "find", "description": "d", "inputSchema": {"type": "object",
    "properties": {"sort": {"anyOf": [{"type": "string"},
      {"type": "object", "properties": {"$meta": {"type": "string"}, "by": {"type": "string"}}}]}}}},
  {"name": "needy", "description": "d", "inputSchema": {"type": "object", "required": ["If-Match"],
    "properties": {"If-Match": {"type": "string"}}}}
]"#;

#[test]
fn an_optional_parameter_does_not_cost_its_tool() {
    let scene = Scene::new(&declaring(NAMES), "");
    let declared = |target: &str| {
        let run = scene.run("cogtools-discover");
        run.args(["--format", target]).run()
    };
    let outcome = declared("gemini");
    outcome.stderr_is(
        "cogtools-discover: warning[INVALID_TOOL]: needy: /properties/If-Match: not declared for \
         gemini: the Gemini API rejects the parameter name \"If-Match\"\n\
         hint: use letters from a to z, digits and `_`, at most 64, and no digit first\n",
    );
    let json: Value = serde_json::from_slice(&outcome.stdout).expect("it is JSON");
    let names: Vec<_> = json
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["erase", "find", "ok"]);
    let id = json!({"type": "string"});
    let schema = &json[0]["parametersJsonSchema"];
    assert_eq!(schema["properties"], json!({"id": id}));
    assert_eq!(json[0]["parameters"]["properties"], schema["properties"]);
    let nested = &json[1]["parametersJsonSchema"]["properties"]["sort"]["anyOf"][1];
    assert_eq!(nested["properties"], json!({"by": id}));
    // OpenAI takes every name.
    let all = declared("openai").json();
    let erase = &all[0]["function"]["parameters"]["properties"];
    assert_eq!(erase, &json!({"id": id, "If-Match": id}));
    assert_eq!(all.as_array().map(Vec::len), Some(4));
    let list = scene.run("cogtools-list").arg("--json").run().json();
    let repaired: Vec<_> = (0..3)
        .map(|at| list["tools"][at]["repaired"].as_str())
        .collect();
    assert_eq!(
        repaired,
        [
            Some("left out for gemini If-Match"),
            Some("left out for gemini $meta"),
            None
        ]
    );
}

#[test]
fn a_parameter_that_is_not_declared_can_be_passed() {
    let scene = Scene::new(&declaring(NAMES), "");
    scene
        .run("cogtools-call")
        .arg("erase")
        .stdin(r#"{"id": "1", "If-Match": "x"}"#)
        .run()
        .succeeds();
}

/// Tools that `OpenAI`'s and Anthropic's APIs would reject: a long description, and a root that is
/// more than an object with properties.
#[test]
fn what_an_api_rejects_is_cut_or_flattened() {
    let long = format!("Sends {}", "ä".repeat(1_100));
    let tools = json!([
        {"name": "long", "description": long, "inputSchema": {"type": "object"}},
        {"name": "root", "description": "d", "inputSchema": {
            "type": "object", "properties": {"a": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}],
        }},
    ]);
    let scene = Scene::new(&declaring(&tools.to_string()), "");
    let declared = |format: &str| {
        scene
            .run("cogtools-discover")
            .args(["--format", format])
            .run()
            .json()
    };
    let string = json!({"type": "string"});
    let flat = json!({"type": "object", "properties": {"a": string, "b": string}});
    let openai = declared("openai");
    let cut = format!("Sends {}…", "ä".repeat(1_017));
    assert_eq!(openai[0]["function"]["description"], cut);
    assert_eq!(openai[1]["function"]["parameters"], flat);
    let anthropic = declared("anthropic");
    assert_eq!(anthropic[0]["description"], long);
    assert_eq!(anthropic[1]["input_schema"], flat);
    assert_eq!(declared("mcp")[0]["description"], long);
    let list = scene.run("cogtools-list").arg("--json").run().json();
    assert_eq!(list["tools"][0]["repaired"], "cut for openai description");
    let call = |arguments: &str| {
        scene
            .run("cogtools-call")
            .arg("root")
            .stdin(arguments)
            .run()
    };
    call(r#"{"b": "x"}"#).succeeds();
    // What the declaration does not say is checked.
    call("{}").status(65);
}

/// Words of draft-04, and names that hosts do not accept, two of which become the same.
const OLD: &str = r##"[
  {"name": "1.st/tool", "description": "d", "inputSchema": {
    "$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "type": "object",
    "definitions": {"age": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}},
    "properties": {"age": {"$ref": "#/definitions/age"}}}},
  {"name": "a.b", "description": "first", "inputSchema": {"type": "object"}},
  {"name": "a/b", "description": "second", "inputSchema": {"type": "object"}},
  {"name": "a_tool_with_a_name_that_is_longer_than_forty_seven_characters", "description": "d",
    "inputSchema": {"type": "object"}},
  {"name": "bad", "description": "d", "inputSchema": true},
  {"name": "red\u001b[31m", "description": "\u001b[31mred", "inputSchema": {"type": "object"}}
]"##;

#[test]
fn no_format_hands_on_exclusive_bounds_of_draft_04() {
    let scene = Scene::new(&declaring(OLD), "");
    for format in ["gemini", "openai", "anthropic", "mcp"] {
        let outcome = scene
            .run("cogtools-discover")
            .args(["--format", format])
            .run();
        let shown = String::from_utf8_lossy(&outcome.stdout).into_owned();
        assert!(shown.contains(r#""exclusiveMinimum":0"#), "{shown}");
        assert!(!shown.contains(r#""exclusiveMinimum":true"#), "{shown}");
        let parameters =
            r#""parameters":{"type":"object","properties":{"age":{"type":"integer","minimum":1}}}"#;
        assert_eq!(shown.contains(parameters), format == "gemini", "{shown}");
    }
}

#[test]
fn old_words_and_foreign_names_are_translated() {
    let scene = Scene::new(&declaring(OLD), "");
    let outcome = scene
        .run("cogtools-discover")
        .args(["--format", "mcp"])
        .run();
    outcome.expect(0, str![[r##"
[
{"name":"_1_st_tool","description":"d","inputSchema":{"type":"object","$defs":{"age":{"type":"integer","exclusiveMinimum":0}},"properties":{"age":{"$ref":"#/$defs/age"}}}},
{"name":"a_b_12734df7","description":"first","inputSchema":{"type":"object"}},
{"name":"a_b_f5effa31","description":"second","inputSchema":{"type":"object"}},
{"name":"a_tool_with_a_name_that_is_longer_than_a6b3565f","description":"d","inputSchema":{"type":"object"}},
{"name":"red__31m","description":"[31mred","inputSchema":{"type":"object"}},
{"name":"ok","description":"d","inputSchema":{"type":"object","additionalProperties":false}}
]

"##]], str![[r#"
cogtools-discover: warning[INVALID_TOOL]: the provider `other` hides characters in its descriptions, which were removed: U+001B
hint: a model would read what you do not see: ask its author why
cogtools-discover: warning[INVALID_TOOL]: the provider `other` has an invalid declaration: `inputSchema` of `bad` is not an object
hint: its other tools are not affected; report this to its author

"#]]);
    for (name, remote) in [
        ("_1_st_tool", "1.st/tool"),
        ("a_b_12734df7", "a.b"),
        ("a_b_f5effa31", "a/b"),
    ] {
        scene.call(name).outputs(format!("{remote}: {{}}\n"));
    }
}

#[test]
fn a_blank_title_is_none() {
    let tools = r#"[{"name": "a", "title": "", "description": "d"}, {"name": "b", "title": " ", "description": "d"}]"#;
    Scene::new(&declaring(tools), "").declares(&["a", "b"], "");
}
