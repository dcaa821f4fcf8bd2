//! The JSON value in a model's text, as `cogtools json` prints it.

use cogtools_test_support::{Outcome, Project, Status, conformance, str};
use serde_json::{Value, json};

use crate::run;

fn json(args: &[&str], text: impl Into<String>) -> Outcome {
    let project = Project::new();
    let text: String = text.into();
    run("cogtools-json", &project).args(args).stdin(text).run()
}

/// Returns true if two values are equal; the numbers of the recorded ones are doubles.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        (a, b) => a == b,
    }
}

/// The texts in which the recorded parsers found nothing, or something else, with the clear
/// value that is in them.
fn clear(id: &str) -> Option<Value> {
    Some(match id {
        // The last of several values, and values that prose follows.
        "lj-12" => json!({"b": 2}),
        "lj-14" => json!([1, 2]),
        "lj-16" => Value::Null,
        "lj-26" | "lj-28" => json!({"capability": "web_search.search"}),
        // Two with brackets around them; keys without quotes, or with others.
        "lj-44" | "lj-46" | "lj-29" | "lj-30" | "jr-33" | "jr-42" => json!({"a": 1}),
        // Fences inside strings are a part of valid text.
        "lj-32" => json!({"a": "```"}),
        "lj-33" => json!({"a": "use ```json here"}),
        // A lone surrogate.
        "lj-50" => json!({"u": "\u{fffd}"}),
        // Missing commas between any values.
        "jr-15" => json!({"a": {"c": 1}, "b": 2}),
        "jr-56" => json!({"a": [{"b": 1}, {"c": 2}]}),
        "jr-70" => json!({
            "restatement": "r", "visible_reply": "v", "thinking_log": ["a", "b"],
            "tool_plan": [{"need_tool": false, "reason": "x"}]
        }),
        // Quotes, numbers and words of other languages.
        "jr-41" => json!({"a": "x"}),
        "jr-59" => json!({"a": "b\""}),
        "jr-35" => json!({"a": null}),
        "jr-64" => json!({"a": "01"}),
        "jr-65" => json!({"a": 0.5}),
        "jr-66" => json!({"a": 1.0}),
        "jr-72" => json!(5),
        _ => return None,
    })
}

#[test]
fn recorded_texts_have_the_recorded_values() {
    let test = "recorded_texts_have_the_recorded_values";
    for file in [
        "agents/000_lenient_json.jsonl",
        "agents/002_json_repair.jsonl",
    ] {
        let Some(rows) = conformance::recorded_in_utf16(file, test) else {
            return;
        };
        let complaints: Vec<String> = rows.iter().filter_map(complaint).collect();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

/// The mistake in the value of a row's text.
fn complaint(row: &Value) -> Option<String> {
    let id = row["id"].as_str().expect("an id");
    let text = match &row["input"] {
        Value::String(text) => text.clone(),
        // These parsers make text of what is none.
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let recorded = row.get("expected_later").unwrap_or(&row["expected"]);
    let recorded = recorded.get("ok").unwrap_or(recorded);
    let is_null = text.contains("null") && recorded.is_null();
    // A number beyond a double has no value, although the recorded parser says null.
    let is_recorded = (!recorded.is_null() || is_null) && id != "lj-48";
    let expected = clear(id).or_else(|| is_recorded.then(|| recorded.clone()));
    let outcome = json(&[], text);
    let Some(expected) = expected else {
        outcome
            .status(65)
            .stdout_is("")
            .stderr_contains("error[NO_JSON]");
        return None;
    };
    let found = serde_json::from_slice::<Value>(&outcome.stdout);
    let is_right = outcome.status == Status::Exit(0)
        && outcome.stderr.is_empty()
        && found.is_ok_and(|found| same(&found, &expected));
    (!is_right).then(|| format!("{id}: not {expected}: {outcome:?}"))
}

#[test]
fn a_value_is_printed_in_one_line() {
    json(&[], "Sure!\n```json\n{'a': [1.0, True,],\n}\n```\n").outputs("{\"a\":[1.0,true]}\n");
    json(&[], "1 {\"a\":1} [2]").outputs("[2]\n");
    json(&["--last"], "1 {\"a\":1} [2]").outputs("[2]\n");
    json(&["--first"], "1 {\"a\":1} [2]").outputs("{\"a\":1}\n");
    json(&["--all"], "1 {\"a\":1} [2]").outputs("[{\"a\":1},[2]]\n");
    json(&["--no-repair"], "{\"a\":1} {b: 2}").outputs("{\"a\":1}\n");
    json(&["--partial"], "{\"a\": [1, {\"b\": \"te").outputs("{\"a\":[1,{\"b\":\"te\"}]}\n");
    json(&["--partial"], "{\"a\": tr").outputs("{\"a\":true}\n");
    json(&[], "12345678901234567890123").outputs("12345678901234567890123\n");
}

#[test]
fn a_text_without_a_value_is_a_failure() {
    json(&[], "").fails(
        65,
        str![[r#"
cogtools-json: error[NO_JSON]: no JSON value in the text
hint: the text is empty

"#]],
    );
    json(&[], "Sorry, I cannot do that.").fails(
        65,
        str![[r#"
cogtools-json: error[NO_JSON]: no JSON value in the text
hint: ask the model for one JSON value; a scalar counts if it fills its line

"#]],
    );
    json(&["--no-repair"], "{a: 1}").fails(
        65,
        str![[r#"
cogtools-json: error[NO_JSON]: no JSON value in the text
hint: there is one that is not valid; leave out --no-repair to repair it

"#]],
    );
    json(&[], "{\"a\":\n  1e999}").fails(
        65,
        str![[r#"
cogtools-json: error[NO_JSON]: <stdin>:2:3: a number is beyond the range of a double
   |
 2 |   1e999}
   |   ^
hint: ask the model to write the number as a string

"#]],
    );
    json(&[], "[".repeat(1_000))
        .status(65)
        .stdout_is("")
        .stderr_contains("more than 128 levels");
    json(&["--error-format", "json"], "x").fails(65, str![[r#"
{"severity":"error","code":"NO_JSON","program":"cogtools-json","message":"no JSON value in the text","hints":["ask the model for one JSON value; a scalar counts if it fills its line"]}

"#]]);
}

#[test]
fn bytes_that_are_no_text_are_a_failure() {
    let project = Project::new();
    run("cogtools-json", &project)
        .stdin(b"{\"a\":\"\xff\"}".to_vec())
        .run()
        .fails(65, str![[r#"
cogtools-json: error[INVALID_ARGUMENTS_SYNTAX]: the text is not UTF-8: byte 6 does not begin a character
hint: send the text as UTF-8

"#]]);
}

#[test]
fn repairs_are_explained_on_request() {
    let text = "{a: 1,\n 'b': None";
    json(&["--explain"], text).expect(
        0,
        "{\"a\":1,\"b\":null}\n",
        str![[r#"
cogtools-json: line 1, column 2: key quoted
cogtools-json: line 2, column 2: quotes replaced
cogtools-json: line 2, column 7: keyword replaced
cogtools-json: line 2, column 11: end of the text: the value was completed

"#]],
    );
    json(&["--explain", "--error-format", "json"], "[1,]").expect(
        0,
        "[1]\n",
        str![[r#"
{"program":"cogtools-json","note":"line 1, column 3: extra comma removed"}

"#]],
    );
    json(&["--explain"], "[1]").outputs("[1]\n");
    json(&["--explain"], r#"So: {"price": 1,234, "b": 2} it is"#).expect(
        0,
        "{\"price\":\"1,234\",\"b\":2}\n",
        str![[r#"
cogtools-json: line 1, column 15: text quoted
cogtools-json: line 1, column 1: 3 bytes outside of the value left out
cogtools-json: line 1, column 30: 5 bytes outside of the value left out

"#]],
    );
    let many = format!("[{}]", "1 ".repeat(1_500));
    let outcome = json(&["--explain"], many);
    outcome
        .status(0)
        .stderr_contains("cogtools-json: 499 repairs more\n");
    assert_eq!(
        String::from_utf8_lossy(&outcome.stderr).lines().count(),
        1_001
    );
}

#[test]
fn a_schema_is_checked() {
    let project = Project::new();
    let schema = json!({
        "type": "object",
        "required": ["id"],
        "additionalProperties": false,
        "properties": {
            "id": {"type": "integer", "description": "The number of the invoice"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number", "minimum": 0}}}},
        },
    });
    project.file("invoice.json", schema.to_string());
    let json =
        |args: &[&str], text: &str| run("cogtools-json", &project).args(args).stdin(text).run();
    json(
        &["--schema", "invoice.json"],
        "So: {id: 7, lines: [{price: 1}]}",
    )
    .outputs("{\"id\":7,\"lines\":[{\"price\":1}]}\n");
    json(
        &["--schema", "invoice.json"],
        "{\"lines\": [{\"price\": -1}], \"total\": 3}",
    )
    .fails(
        65,
        str![[r#"
cogtools-json: error[SCHEMA_VIOLATION]: /id: required but missing
hint: send id (integer): The number of the invoice
cogtools-json: error[SCHEMA_VIOLATION]: /lines/0/price: must be at least 0, got -1
hint: send price (number, at least 0)
cogtools-json: error[SCHEMA_VIOLATION]: /total: the schema has no such property
hint: leave it out, or use a name that the schema has

"#]],
    );
    json(&["--schema", "invoice.json"], "[1]").fails(
        65,
        str![[r#"
cogtools-json: error[SCHEMA_VIOLATION]: expected object, got array [1]

"#]],
    );
    json(&["--schema", "invoice.json", "--all"], "{\"id\": 1}").fails(
        65,
        str![[r#"
cogtools-json: error[SCHEMA_VIOLATION]: expected object, got array [{"id":1}]

"#]],
    );
}

#[test]
fn a_file_without_a_schema_is_a_failure() {
    let project = Project::new();
    project
        .file("broken.json", "[1]")
        .file("pattern.json", r#"{"properties": {"a": {"pattern": "("}}}"#);
    let json =
        |args: &[&str], text: &str| run("cogtools-json", &project).args(args).stdin(text).run();
    json(&["--schema", "broken.json"], "{}").fails(2, str![[r#"
cogtools-json: error[USAGE]: broken.json: this is not a JSON Schema: invalid type: sequence, expected a map at line 1 column 0
hint: name a file with a JSON Schema, which is one object

"#]]);
    json(&["--schema", "pattern.json"], "{}").fails(2, str![[r#"
cogtools-json: error[USAGE]: pattern.json: /properties/a/pattern: `(` is not a regular expression of ECMA-262
hint: name a file with a JSON Schema, which is one object

"#]]);
    json(&["--schema", "absent.json"], "{}").fails(
        74,
        str![[r#"
cogtools-json: error[IO_FAILED]: `absent.json` does not exist
hint: check the path; the file may have been removed meanwhile

"#]],
    );
}

/// The value keeps its bytes on a pipe; a terminal would obey some of them.
#[test]
fn control_characters_are_escaped_in_json() {
    json(&[], "\"a\u{1b}[31m\u{202e}\"").outputs("\"a\\u001b[31m\u{202e}\"\n");
}
