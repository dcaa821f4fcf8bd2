//! `cogtools editor`, and what the doctor says.

use std::fs;
use std::process::Command;

use cogtools_test_support::{Project, Run, str};
use serde_json::{Value, json};

use super::peer::Peer;
use super::project;
use crate::{programs, run};

fn editor(project: &Project, args: &[&str]) -> Run {
    run("cogtools-editor", project).args(args)
}

#[test]
fn the_status_says_who_answers_and_why_not_another() {
    let project = project();
    editor(&project, &["status"]).run().outputs(str![[r#"
no editor answers

Neovim answers in its terminal. For VS Code: cogtools editor install
For Emacs: cogtools editor print emacs

"#]]);
    let peer = Peer::start(|_| json!({"result": {"name": "Test\u{1b}[2J", "files": []}}));
    let status = |args: &[&str]| {
        editor(&project, args)
            .env("COGTOOLS_EDITOR", "/gone")
            .env("XDG_RUNTIME_DIR", project.path("../run"))
            .redact(format!("/{}.json", peer.pid()), "/PID.json")
            .run()
    };
    peer.discover(&project, "One");
    status(&["status"]).outputs(str![[r#"
Test[2J answers, found by [ROOT]/../run/cogtools/editor/PID.json
  COGTOOLS_EDITOR: there is no socket at `/gone`

"#]]);
    status(&["status", "--json"]).outputs(str![[r#"
{
  "editor": "Test[2J",
  "by": "[ROOT]/../run/cogtools/editor/PID.json",
  "attempts": [
    {
      "by": "COGTOOLS_EDITOR",
      "reason": "there is no socket at `/gone`"
    }
  ]
}

"#]]);
    editor(&project, &["status"])
        .env("COGTOOLS_EDITOR", "none")
        .run()
        .outputs(str![[r#"
no editor answers
  COGTOOLS_EDITOR: COGTOOLS_EDITOR is `none`

Neovim answers in its terminal. For VS Code: cogtools editor install
For Emacs: cogtools editor print emacs

"#]]);
}

#[test]
fn the_extension_is_installed_by_each_editor_on_the_path() {
    let project = project();
    let script = "#!/bin/sh\necho \"$@\" >> ../ran\ncp \"$2\" ../installed\n";
    project
        .program("../bin/code", script)
        .program("../bin/codium", script);
    editor(&project, &["install"])
        .path(project.path("../bin"))
        .run()
        .outputs("installed in code\ninstalled in codium\n");
    let ran = project
        .read("../ran")
        .replace(&project.home().display().to_string(), "HOME");
    let line = "--install-extension HOME/.local/state/cogtools/cogtools.vsix --force\n";
    assert_eq!(ran, line.repeat(2));
    editor(&project, &["install", "--to", "x.vsix"])
        .run()
        .outputs("wrote x.vsix\n");
    let written = fs::read(project.path("x.vsix")).expect("it is there");
    assert_eq!(
        fs::read(project.path("../installed")).expect("it is there"),
        written
    );
    // As others read it.
    let list = Command::new("python3")
        .args(["-m", "zipfile", "-l", "x.vsix"])
        .current_dir(project.root())
        .output()
        .expect("Python is installed");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let names: Vec<&str> = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(
        names,
        [
            "[Content_Types].xml",
            "extension.vsixmanifest",
            "extension/package.json",
            "extension/extension.js",
            "extension/language.js",
            "extension/proposals.js",
            "extension/LICENSE.txt",
        ]
    );
}

#[test]
fn lines_are_counted_from_one() {
    let outcome = editor(&project(), &["open", "src/main.rs", "--line", "0"]).run();
    outcome.status(2).stderr_contains("0 is not in 1..");
}

#[test]
fn an_installation_that_fails_says_why() {
    let project = project();
    editor(&project, &["install", "code"])
        .path(project.path("../bin"))
        .run()
        .fails(
            1,
            str![[r#"
cogtools-editor: error[UNKNOWN_PROGRAM]: `code` is not on PATH
hint: write the extension with --to FILE, and install it in the editor
hint: Neovim needs no extension: cogtools editor print neovim

"#]],
        );
    project.program(
        "../bin/code",
        "#!/bin/sh\necho >&2\necho broken >&2\nexit 3\n",
    );
    // The others have it nevertheless.
    project.program("../bin/codium", "#!/bin/sh\n");
    editor(&project, &["install"])
        .path(project.path("../bin"))
        .run()
        .expect(
            1,
            "installed in codium\n",
            str![[r#"
cogtools-editor: error[TOOL_FAILED]: `code --install-extension` exited with status 3
hint: it printed: broken

"#]],
        );
    // The project's own programs are not those of the user.
    project.program("bin/codium", "#!/bin/sh\ntouch ../ran\n");
    editor(&project, &["install", "codium"])
        .path(project.path("bin"))
        .run()
        .fails(
            1,
            str![[r#"
cogtools-editor: error[UNKNOWN_PROGRAM]: `codium` is not on PATH
hint: write the extension with --to FILE, and install it in the editor
hint: Neovim needs no extension: cogtools editor print neovim

"#]],
        );
    assert!(!project.path("../ran").exists());
    project.dir("x.vsix");
    editor(&project, &["install", "--to", "x.vsix"])
        .run()
        .fails(
            74,
            str![[r#"
cogtools-editor: error[IO_FAILED]: `x.vsix` cannot be written: Is a directory (os error 21)

"#]],
        );
}

/// The printed setting is valid where a parser is at hand.
#[test]
fn what_connects_an_editor_is_printed() {
    let project = project();
    let print = |name: &str| editor(&project, &["print", name]).run().text();
    for name in ["vscode", "zed"] {
        let text = print(name);
        let json: String = text
            .lines()
            .filter(|line| !line.starts_with("//"))
            .collect();
        let value: Value = serde_json::from_str(&json).expect("it is JSON with comments");
        assert!(value.to_string().contains("--editor"), "{name}");
    }
    project.file("neovim.lua", print("neovim"));
    let neovim = Command::new("nvim")
        .args([
            "--headless",
            "--clean",
            "-c",
            "luafile neovim.lua",
            "-c",
            "qa",
        ])
        .current_dir(project.root())
        .env("HOME", project.home())
        .output()
        .expect("Neovim is installed");
    assert!(
        neovim.status.success() && neovim.stderr.is_empty(),
        "{neovim:?}"
    );
    project.file("emacs.el", print("emacs"));
    let check = "(check-parens)";
    let emacs = Command::new("emacs")
        .args(["-Q", "--batch", "emacs.el", "--eval", check])
        .current_dir(project.root())
        .env("HOME", project.home())
        .output()
        .expect("Emacs is installed");
    assert!(emacs.status.success(), "{emacs:?}");
    for name in ["jetbrains", "kakoune"] {
        assert!(print(name).contains("cogtools ask"), "{name}");
    }
    editor(&project, &["print", "ed"]).run().fails(2, str![[r#"
cogtools-editor: error[USAGE]: invalid value 'ed' for '<EDITOR>' [possible values: emacs, jetbrains, kakoune, neovim, vscode, zed]
hint: usage: cogtools-editor [OPTIONS] [COMMAND]
hint: --help explains every option

"#]]);
}

#[test]
fn the_doctor_says_who_answers() {
    let project = project();
    let section = |editor: Option<&Peer>| {
        let mut doctor = Command::new(programs().join("cogtools-doctor"));
        doctor
            .args(["--format", "json"])
            .current_dir(project.root())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", project.home());
        if let Some(editor) = editor {
            doctor.env("COGTOOLS_EDITOR", editor.socket());
        }
        let outcome = doctor.output().expect("it runs").stdout;
        let report: Value = serde_json::from_slice(&outcome).expect("it is JSON");
        let findings = report["findings"].as_array().expect("a list").clone();
        let mut findings = findings.into_iter().filter(|one| one["check"] == "editor");
        findings.next().unwrap_or_default()
    };
    let peer = Peer::start(|_| json!({"result": {"files": []}}));
    assert_eq!(
        section(Some(&peer)),
        json!({
            "check": "editor",
            "state": "ok",
            "message": "editor answers, found by COGTOOLS_EDITOR",
            "fixable": false,
        })
    );
    assert_eq!(
        section(None),
        json!({
            "check": "editor",
            "state": "warning",
            "message": "no editor answers here",
            "hint": "run it in a terminal of the editor; VS Code needs `cogtools editor install`",
            "fixable": false,
        })
    );
    project.remove(".cogtoolrc.yaml");
    assert_eq!(section(None), Value::Null);
}
