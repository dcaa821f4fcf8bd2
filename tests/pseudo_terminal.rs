//! Programs at a real pseudo-terminal, at which a test types.

#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::Project;

use crate::programs;

/// A program at a terminal, which `script` opens for it.
pub(crate) struct Terminal {
    child: Child,
    screen: Arc<Mutex<Vec<u8>>>,
}

/// How long an expected text may take.
const LIMIT: Duration = Duration::from_mins(1);

impl Terminal {
    /// Runs `line` in `project`.
    pub(crate) fn open(project: &Project, line: &str) -> Self {
        Self::open_with(project, line, &[])
    }

    /// The same with the programs in `more` on PATH.
    pub(crate) fn open_with(project: &Project, line: &str, more: &[&Path]) -> Self {
        let system = [programs(), Path::new("/usr/bin"), Path::new("/bin")];
        let path = std::env::join_paths(more.iter().chain(&system));
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

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().expect("the screen")).into_owned()
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
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        for key in keys.split_inclusive(['\r', ' ', 'B']) {
            stdin.write_all(key.as_bytes()).expect("the program reads");
            thread::sleep(Duration::from_millis(50));
        }
        self
    }

    /// The exit status, and what is on the screen after `last`; all of it
    /// if that is empty.
    pub(crate) fn end(mut self, last: &str) -> (Option<i32>, String) {
        let status = self.child.wait().expect("the program ends");
        // The reader may be a little behind.
        thread::sleep(Duration::from_millis(100));
        let text = self.text().replace('\r', "");
        let rest = match text.rsplit_once(last) {
            Some((_, rest)) if !last.is_empty() => rest,
            _ => text.as_str(),
        };
        (status.code(), rest.to_owned())
    }
}
