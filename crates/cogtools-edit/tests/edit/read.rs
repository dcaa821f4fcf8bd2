//! What Gemini CLI reads of a settings file, and what becomes of one it cannot.

use std::path::Path;

use cogtools_edit::jsonc;
use serde_json::json;

/// A file that cannot be read for `why`, and what it is mended to.
fn check(before: &str, why: &str, mended: Option<&str>) {
    let file = Path::new("settings.json");
    let refusal = jsonc::read(file, before).unwrap_err();
    assert_eq!(refusal.to_string(), why, "{before:?}");
    assert_eq!(jsonc::mend(file, before).as_deref(), mended, "{before:?}");
}

#[test]
fn comments_are_read() {
    let text = "// a\n{ /* b */ \"x\": [1, \"//\"] }\n// c\n";
    let value = jsonc::read(Path::new("s"), text);
    assert_eq!(value, Ok(json!({"x": [1, "//"]})));
    assert_eq!(jsonc::mend(Path::new("s"), text).as_deref(), Some(text));
}

#[test]
fn what_editors_leave_behind_is_mended() {
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
fn what_nobody_can_read_is_left_alone() {
    check(
        "{\"a\": }",
        "not JSON with comments: unexpected close brace",
        None,
    );
}
