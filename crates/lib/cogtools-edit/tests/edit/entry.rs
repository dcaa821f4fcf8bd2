//! An entry of a map: added, left unchanged if equivalent, refused if conflicting.

use std::fs;
use std::path::PathBuf;

use cogtools_edit::{Edit, Entry, Former, Step};
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
        former: None,
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

/// Checks a file of TOML in which one entry takes the place of those with `--for` and a value.
#[track_caller]
fn check_former(before: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.toml");
    let is_former = |present: &Value| {
        let args = present["args"].as_array();
        present["command"] == "us" && args.is_some_and(|args| args.iter().any(|it| it == "--for"))
    };
    let entry = Entry {
        former: Some(Former {
            option: "--for",
            is_former,
        }),
        ..edit().entry.unwrap()
    };
    let edit = Edit::add(PathBuf::from("f.toml"), entry);
    let mut text = before.to_owned();
    // The second edit changes nothing.
    for _ in 0..2 {
        fs::write(&file, &text).unwrap();
        if let Step::Write(change) = edit.plan(folder.path()).unwrap() {
            text = change.after;
        }
        assert_eq!(text, expected, "{before}");
    }
}

#[test]
fn an_entry_takes_the_place_of_former_ones() {
    const NEW: &str = "[servers.us]\ncommand = \"us\"\nargs = [\"a\", \"b\"]\n";
    let table =
        |name: &str, args: &str| format!("[servers.{name}]\ncommand = \"us\"\nargs = {args}\n");
    let former = table("us", "['a', '--for', '/x', \"b\"] # c");
    check_former(
        &format!("\u{feff}x = 1\r\n{former}env = {{ A = \"b\" }}\n[servers.us.t]\nk = 1"),
        &format!(
            "\u{feff}x = 1\r\n{}env = {{ A = \"b\" }}\n[servers.us.t]\nk = 1",
            table("us", "['a', \"b\"] # c")
        ),
    );
    check_former(&table("us", "['a', '--for', '/x']"), &table("us", "['a']"));
    check_former(
        "[servers]\nus = { command = \"us\", args = [ '--for', 'x' ] }\n",
        "[servers]\nus = { command = \"us\", args = [  ] }\n",
    );
    // Of others, only what has nothing else is removed.
    let other = table("one", "['--for', '/1']");
    check_former(&other, NEW);
    check_former(
        &format!("x = 1\n\n{other}\n# mine\n[servers.z]\nurl = 'u'\n\n{other}cwd = '/'\n")
            .replacen(
                "servers.one]\ncommand = \"us\"\nargs = ['--for', '/1']\ncwd",
                "servers.two]\ncommand = \"us\"\nargs = ['--for', '/1']\ncwd",
                1,
            ),
        &format!(
            "x = 1\n\n# mine\n[servers.z]\nurl = 'u'\n\n{}cwd = '/'\n\n{NEW}",
            table("two", "['--for', '/1']")
        ),
    );
    // One without the option is enough, whatever its name is.
    let current = table("mine", "['a']");
    check_former(&format!("{other}\r\n{current}"), &format!("\r\n{current}"));
    check_former(&format!("{current}\n{former}"), &current);
    // A comment of the user stays, with the entry that it is in.
    let noted = other.replacen('\n', "\n# mine\n", 1);
    check_former(&format!("{current}{noted}"), &format!("{current}{noted}"));
}
