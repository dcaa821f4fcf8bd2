//! Which of several editors answers.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{self, Command};

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::Fixture;

const SELECTED: Request = Request::SelectedText;

/// A number that no process has.
const NOBODY: u32 = 4_194_305;

fn selects(request: &Value) -> Value {
    assert_eq!(
        *request,
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "get_selected_text",
            "params": {"max_bytes": 1 << 20},
        })
    );
    json!({"result": {
        "path": "/x/a.rs",
        "language": "rust",
        "text": "räv",
        "start": {"line": 2, "column": 1},
        "end": {"line": 2, "column": 4},
        "dirty": true,
        "unknown": 1,
    }})
}

fn other(_: &Value) -> Value {
    json!({"result": {"text": "other"}})
}

/// The answer of [`selects`] from the editor `name`.
fn selected(name: &str) -> Value {
    json!([name, {
        "path": "/x/a.rs",
        "language": "rust",
        "text": "räv",
        "start": {"line": 2, "column": 1},
        "end": {"line": 2, "column": 4},
        "dirty": true,
    }])
}

#[test]
fn the_variable_comes_first() {
    let fixture = Fixture::new();
    let socket = fixture.path("a.sock");
    let fixture = fixture.set("COGTOOLS_EDITOR", socket);
    fixture.editor("a.sock", selects);
    fixture.editor("b.sock", other);
    fixture.discover(process::id(), "b.sock", "project/deep");
    assert_eq!(fixture.ask(&SELECTED), (selected("editor"), vec![]));
}

#[test]
fn none_turns_all_off() {
    let fixture = Fixture::new().set("COGTOOLS_EDITOR", "none");
    fixture.editor("b.sock", other);
    fixture.discover(process::id(), "b.sock", "project");
    let fixture = fixture.set("COGTOOLS_SELECTED_TEXT", "text");
    let reason = "COGTOOLS_EDITOR: COGTOOLS_EDITOR is `none`".to_owned();
    assert_eq!(fixture.ask(&SELECTED), (Value::Null, vec![reason]));
}

#[test]
fn a_variable_of_another_window_or_of_a_closed_one_is_passed_over() {
    let elsewhere = |_: &Value| json!({"result": {"text": "x", "folders": ["/elsewhere"]}});
    let fixture = Fixture::new();
    let socket = fixture.path("a.sock");
    let fixture = fixture.set("COGTOOLS_EDITOR", socket);
    fixture.editor("b.sock", selects);
    fixture.discover(process::id(), "b.sock", "project");
    let gone = "COGTOOLS_EDITOR: there is no socket at `[..]/a.sock`".to_owned();
    let expected = selected("Editor b.sock");
    assert_eq!(fixture.ask(&SELECTED), (expected.clone(), vec![gone]));
    fixture.editor("a.sock", elsewhere);
    let other = "COGTOOLS_EDITOR: none of its folders contains `[..]/project/deep`".to_owned();
    assert_eq!(fixture.ask(&SELECTED), (expected, vec![other]));
}

#[test]
fn the_window_of_another_project_shows_nothing() {
    let elsewhere = |request: &Value| {
        assert_eq!(request["method"], "get_selected_text");
        json!({"result": {"text": "x", "folders": ["/elsewhere"]}})
    };
    let fixture = Fixture::new();
    let socket = fixture.path("a.sock");
    let fixture = fixture.set("COGTOOLS_EDITOR", socket);
    fixture.editor("a.sock", elsewhere);
    let path = fixture.path("project/deep/x.txt");
    let content = "bye\n".to_owned();
    let reason = "COGTOOLS_EDITOR: none of its folders contains `[..]/project/deep`".to_owned();
    for request in [
        Request::OpenFile {
            path: path.clone(),
            line: 1,
        },
        Request::ProposeEdit {
            path,
            content,
            hash: None,
        },
    ] {
        let expected = (Value::Null, vec![reason.clone()]);
        assert_eq!(fixture.ask(&request), expected);
    }
}

#[test]
fn the_deepest_folder_wins() {
    let fixture = Fixture::new();
    fixture.editor("a.sock", other);
    fixture.editor("b.sock", selects);
    fixture.editor("c.sock", other);
    fixture.discover(1, "a.sock", "");
    fixture.discover(process::id(), "b.sock", "project");
    let parent = std::os::unix::process::parent_id();
    fixture.discover(parent, "c.sock", "project/other");
    let reason = "none of its folders contains `[..]/project/deep`";
    let reason = format!("[..]/run/cogtools/editor/{parent}.json: {reason}");
    assert_eq!(
        fixture.ask(&SELECTED),
        (selected("Editor b.sock"), vec![reason])
    );
}

#[test]
fn two_windows_of_one_folder_are_an_error_that_names_both() {
    let fixture = Fixture::new();
    fixture.editor("a.sock", other);
    fixture.editor("b.sock", selects);
    fixture.discover(1, "a.sock", "project");
    fixture.discover(process::id(), "b.sock", "project");
    let error = fixture.ask_from(&SELECTED, "project").expect_err("two");
    let message = format!(
        "Editor a.sock (process 1) and Editor b.sock (process {}) have the same folder open",
        process::id()
    );
    assert_eq!(error.to_string(), message);
    assert_eq!(error.socket(), fixture.path("a.sock"));
    // One that has closed is no window.
    fs::remove_file(fixture.path("a.sock")).expect("it is there");
    let gone = "[..]/run/cogtools/editor/1.json: there is no socket at `[..]/a.sock`".to_owned();
    assert_eq!(
        fixture.ask(&SELECTED),
        (selected("Editor b.sock"), vec![gone])
    );
}

/// Why no editor answers after `spoil`; `ID` stands for the number of this process.
#[track_caller]
fn check(spoil: fn(&Fixture), reason: &str) {
    let fixture = Fixture::new();
    fixture.editor("a.sock", other);
    spoil(&fixture);
    assert_eq!(
        fixture.ask(&SELECTED),
        (
            Value::Null,
            vec![reason.replace("ID", &process::id().to_string())]
        )
    );
}

#[test]
fn files_that_are_not_the_users_own_are_not_read() {
    check(
        |fixture| {
            let file = fixture.discover(process::id(), "a.sock", "project");
            fs::set_permissions(file, Permissions::from_mode(0o666)).expect("it is ours");
        },
        "[..]/run/cogtools/editor/ID.json: `[..]/run/cogtools/editor/ID.json` can be written by other users",
    );
    check(
        |fixture| {
            fixture.discover(process::id(), "a.sock", "project");
            let folder = fixture.path("run/cogtools");
            fs::set_permissions(folder, Permissions::from_mode(0o777)).expect("it is ours");
        },
        "[..]/run/cogtools/editor: `[..]/run/cogtools` can be written by other users",
    );
    check(
        |fixture| {
            let file = fixture.discover(process::id(), "a.sock", "project");
            let target = fixture.path("file.json");
            fs::rename(&file, &target).expect("it is moved");
            symlink(target, file).expect("a link");
        },
        "[..]/run/cogtools/editor/ID.json: Too many levels of symbolic links (os error 40)",
    );
    check(
        |fixture| {
            fixture.discover(NOBODY, "a.sock", "project");
        },
        "[..]/run/cogtools/editor/4194305.json: process 4194305 has ended",
    );
}

#[test]
fn files_that_are_not_valid_are_not_used() {
    check(
        |fixture| {
            fixture.discover_as(process::id(), "{}");
        },
        "[..]/run/cogtools/editor/ID.json: `[..]/run/cogtools/editor/ID.json` is not valid: missing field `socket` at line 1 column 2",
    );
    check(
        |fixture| {
            let text = format!(
                "{{\"socket\": \"a.sock\", \"name\": \"{}\"}}",
                " ".repeat(70_000)
            );
            fixture.discover_as(process::id(), &text);
        },
        "[..]/run/cogtools/editor/ID.json: `[..]/run/cogtools/editor/ID.json` is not valid: it is larger than 65536 bytes",
    );
    check(
        |fixture| {
            fixture.discover_as(
                process::id(),
                "{\"socket\": \"a.sock\", \"folders\": [\"/\"]}",
            );
        },
        "[..]/run/cogtools/editor/ID.json: `[..]/run/cogtools/editor/ID.json` is not valid: `socket` is not absolute",
    );
}

#[test]
fn a_pipe_is_not_waited_for() {
    let fixture = Fixture::new();
    let pipe = fixture.path(&format!("run/cogtools/editor/{}.json", process::id()));
    let made = Command::new("mkfifo")
        .args(["-m", "600"])
        .arg(pipe)
        .status();
    assert!(made.expect("mkfifo runs").success());
    let (answer, reasons) = fixture.ask(&SELECTED);
    assert_eq!(answer, Value::Null);
    let name = format!("[..]/run/cogtools/editor/{}.json", process::id());
    assert_eq!(
        reasons,
        [format!(
            "{name}: `{name}` cannot be read: it is not a regular file"
        )]
    );
}
