//! Programs at a real pseudo-terminal, at which a test types.

#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::Project;

use crate::programs;

/// A program at a terminal, which `script` opens for it.
pub(crate) struct Terminal {
    child: Child,
    keys: Arc<Mutex<ChildStdin>>,
    written: Arc<Mutex<Written>>,
}

/// The text that a program has written.
struct Written {
    bytes: Vec<u8>,
    screen: vt100::Parser,
}

/// The size of the screen: conversations fit on it.
const ROWS: NonZeroU16 = NonZeroU16::new(60).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(80).unwrap();

/// The question for the position of the cursor, which a terminal answers.
const POSITION: &[u8] = b"\x1b[6n";

/// The time limit for an expected text.
const LIMIT: Duration = Duration::from_mins(1);

impl Terminal {
    /// Runs `line` in `project`.
    pub(crate) fn open(project: &Project, line: &str) -> Self {
        Self::open_with(project, line, &[])
    }

    /// A terminal with the programs in `more` on PATH.
    pub(crate) fn open_with(project: &Project, line: &str, more: &[&Path]) -> Self {
        let system = [programs(), Path::new("/usr/bin"), Path::new("/bin")];
        let path = std::env::join_paths(more.iter().chain(&system));
        let mut child = Command::new("/usr/bin/script")
            .args(["-qefc"])
            .arg(format!("stty rows {ROWS} cols {COLUMNS}; {line}"))
            .arg("/dev/null")
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
        let written = Arc::new(Mutex::new(Written {
            bytes: Vec::new(),
            screen: vt100::Parser::new(ROWS, COLUMNS, 0),
        }));
        let mut output = child.stdout.take().expect("a pipe");
        let keys = Arc::new(Mutex::new(child.stdin.take().expect("a pipe")));
        let (writer, answers) = (Arc::clone(&written), Arc::clone(&keys));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                let mut written = writer.lock().expect("the screen");
                let replies = written.push(&buffer[..length]);
                drop(written);
                // A program that has ended needs no answer.
                let _ = answers.lock().expect("the keys").write_all(&replies);
            }
        });
        Self {
            child,
            keys,
            written,
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().expect("the screen").bytes).into_owned()
    }

    /// The text on the screen, without blanks and empty lines at the end.
    pub(crate) fn screen(&self) -> String {
        let written = self.written.lock().expect("the screen");
        let contents = written.screen.screen().contents();
        let lines: Vec<&str> = contents.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Types `keys` once the screen ends with `end`.
    pub(crate) fn at(&mut self, end: &str, keys: &str) -> &mut Self {
        let start = Instant::now();
        while !self.screen().ends_with(end) {
            let shown = self.screen();
            assert!(start.elapsed() < LIMIT, "no `{end}` at the end of\n{shown}");
            thread::sleep(Duration::from_millis(20));
        }
        self.type_keys(keys)
    }

    /// The terminal is gone, as when its window is closed.
    pub(crate) fn hang_up(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("a status");
    }

    /// The exit status, and the text on the screen at the end.
    pub(crate) fn end_screen(mut self) -> (Option<i32>, String) {
        (self.wait(), self.screen())
    }

    /// Waits for the exit status and the rest of the output.
    fn wait(&mut self) -> Option<i32> {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                break status;
            }
            if start.elapsed() > LIMIT {
                let _ = self.child.kill();
                panic!("it does not end:\n{}", self.screen());
            }
            thread::sleep(Duration::from_millis(20));
        };
        // The reader may be a little behind.
        thread::sleep(Duration::from_millis(100));
        status.code()
    }

    /// Types `keys` once `text` is on the screen.
    pub(crate) fn answer(&mut self, text: &str, keys: &str) -> &mut Self {
        let start = Instant::now();
        while !self.text().contains(text) {
            assert!(start.elapsed() < LIMIT, "no `{text}` in {:?}", self.text());
            thread::sleep(Duration::from_millis(20));
        }
        self.type_keys(keys)
    }

    /// Types `keys` at once, whatever is on the screen.
    pub(crate) fn type_keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_inclusive(['\r', ' ', 'B']) {
            let mut stdin = self.keys.lock().expect("the keys");
            stdin.write_all(key.as_bytes()).expect("the program reads");
            drop(stdin);
            thread::sleep(Duration::from_millis(50));
        }
        self
    }

    /// The exit status, and the text on the screen after `last`; all of it
    /// if that is empty.
    pub(crate) fn end(mut self, last: &str) -> (Option<i32>, String) {
        let status = self.wait();
        let text = self.text().replace('\r', "");
        let rest = match text.rsplit_once(last) {
            Some((_, rest)) if !last.is_empty() => rest,
            _ => text.as_str(),
        };
        (status, rest.to_owned())
    }
}

impl Written {
    /// Adds what was written, and returns what a terminal answers to it.
    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        // A question may have begun in what was read before.
        let start = self.bytes.len().saturating_sub(POSITION.len() - 1);
        self.bytes.extend(bytes);
        self.screen.process(bytes);
        let rest = &self.bytes[start..];
        let questions = rest
            .windows(POSITION.len())
            .filter(|window| *window == POSITION);
        let (row, column) = self.screen.screen().cursor_position();
        let answer = format!("\x1b[{};{}R", row + 1, column + 1);
        answer.repeat(questions.count()).into_bytes()
    }
}
