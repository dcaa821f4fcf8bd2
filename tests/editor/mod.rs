//! The source `editor`: the editor around the terminal, asked by the installed programs.

#![cfg(unix)]

mod ask;
mod cost;
mod language;
mod peer;
mod program;
mod real;
mod vscode;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use cogtools_test_support::{Outcome, Project, Run, str};
use serde_json::{Value, json};

use crate::{groups, programs, run};
use peer::Peer;

/// A project with the source.
fn project() -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [editor]\n")
        .file("src/main.rs", "fn main() {}\n");
    project
}

fn call(project: &Project, tool: &str) -> Run {
    run("cogtools-call", project).arg(tool).stdin("{}")
}

/// A call with the editor of `peer` in the variable.
fn ask(peer: &Peer, project: &Project, tool: &str) -> Outcome {
    call(project, tool)
        .env("COGTOOLS_EDITOR", peer.socket())
        .run()
}

#[test]
fn what_is_declared() {
    run("cogtools-list", &project()).run().outputs(str![[r#"
NAME               SOURCE  FILE                       TOKENS  NOTES
get_current_file   editor  editor: get_current_file      115
get_diagnostics    editor  editor: get_diagnostics        55
get_open_files     editor  editor: get_open_files         63
get_selected_text  editor  editor: get_selected_text      73
propose_edit       editor  editor: propose_edit          355

5 tools, about 661 tokens with every request

"#]]);
}

#[test]
fn no_change_is_proposed_through_a_link_to_nothing() {
    let project = project();
    symlink("../outside/none", project.path("out")).expect("a link");
    symlink("none", project.path("dangling")).expect("a link");
    for (path, message) in [
        ("out", "`out` is outside the project"),
        (
            "dangling",
            "`dangling` cannot be changed: the link `dangling` points to `none`, which does not exist",
        ),
    ] {
        let arguments = json!({"path": path, "content": "x"}).to_string();
        let outcome = run("cogtools-call", &project)
            .arg("propose_edit")
            .stdin(arguments)
            .run();
        outcome.status(1).stdout_is("");
        outcome.stderr_contains(message);
    }
}

#[test]
fn without_an_editor_nothing_is_selected() {
    let project = project();
    let none = |tool: &str, expected: &str| {
        call(&project, tool).run().outputs(expected);
    };
    none("get_selected_text", "{\"text\":\"\",\"source\":\"none\"}\n");
    none("get_current_file", "{\"text\":\"\",\"source\":\"none\"}\n");
    none("get_open_files", "{\"files\":[],\"source\":\"none\"}\n");
    none(
        "get_diagnostics",
        "{\"diagnostics\":[],\"source\":\"none\"}\n",
    );
    run("cogtools-call", &project)
        .arg("propose_edit")
        .stdin("{\"path\": \"src/main.rs\", \"content\": \"\"}")
        .run()
        .fails(
            1,
            str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: no editor can show a change
hint: cogtools editor status explains which editor answers

"#]],
        );
}

#[test]
fn the_selection_of_an_editor_is_the_answer() {
    let project = project();
    let peer = Peer::start(|_| {
        json!({"result": {
            "name": "Test",
            "path": "src/main.rs",
            "text": "main\u{1b}[31m",
            "start": {"line": 1, "column": 4},
            "end": {"line": 1, "column": 8},
            "dirty": true,
        }})
    });
    ask(&peer, &project, "get_selected_text").outputs(str![[r#"
{"path":"src/main.rs","text":"main\u001b[31m","start":{"line":1,"column":4},"end":{"line":1,"column":8},"dirty":true,"source":"Test"}

"#]]);
    // In the project's own words, wherever it is.
    let root = project.root().display().to_string();
    let path = json!({"result": {"path": format!("{root}/src/main.rs"), "text": "x"}});
    let peer = Peer::start(move |_| path.clone());
    ask(&peer, &project, "get_current_file").outputs(str![[r#"
{"path":"src/main.rs","text":"x","hash":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","source":"editor"}

"#]]);
}

#[test]
fn files_with_secrets_are_not_read() {
    let project = project();
    project.file(".env", "TOKEN=1\n");
    symlink(project.path(".env"), project.path("notes.txt")).expect("a link");
    let answer = |name: &str| {
        let path = project.path(name).display().to_string();
        Peer::start(move |request| match request["method"].as_str() {
            Some("get_diagnostics") => json!({"result": {"diagnostics": [
                {"path": path, "line": 1, "column": 1, "severity": "error", "message": "TOKEN=1"},
            ]}}),
            _ => json!({"result": {"path": path, "text": "TOKEN=1"}}),
        })
    };
    for name in [".env", "notes.txt"] {
        for tool in ["get_selected_text", "get_current_file"] {
            let message = format!(
                "cogtools-call: error[TOOL_FAILED]: {tool}: `{name}` may contain secrets and is not read\n"
            );
            ask(&answer(name), &project, tool).fails(1, message);
        }
        ask(&answer(name), &project, "get_diagnostics")
            .outputs("{\"diagnostics\":[],\"source\":\"editor\"}\n");
    }
}

#[test]
fn verbose_says_why_an_editor_did_not_answer() {
    call(&project(), "get_selected_text")
        .arg("--verbose")
        .env("COGTOOLS_EDITOR", "/gone")
        .env("NVIM", "gone")
        .env("INSIDE_EMACS", "28.2,comint")
        .run()
        .expect(
            0,
            "{\"text\":\"\",\"source\":\"none\"}\n",
            str![[r#"
cogtools-call: get_selected_text: editor: get_selected_text
cogtools-call: get_selected_text: the tool logged:
  | COGTOOLS_EDITOR: there is no socket at `/gone`
  | NVIM: `gone` is not the path of a socket
  | INSIDE_EMACS: it has no server: load the output of cogtools editor print emacs

"#]],
        );
}

#[test]
fn two_windows_are_an_error_that_names_both() {
    let project = project();
    let peers = ["One", "Two"].map(|name| {
        let peer = Peer::start(|_| json!({"result": {"text": "x"}}));
        peer.discover(&project, name);
        peer
    });
    let [one, two] = &peers;
    call(&project, "get_selected_text")
        .env("XDG_RUNTIME_DIR", project.path("../run"))
        .redact(one.socket(), "SOCKET")
        .redact(format!("process {}", one.pid()), "process 1")
        .redact(format!("process {}", two.pid()), "process 2")
        .run()
        .fails(78, str![[r#"
cogtools-call: error[AMBIGUOUS_EDITOR]: get_selected_text: One (process 1) and Two (process 2) have the same folder open
hint: close one of the windows, or call from a terminal in the one that is meant
hint: or set COGTOOLS_EDITOR=SOCKET

"#]]);
}

/// A project must not choose whose text a model reads.
#[test]
fn a_project_cannot_redirect_the_editor() {
    let project = project();
    let peer = Peer::start(|_| json!({"result": {"text": "of the project"}}));
    let line = format!("COGTOOLS_EDITOR={0}\nNVIM={0}\n", peer.socket().display());
    project.file(".env", &line);
    let none = "{\"text\":\"\",\"source\":\"none\"}\n";
    call(&project, "get_selected_text").run().outputs(none);
    // A host has loaded the file.
    ask(&peer, &project, "get_selected_text").outputs(none);
    project.file(".env", "COGTOOLS_SELECTED_TEXT=lie\nXDG_RUNTIME_DIR=.\n");
    call(&project, "get_selected_text")
        .env("COGTOOLS_SELECTED_TEXT", "lie")
        .run()
        .outputs(none);
}

#[test]
fn proposals_are_for_files_of_the_project() {
    let project = project();
    let peer = Peer::start(|request| {
        let accepted = request["params"]["content"] == "new\n";
        json!({"result": {"accepted": accepted}})
    });
    let propose = |path: &str, content: &str| {
        run("cogtools-call", &project)
            .arg("propose_edit")
            .stdin(json!({"path": path, "content": content}).to_string())
            .env("COGTOOLS_EDITOR", peer.socket())
            .run()
    };
    propose("src/main.rs", "new\n").outputs(str![[r#"
{"outcome":"accepted","hash":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","source":"editor"}

"#]]);
    propose("src/new.rs", "other\n").outputs(str![[r#"
{"outcome":"rejected","source":"editor"}

"#]]);
    propose("../other", "").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `../other` is outside the project
hint: name a path relative to the project's folder

"#]],
    );
    propose(".env", "").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `.env` may contain secrets and is not read

"#]],
    );
    symlink("/etc", project.path("etc")).expect("a link");
    propose("etc/passwd", "").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: propose_edit: `etc/passwd` is outside the project
hint: name a path relative to the project's folder

"#]],
    );
    let file = project.path("src/main.rs");
    let last: Value = peer.last();
    assert_eq!(
        last["params"]["path"],
        project.path("src/new.rs").display().to_string()
    );
    assert_eq!(
        std::fs::read_to_string(file).expect("it is there"),
        "fn main() {}\n"
    );
}

/// An editor that is busy may have changes of the file.
#[test]
fn a_text_is_the_saved_one_if_the_editor_fails() {
    let project = project();
    let peer = Peer::start(|_| json!({"error": {"code": -32603, "message": "busy"}}));
    run("cogtools-call", &project)
        .args(["--verbose", "get_current_file"])
        .stdin("{\"path\": \"src/main.rs\"}")
        .env("COGTOOLS_EDITOR", peer.socket())
        .run()
        .expect(
            0,
            str![[r#"
{"path":"src/main.rs","text":"fn main() {}\n","hash":"536e506bb90914c243a12b397b9a998f85ae2cbd9ba02dfd03a9e155ca5ca0f4","source":"file"}

"#]],
            str![[r#"
cogtools-call: get_current_file: editor: get_current_file
cogtools-call: get_current_file: the tool logged:
  | COGTOOLS_EDITOR: it answered: busy

"#]],
        );
}

#[test]
fn texts_that_an_editor_would_change_elsewhere_are_refused() {
    let project = project();
    let peer = Peer::start(|_| json!({"result": {"text": ""}}));
    let check = |text: &str, new: &str, reason: &str| {
        project.file("a.txt", text);
        let arguments = json!({"path": "a.txt", "edits": [{"old": "a", "new": new}]});
        let outcome = run("cogtools-call", &project)
            .arg("propose_edit")
            .stdin(arguments.to_string())
            .env("COGTOOLS_EDITOR", peer.socket())
            .run();
        let message = format!(
            "cogtools-call: error[TOOL_FAILED]: propose_edit: `a.txt` cannot be changed: {reason}"
        );
        outcome.status(1).stdout_is("").stderr_contains(&message);
    };
    check("a\r\nb\n", "c", "its line ends are mixed");
    check("a\rb\r", "c", "its line ends are mixed");
    check("a\n", "\0", "a text with a null character is not shown");
}

/// A proposal must not be accepted for nobody.
#[test]
fn a_proposal_ends_with_its_program() {
    for signal in ["TERM", "INT", "KILL"] {
        let project = project();
        let socket = project.path("../editor.sock");
        let listener = UnixListener::bind(&socket).expect("a socket");
        let mut call = Command::new(programs().join("cogtools-call"))
            .arg("propose_edit")
            .current_dir(project.root())
            .env("HOME", project.home())
            .env("COGTOOLS_EDITOR", &socket)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut stdin = call.stdin.take().expect("a pipe");
        stdin
            .write_all(b"{\"path\": \"src/main.rs\", \"content\": \"new\"}")
            .expect("it is written");
        drop(stdin);
        let mut streams = listener.incoming();
        let mut next = || {
            let stream = streams.next().expect("a connection").expect("a connection");
            let mut reader = BufReader::new(stream);
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            (reader, line)
        };
        // The file, and whether its window is that of the project.
        for method in ["get_current_file", "get_selected_text"] {
            let (mut reader, line) = next();
            assert!(line.contains(method), "{line}");
            let answer = b"{\"id\": 1, \"result\": {\"text\": \"\"}}\n";
            reader.get_mut().write_all(answer).expect("it is sent");
        }
        let (mut reader, line) = next();
        assert!(line.contains("propose_edit"), "{line}");
        groups::signal(signal, call.id());
        // The connection ends.
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).expect("an end");
        assert_eq!(rest, b"");
        call.wait().expect("it ends");
    }
}
