//! Snapshots in the environment.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

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
fn a_selection_is_cut_out_of_the_file_by_its_range() {
    let check = |range: &str, expected: Result<&str, ()>| {
        let fixture = Fixture::new();
        let path = fixture.path("project/a.rs");
        fs::write(&path, "one\nå🦀b\r\nthree").expect("it is written");
        let fixture = fixture.set("COGTOOLS_CURRENT_FILE", &path);
        let answer = fixture.set("COGTOOLS_SELECTION", range);
        let answer = answer.ask(&Request::SelectedText);
        let refusal = format!(
            "COGTOOLS_SELECTION: `{range}` is no range of the file: LINE:COLUMN-LINE:COLUMN, from 1"
        );
        let expected = match expected {
            Ok(text) => (
                json!(["environment", {"path": "[..]/project/a.rs", "text": text}]),
                vec![],
            ),
            Err(()) => (Value::Null, vec![refusal]),
        };
        assert_eq!(answer, expected);
    };
    check("1:1-1:4", Ok("one"));
    check("1:4-2:4", Ok("\nå🦀"));
    check("2:2-3:1", Ok("🦀b\r\n"));
    check("3:6-3:6", Ok(""));
    for range in ["", "2", "1:1", "0:1-1:1", "1:2-1:1", "3:1-3:9", "1:1-1:x"] {
        check(range, Err(()));
    }
}

/// Splits parameters as `IntelliJ` does, after it has replaced the macros.
fn intellij(parameters: &str, macros: &[(&str, &str)]) -> Vec<String> {
    let mut text = parameters.to_owned();
    for (name, value) in macros {
        text = text.replace(&format!("${name}$"), value);
    }
    let (mut words, mut word, mut quoted, mut any) = (vec![], String::new(), false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next_if_eq(&'"').is_some() => word.push('"'),
            '"' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}

#[test]
fn no_name_of_a_file_is_a_command_in_a_jetbrains_tool() {
    let xml = include_str!("../../src/print/jetbrains.xml");
    let option = |name: &str| {
        let rest = xml.split_once(&format!("name=\"{name}\" value=\""));
        let value = rest.and_then(|(_, rest)| rest.split_once("\" />"));
        let value = value.expect("it is there").0;
        value.replace("&quot;", "\"").replace("&lt;", "<")
    };
    let check = |name: &str, expected: Option<&str>| {
        let fixture = Fixture::new();
        let fake = "#!/bin/sh\necho \"$COGTOOLS_CURRENT_FILE\" \"$COGTOOLS_SELECTION\" \"$@\"\n";
        let program = fixture.path("cogtools");
        fs::write(&program, fake).expect("it is written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let macros = [
            ("SelectionStartLine", "1"),
            ("SelectionStartColumn", "2"),
            ("SelectionEndLine", "3"),
            ("SelectionEndColumn", "4"),
            ("FilePath", name),
        ];
        let path = std::env::join_paths([fixture.path(""), "/usr/bin".into(), "/bin".into()]);
        let output = Command::new(option("COMMAND"))
            .args(intellij(&option("PARAMETERS"), &macros))
            .env("PATH", path.expect("paths"))
            .current_dir(fixture.path("project"))
            .output()
            .expect("it runs");
        let words = "1:2-3:4 ask --editor Explain the selected text";
        let shown = expected.map(|path| format!("{path} {words}\n"));
        assert_eq!(
            (
                String::from_utf8_lossy(&output.stdout).into_owned(),
                output.status.code()
            ),
            (
                shown.unwrap_or_default(),
                Some(if expected.is_some() { 0 } else { 64 })
            ),
            "{name}"
        );
        assert_eq!(
            fixture.path("project").read_dir().expect("it is").count(),
            1
        );
    };
    check("/p/a b.rs", Some("/p/a b.rs"));
    check("/p/$(touch x);`touch x`'", Some("/p/$(touch x);`touch x`'"));
    check("/p/a\" touch \"x", None);
    check("/p/a\" -c \"touch x", None);
    check("/p/a\\", Some("/p/a\""));
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
