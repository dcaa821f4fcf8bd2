//! Settings files that Gemini CLI reads, and fixes for those that it cannot.

use std::path::Path;

use cogtools_edit::jsonc;
use serde_json::json;

/// Checks that a file is refused with the message `why`, and its fixed text.
fn check(before: &str, why: &str, fixed: Option<&str>) {
    let file = Path::new("settings.json");
    let conflict = jsonc::read(file, before).unwrap_err();
    assert_eq!(conflict.to_string(), why, "{before:?}");
    assert_eq!(jsonc::repair(file, before).as_deref(), fixed, "{before:?}");
}

#[test]
fn comments_are_read() {
    let text = "// a\n{ /* b */ \"x\": [1, \"//\"] }\n// c\n";
    let value = jsonc::read(Path::new("s"), text);
    assert_eq!(value, Ok(json!({"x": [1, "//"]})));
    assert_eq!(jsonc::repair(Path::new("s"), text).as_deref(), Some(text));
}

#[test]
fn common_editor_artefacts_are_fixed() {
    let comma = "not JSON with comments: trailing commas are not allowed";
    check(
        "\u{feff}{\"a\": 1}\n",
        "begins with a byte order mark",
        Some("{\"a\": 1}\n"),
    );
    check("", "is empty, which is not JSON", Some("{}\n"));
    check("// c", "is empty, which is not JSON", Some("// c\n{}\n"));
    check(
        "{\"a\": [1, /* x */ ], // y\n \"b\": {}, // z\n}\n",
        comma,
        Some("{\"a\": [1 /* x */ ], // y\n \"b\": {} // z\n}\n"),
    );
}

#[test]
fn an_invalid_file_is_left_unchanged() {
    check(
        "{\"a\": }",
        "not JSON with comments: unexpected close brace",
        None,
    );
}
