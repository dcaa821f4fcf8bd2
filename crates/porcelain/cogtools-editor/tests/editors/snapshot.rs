//! Snapshots in the environment.

use std::fs;

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[test]
fn editors_set_variables_for_what_they_start() {
    let check = |text: &str, file: &str| {
        let fixture = Fixture::new();
        let path = fixture.path("project/a.rs");
        fs::write(&path, "fn a() {}\n").expect("it is written");
        let fixture = fixture.set(text, "fn a()").set(file, &path);
        let (answer, _) = fixture.ask(&Request::SelectedText);
        let expected = json!({"path": "[..]/project/a.rs", "text": "fn a()"});
        assert_eq!(answer, json!(["environment", expected]));
        let (answer, _) = fixture.ask(&Request::CurrentFile { path: None });
        let expected = json!({"path": "[..]/project/a.rs", "text": "fn a() {}\n"});
        assert_eq!(answer, json!(["environment", expected]));
        let (answer, _) = fixture.ask(&Request::OpenFiles);
        assert_eq!(answer, Value::Null);
    };
    check("COGTOOLS_SELECTED_TEXT", "COGTOOLS_CURRENT_FILE");
    check("ZED_SELECTED_TEXT", "ZED_FILE");
    check("kak_selection", "kak_buffile");
}

#[test]
fn an_empty_selection_is_an_answer() {
    let fixture = Fixture::new()
        .set("ZED_SELECTED_TEXT", "")
        .set("ZED_FILE", "/x/a.rs")
        .set("ZED_ROW", "3")
        .set("ZED_COLUMN", "7");
    let expected = json!({"path": "/x/a.rs", "text": "", "start": {"line": 3, "column": 7}});
    let answer = fixture.ask(&Request::SelectedText);
    assert_eq!(answer, (json!(["environment", expected]), vec![]));
}

#[test]
fn a_file_that_cannot_be_read_is_no_answer() {
    let check = |name: &str, reason: &str| {
        let fixture = Fixture::new();
        fs::write(fixture.path("project/binary"), b"a\xff").expect("it is written");
        let path = fixture.path(name);
        let fixture = fixture.set("COGTOOLS_CURRENT_FILE", path);
        let reason = format!("COGTOOLS_CURRENT_FILE: `[..]/{name}` cannot be read: {reason}");
        assert_eq!(
            fixture.ask(&Request::CurrentFile { path: None }),
            (Value::Null, vec![reason])
        );
    };
    check("project/gone", "No such file or directory (os error 2)");
    check("project", "it is not a regular file");
    check("project/binary", "it is not UTF-8");
}

#[test]
fn a_long_file_is_cut_between_characters() {
    let fixture = Fixture::new();
    let path = fixture.path("project/long");
    fs::write(&path, format!("a{}", "ä".repeat(1 << 20))).expect("it is written");
    let fixture = fixture.set("COGTOOLS_CURRENT_FILE", path);
    let (answer, _) = fixture.ask(&Request::CurrentFile { path: None });
    let text = answer[1]["text"].as_str().expect("a text");
    assert_eq!(
        (text.len(), &answer[1]["truncated"]),
        ((1 << 20) - 1, &json!(true))
    );
}
