//! An entry of a map: added, left unchanged if equivalent, refused if conflicting.

use std::fs;
use std::path::PathBuf;

use cogtools_edit::{Edit, Entry, Step};
use serde_json::{Map, Value, json};

use crate::hints;

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn edit() -> Edit {
    let entry = Entry {
        table: "servers",
        name: "us".to_owned(),
        value: object(&json!({"command": "us", "args": ["a", "b"]})),
        is_equivalent: |present, _| present["command"] == "us",
        hint: "or else".to_owned(),
    };
    Edit {
        defaults: object(&json!({"version": "1"})),
        ..Edit::add(PathBuf::from("f.json"), entry)
    }
}

/// Checks the edited file, or the messages of the conflicts.
#[track_caller]
fn check(before: &str, expected: Result<&str, &[&str]>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f.json"), before).unwrap();
    let found = match edit().plan(folder.path()) {
        Ok(Step::Write(change)) => Ok(change.after),
        Ok(Step::Keep(_)) => Ok(before.to_owned()),
        Err(error) => {
            let said = error.diagnostics().into_iter();
            let said =
                said.map(|diagnostic| format!("{} ({})", diagnostic.summary(), hints(&diagnostic)));
            Err(said.collect::<Vec<_>>())
        }
    };
    let expected = expected.map(str::to_owned);
    let expected = expected.map_err(|said| said.iter().map(|line| (*line).to_owned()).collect());
    assert_eq!(found, expected, "{before}");
}

#[test]
fn an_entry_is_added_in_the_style_of_the_file() {
    check(
        "",
        Ok(
            "{\n  \"version\": \"1\",\n  \"servers\": {\n    \"us\": {\n      \"command\": \"us\",\n      \
            \"args\": [\"a\", \"b\"]\n    }\n  }\n}\n",
        ),
    );
    check(
        "\u{feff}{\r\n\t// mine\r\n\t\"version\": 2,\r\n\t\"servers\": {\r\n\t\t\"other\": {\"command\": \"x\"}, // last\r\n\t},\r\n}\r\n",
        Ok(
            "\u{feff}{\r\n\t// mine\r\n\t\"version\": 2,\r\n\t\"servers\": {\r\n\t\t\"other\": {\"command\": \"x\"}, // last\
            \r\n\t\t\"us\": {\r\n\t\t\t\"command\": \"us\",\r\n\t\t\t\"args\": [\"a\", \"b\"]\r\n\t\t}\r\n\t},\r\n}\r\n",
        ),
    );
    check(
        "{\"version\":null,\"servers\":{}}",
        Ok("{\"version\":null,\"servers\":{\"us\":{\"command\":\"us\",\"args\":[\"a\",\"b\"]}}}"),
    );
}

#[test]
fn an_equivalent_entry_is_left_unchanged() {
    for before in [
        "{\"servers\": {\"us\": {\"command\": \"us\"}}, \"version\": 1}",
        "{\"version\": [], \"servers\": {\"us\": {\"args\": [], \"command\": \"us\", \"env\": {}}} /* . */}",
    ] {
        check(before, Ok(before));
    }
}

#[test]
fn conflicts_are_reported() {
    check(
        "{\"servers\": {\n \"us\": {\"command\": \"them\"}}}",
        Err(&[
            "f.json:2:8: /servers/us: another entry already has this name (remove or rename \
               it, then run this again; or else)",
        ]),
    );
    check(
        "{\"servers\": []}",
        Err(&[
            "f.json:1:13: /servers: must be an object, but is an array (make it an object or \
               remove it, then run this again)",
        ]),
    );
    check(
        "{\"servers\": {\"us\": {}, \"us\": {}}}",
        Err(&[
            "f.json:1:24: /servers/us: duplicate key, first set on line 1 (remove one of the two, \
               then run this again)",
        ]),
    );
    check(
        "{\"servers\": ",
        Err(&[
            "f.json:1:13: not JSON with comments: expected value after colon in object property (fix the file by \
               hand, then run this again)",
        ]),
    );
}
