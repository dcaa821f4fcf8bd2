//! The questions of `init` and `config`, asked at a real pseudo-terminal.

#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, assert_text, str};

use crate::programs;

/// A program at a terminal, which `script` opens for it.
pub(crate) struct Terminal {
    child: Child,
    screen: Arc<Mutex<Vec<u8>>>,
}

/// The key that moves the cursor down.
const DOWN: &str = "\u{1b}[B";
/// The key that removes the character before the cursor.
const BACKSPACE: &str = "\u{7f}";
/// How long an expected text may take.
const LIMIT: Duration = Duration::from_secs(30);

impl Terminal {
    /// Runs `line` in `project`.
    pub(crate) fn open(project: &Project, line: &str) -> Self {
        let path = std::env::join_paths([
            programs().to_path_buf(),
            PathBuf::from("/usr/bin"),
            PathBuf::from("/bin"),
        ]);
        let mut child = Command::new("/usr/bin/script")
            .args(["-qefc", line, "/dev/null"])
            .env_clear()
            .env("PATH", path.expect("paths without colons"))
            .env("HOME", project.home())
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("SHELL", "/bin/sh")
            .current_dir(project.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("util-linux has `script`");
        let screen = Arc::new(Mutex::new(Vec::new()));
        let mut output = child.stdout.take().expect("a pipe");
        let written = Arc::clone(&screen);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                written
                    .lock()
                    .expect("the screen")
                    .extend(&buffer[..length]);
            }
        });
        Self { child, screen }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().expect("the screen")).into_owned()
    }

    /// Types `keys` once `text` is on the screen.
    pub(crate) fn answer(&mut self, text: &str, keys: &str) -> &mut Self {
        let start = Instant::now();
        while !self.text().contains(text) {
            assert!(start.elapsed() < LIMIT, "no `{text}` in {:?}", self.text());
            thread::sleep(Duration::from_millis(20));
        }
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        for key in keys.split_inclusive(['\r', ' ', 'B']) {
            stdin.write_all(key.as_bytes()).expect("the program reads");
            thread::sleep(Duration::from_millis(50));
        }
        self
    }

    /// The exit status, and what is on the screen after `last`.
    pub(crate) fn end(mut self, last: &str) -> (Option<i32>, String) {
        let status = self.child.wait().expect("the program ends");
        // The reader may be a little behind.
        thread::sleep(Duration::from_millis(100));
        let text = self.text().replace('\r', "");
        let rest = text
            .rsplit_once(last)
            .map_or(text.as_str(), |(_, rest)| rest);
        (status.code(), rest.to_owned())
    }
}

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
