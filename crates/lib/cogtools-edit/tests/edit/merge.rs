//! Merged settings files, byte for byte.

use std::path::Path;

use cogtools_edit::jsonc;
use serde_json::{Map, Value, json};

/// The settings that Gemini CLI needs.
pub(crate) fn wanted() -> Map<String, Value> {
    object(json!({
        "toolDiscoveryCommand": "D",
        "toolCallCommand": "C",
        "tools": {"discoveryCommand": "D", "callCommand": "C"},
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}

fn check_with(wanted: &Map<String, Value>, before: &str, after: &str) {
    let file = Path::new("settings.json");
    let merged = jsonc::merge(file, before, wanted);
    assert_eq!(merged.as_deref(), Ok(after), "merging into {before:?}");
    let again = jsonc::merge(file, after, wanted);
    assert_eq!(again.as_deref(), Ok(after), "merging twice into {before:?}");
}

fn check(before: &str, after: &str) {
    check_with(&wanted(), before, after);
}

#[test]
fn empty_files() {
    let object = "{\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\",\n  \"tools\": {\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  }\n}";
    check("", &format!("{object}\n"));
    check("\n", &format!("\n{object}\n"));
    check("  ", &format!("  \n{object}"));
    check("\u{feff}", &format!("\u{feff}{object}\n"));
    check("// mine\n", &format!("// mine\n{object}\n"));
    check("// mine", &format!("// mine\n{object}"));
    check("/* mine */", &format!("/* mine */\n{object}"));
    check("{}", object);
    check("{}\n", &format!("{object}\n"));
    check("{\n}\n", &format!("{object}\n"));
    check("\u{feff}{}", &format!("\u{feff}{object}"));
}

#[test]
fn empty_objects_in_the_style_of_the_file() {
    check(
        "\r\n",
        "\r\n{\r\n  \"toolDiscoveryCommand\": \"D\",\r\n  \"toolCallCommand\": \"C\",\r\n  \"tools\": {\r\n    \"discoveryCommand\": \"D\",\r\n    \"callCommand\": \"C\"\r\n  }\r\n}\r\n",
    );
    check(
        "{ /* none */ }",
        "{ /* none */ \n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\",\n  \"tools\": {\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  }\n}",
    );
    check(
        "{ // none\n}",
        "{ // none\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\",\n  \"tools\": {\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  }\n}",
    );
}

#[test]
fn over_several_lines() {
    check(
        "{\n  \"theme\": \"x\"\n}\n",
        "{\n  \"theme\": \"x\",\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\",\n  \"tools\": {\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  }\n}\n",
    );
    // Four spaces, a comment after the last value, no line feed at the end.
    check(
        "{\n    \"theme\": \"x\" // mine\n    // \"old\": 1\n}",
        "{\n    \"theme\": \"x\", // mine\n    // \"old\": 1\n    \"toolDiscoveryCommand\": \"D\",\n    \"toolCallCommand\": \"C\",\n    \"tools\": {\n        \"discoveryCommand\": \"D\",\n        \"callCommand\": \"C\"\n    }\n}",
    );
    // Tabs, CRLF, a trailing comma (Gemini CLI accepts none, so none is added).
    check(
        "{\r\n\t\"theme\": \"x\", // mine\r\n}\r\n",
        "{\r\n\t\"theme\": \"x\", // mine\r\n\t\"toolDiscoveryCommand\": \"D\",\r\n\t\"toolCallCommand\": \"C\",\r\n\t\"tools\": {\r\n\t\t\"discoveryCommand\": \"D\",\r\n\t\t\"callCommand\": \"C\"\r\n\t}\r\n}\r\n",
    );
    // No indentation, and a brace that follows immediately.
    check(
        "{\n\"theme\":\"x\"}",
        "{\n\"theme\":\"x\",\n\"toolDiscoveryCommand\":\"D\",\n\"toolCallCommand\":\"C\",\n\"tools\":{\n\"discoveryCommand\":\"D\",\n\"callCommand\":\"C\"\n}}",
    );
    // Leading commas.
    check(
        "{\n  \"a\": 1\n, \"tools\": {\"discoveryCommand\": \"D\", \"callCommand\": \"C\"}\n}",
        "{\n  \"a\": 1\n, \"tools\": {\"discoveryCommand\": \"D\", \"callCommand\": \"C\"},\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\"\n}",
    );
}

#[test]
fn on_one_line() {
    check(
        r#"{"theme":"x"}"#,
        r#"{"theme":"x","toolDiscoveryCommand":"D","toolCallCommand":"C","tools":{"discoveryCommand":"D","callCommand":"C"}}"#,
    );
    check(
        r#"{ "theme": "x" }"#,
        r#"{ "theme": "x", "toolDiscoveryCommand": "D", "toolCallCommand": "C", "tools": { "discoveryCommand": "D", "callCommand": "C" } }"#,
    );
    check(
        r#"{"theme": "x" /* mine */, }"#,
        r#"{"theme": "x" /* mine */, "toolDiscoveryCommand": "D", "toolCallCommand": "C", "tools": {"discoveryCommand": "D", "callCommand": "C"} }"#,
    );
    check(
        r#"{"tools":{},"a":[1,],}"#,
        r#"{"tools":{"discoveryCommand":"D","callCommand":"C"},"a":[1,],"toolDiscoveryCommand":"D","toolCallCommand":"C"}"#,
    );
    check(
        "{\"a\": 1 // mine\n}",
        "{\"a\": 1, // mine\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\",\n  \"tools\": {\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  }\n}",
    );
}

#[test]
fn existing_tools() {
    check(
        "{\n  \"tools\": {\n    \"allowed\": [\"a\"] /* why */\n  },\n  \"b\": 2\n}\n",
        "{\n  \"tools\": {\n    \"allowed\": [\"a\"], /* why */\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  },\n  \"b\": 2,\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\"\n}\n",
    );
    check(
        "{\n  \"tools\": {}\n}\n",
        "{\n  \"tools\": {\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  },\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\"\n}\n",
    );
    check(
        "{\n  \"tools\": {\n    // nothing yet\n  }\n}\n",
        "{\n  \"tools\": {\n    // nothing yet\n    \"discoveryCommand\": \"D\",\n    \"callCommand\": \"C\"\n  },\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\"\n}\n",
    );
    check(
        "{\n  \"tools\": { \"allowed\": [] }\n}\n",
        "{\n  \"tools\": { \"allowed\": [], \"discoveryCommand\": \"D\", \"callCommand\": \"C\" },\n  \"toolDiscoveryCommand\": \"D\",\n  \"toolCallCommand\": \"C\"\n}\n",
    );
}

#[test]
fn some_values_present() {
    let whole = "{\"toolDiscoveryCommand\": \"D\", /* c */ \"toolCallCommand\": \"C\", \"tools\": {\"callCommand\": \"C\", \"discoveryCommand\": \"D\",},}";
    check(whole, whole);
    check(
        "{\"toolDiscoveryCommand\": \"D\", \"tools\": {\"callCommand\": \"C\"}}",
        "{\"toolDiscoveryCommand\": \"D\", \"tools\": {\"callCommand\": \"C\", \"discoveryCommand\": \"D\"}, \"toolCallCommand\": \"C\"}",
    );
    // The same key and value, written with escapes.
    check(
        r#"{"tool\u0043allCommand": "\u0043", "toolDiscoveryCommand": "D", "tools": {"discoveryCommand": "D", "callCommand": "C"}}"#,
        r#"{"tool\u0043allCommand": "\u0043", "toolDiscoveryCommand": "D", "tools": {"discoveryCommand": "D", "callCommand": "C"}}"#,
    );
}

#[test]
fn settings_of_other_hosts() {
    let wanted = object(json!({"mcpServers": {"cogtools": {
        "command": "cogtools-mcp", "args": ["-C", "."], "env": {}, "trust": true, "n": 1, "x": null,
    }}}));
    check_with(
        &wanted,
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"},\n    \"cogtools\": {\n      \"command\": \"cogtools-mcp\",\n      \"args\": [\"-C\", \".\"],\n      \"env\": {},\n      \"trust\": true,\n      \"n\": 1,\n      \"x\": null\n    }\n  }\n}\n",
    );
}
