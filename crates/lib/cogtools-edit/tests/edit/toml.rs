//! Edited TOML files, byte for byte.

use std::path::Path;

use cogtools_edit::toml;
use serde_json::{Map, Value, json};

use crate::hints;

const ADDED: &str = "[servers.us]\ncommand = \"us\"\nargs = [\"a \\\"b\\\"\", \"c\"]\n";

fn members() -> Map<String, Value> {
    let value = json!({"command": "us", "args": ["a \"b\"", "c"]});
    value.as_object().cloned().unwrap()
}

#[track_caller]
fn check(before: &str, expected: Result<&str, &str>) {
    let file = Path::new("c.toml");
    let found = toml::add(file, before, "servers", "us", &members());
    let found = found.map_err(|conflict| {
        let diagnostic = conflict.diagnostic();
        format!("{} ({})", diagnostic.summary(), hints(&diagnostic))
    });
    assert_eq!(
        found.as_deref().map_err(String::as_str),
        expected,
        "{before:?}"
    );
    if let Ok(after) = expected {
        let (value, _) = toml::entry(file, after, "servers", "us").unwrap().unwrap();
        assert_eq!(value, Value::Object(members()));
        assert!(after.starts_with(before), "{after:?}");
    }
}

#[test]
fn a_table_is_appended() {
    check("", Ok(ADDED));
    check("\u{feff}", Ok(&format!("\u{feff}{ADDED}")));
    check("a = 1\n", Ok(&format!("a = 1\n\n{ADDED}")));
    check("a = 1 # mine", Ok(&format!("a = 1 # mine\n\n{ADDED}")));
    check("# mine\n\n", Ok(&format!("# mine\n\n\n{ADDED}")));
    let other = "[servers.other] # mine\n  command='''\nx'''\n[servers.other.env]\nA=\"1\"\n[z]\n";
    check(other, Ok(&format!("{other}\n{ADDED}")));
    check("[servers]\n", Ok(&format!("[servers]\n\n{ADDED}")));
    check(
        "a = 1\r\n",
        Ok(&format!("a = 1\r\n\r\n{}", ADDED.replace('\n', "\r\n"))),
    );
    // Mixed line endings, possible in a multi-line string.
    let mixed = "a = '''\r\nx\ny'''\r\nb = 2\n";
    check(
        mixed,
        Ok(&format!("{mixed}\r\n{}", ADDED.replace('\n', "\r\n"))),
    );
}

#[test]
fn conflicts_are_reported() {
    let closed = "is written inline, so no entry can be added (write each of its \
                  entries as a table with its own header, [servers.NAME], then run this again)";
    check(
        "a = 1\nservers = {other = {command = \"x\"}}\n",
        Err(&format!("c.toml:2:11: /servers: {closed}")),
    );
    check(
        "servers = 1\n",
        Err(
            "c.toml:1:11: /servers: must be an object, but is a number (make it an object or remove \
             it, then run this again)",
        ),
    );
    check(
        "[[servers]]\n",
        Err(
            "c.toml:1:1: /servers: must be an object, but is an array (make it an object or remove \
             it, then run this again)",
        ),
    );
    check(
        "a = = 1\n",
        Err(
            "c.toml:1:5: not TOML: extra `=`, expected nothing (fix the file by hand, then run \
             this again)",
        ),
    );
}

#[test]
fn dotted_keys_are_read() {
    let text = "servers.us.command = \"x\"\nservers.us.n = 1.5\nservers.us.t = 1979-05-27\n";
    let found = toml::entry(Path::new("c.toml"), text, "servers", "us").unwrap();
    let (value, location) = found.unwrap();
    assert_eq!(value, json!({"command": "x", "n": 1.5, "t": "1979-05-27"}));
    assert_eq!(location.line, 1);
}
