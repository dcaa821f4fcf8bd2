//! The questions of `init` and `config`, asked at a real pseudo-terminal.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use cogtools_test_support::{Project, assert_text, str};

use crate::pseudo_terminal::Terminal;

/// The key that moves the cursor down.
const DOWN: &str = "\u{1b}[B";
/// The key that removes the character before the cursor.
const BACKSPACE: &str = "\u{7f}";

/// A project with a package that has a tool.
fn with_package() -> Project {
    let project = Project::new();
    project
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file(
            "node_modules/pk/tools/pk.yaml",
            "name: pk\ndescription: d\nimplementation: said\n",
        );
    project
}

#[test]
fn init_asks_for_hosts_and_packages_and_prints_the_command_line() {
    let project = with_package();
    let mut terminal = Terminal::open(&project, "cogtools init");
    terminal
        .answer("Which hosts", &format!("{} \r", DOWN.repeat(4)))
        .answer("the packages pk, too?", "\r")
        .answer("Write these files?", "y\r");
    let (status, rest) = terminal.end("the same without questions:");
    assert_eq!(status, Some(0));
    assert_text(
        &rest,
        str![[r#"

    cogtools init --defaults --host gemini,claude-code --packages

"#]],
    );
    let line = rest.trim().strip_prefix("cogtools init ");
    let other = with_package();
    crate::run("cogtools-init", &other)
        .args(line.expect("a command line").split(' '))
        .run()
        .text();
    assert_eq!(project.files(), other.files());
    for file in project.files() {
        assert_eq!(project.read(&file), other.read(&file), "{}", file.display());
    }
}

/// The table is offered, and what renews it only by the user's choice.
#[test]
fn init_offers_the_table_of_tools() {
    for (refresh, hook, options) in [
        ("\r".to_owned(), false, " --docs"),
        (format!("{DOWN}\r"), true, " --docs --docs-refresh git-hook"),
    ] {
        let project = Project::new();
        project
            .file("GEMINI.md", "# Context\n")
            .file("CLAUDE.md", "# Context\n")
            .dir(".git/hooks");
        let mut terminal = Terminal::open(&project, "git init -q . && cogtools init");
        terminal
            .answer("Which hosts", "\r")
            .answer("Write the table of tools into GEMINI.md?", "\r")
            .answer("When should the table be renewed?", &refresh)
            .answer("Write these files?", "y\r");
        let (status, rest) = terminal.end("the same without questions:");
        assert_eq!(status, Some(0));
        let line = format!("\n    cogtools init --defaults --host gemini{options}\n");
        assert_eq!(rest, line);
        assert!(project.read("GEMINI.md").contains("| `hello` |"));
        assert_eq!(project.read("CLAUDE.md"), "# Context\n");
        assert_eq!(project.path(".git/hooks/pre-commit").is_file(), hook);
    }
}

#[test]
fn escape_and_no_write_nothing() {
    for (answers, status) in [
        (&[("Which hosts", "\u{1b}")][..], 1),
        (&[("Which hosts", "\u{3}")], 130),
        (&[("Which hosts", "\r"), ("Write these files?", "n\r")], 0),
    ] {
        let project = Project::new();
        let mut terminal = Terminal::open(&project, "cogtools init");
        for (text, keys) in answers {
            terminal.answer(text, keys);
        }
        assert_eq!(terminal.end("").0, Some(status), "{answers:?}");
        assert_eq!(project.files(), Vec::<PathBuf>::new());
    }
}

#[test]
fn config_alone_leads_to_one_change() {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "# mine\nenv_priority: project\n");
    let mut terminal = Terminal::open(&project, "cogtools config");
    terminal
        .answer("Which key?", "env_pri\r")
        .answer("For whom?", "\r")
        .answer(
            "empty to remove",
            &format!("{}process\r", BACKSPACE.repeat(7)),
        )
        .answer("Write .cogtoolrc.yaml?", "\r");
    let (status, rest) = terminal.end("the same without questions:");
    assert_eq!(status, Some(0));
    assert_text(
        rest,
        str![[r#"

    cogtools config set env_priority process

"#]],
    );
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
# mine
env_priority: process

"#]],
    );
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let project = Project::new();
    crate::run("cogtools-config", &project)
        .run()
        .fails(2, str![[r#"
cogtools-config: error[USAGE]: 'cogtools-config' requires a subcommand but one was not provided [subcommands: list, get, set, unset, env]
hint: usage: cogtools-config [OPTIONS] <COMMAND>
hint: --help explains every option

"#]]);
    assert_eq!(project.files(), Vec::<PathBuf>::new());
}
