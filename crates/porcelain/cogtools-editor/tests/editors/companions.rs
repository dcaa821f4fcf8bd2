//! The extensions of other agents. Each has one client: an answer to a second one is an answer
//! that the first one does not get, and a second connection may close the first.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// A companion that has found its agent or not: it listens, and says where in a private file.
fn companion(fixture: &Fixture, file: &str, content: impl Fn(u16) -> Value) -> TcpListener {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let file = fixture.path(&file.replace("PORT", &port.to_string()));
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, content(port).to_string()).expect("it is written");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("it is ours");
    listener.set_nonblocking(true).expect("a listener");
    listener
}

#[test]
fn companions_of_other_agents_are_left_alone() {
    let fixture = Fixture::new();
    let folder = fixture.path("project");
    let process = std::process::id();
    let gemini = companion(
        &fixture,
        &format!("gemini/ide/gemini-ide-server-{process}-PORT.json"),
        |port| json!({"port": port, "workspacePath": folder, "authToken": "token"}),
    );
    let claude = companion(&fixture, ".claude/ide/PORT.lock", |_| {
        json!({
            "pid": process,
            "workspaceFolders": [folder],
            "ideName": "VS Code",
            "transport": "ws",
            "authToken": "token",
        })
    });
    let port = |listener: &TcpListener| listener.local_addr().expect("it is bound").port();
    let fixture = fixture
        .set("GEMINI_CLI_IDE_SERVER_PORT", port(&gemini).to_string())
        .set("GEMINI_CLI_IDE_AUTH_TOKEN", "token")
        .set("CLAUDE_CODE_SSE_PORT", port(&claude).to_string());
    let reasons = [
        "GEMINI_CLI_IDE_SERVER_PORT: the companion of Gemini CLI serves Gemini CLI alone: run cogtools editor install",
        "CLAUDE_CODE_SSE_PORT: the companion of Claude Code serves Claude Code alone: run cogtools editor install",
    ];
    for request in [
        Request::SelectedText,
        Request::CurrentFile { path: None },
        Request::OpenFiles,
        Request::Diagnostics,
    ] {
        let (answer, said) = fixture.ask(&request);
        assert_eq!(
            (answer, said.as_slice()),
            (Value::Null, &reasons.map(str::to_owned)[..])
        );
    }
    for listener in [gemini, claude] {
        let none = listener.accept().expect_err("a connection was made");
        assert_eq!(none.kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn an_editor_that_answers_is_enough() {
    let fixture = Fixture::new().set("CLAUDE_CODE_SSE_PORT", "1");
    fixture.editor("socket", |_| json!({"result": {"text": "x"}}));
    fixture.discover(std::process::id(), "socket", "project");
    let (answer, reasons) = fixture.ask(&Request::SelectedText);
    assert_eq!(answer, json!(["Editor socket", {"text": "x"}]));
    assert_eq!(reasons, [""; 0]);
}
