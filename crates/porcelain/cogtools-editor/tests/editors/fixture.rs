//! A place with editors: its own directories and variables, and editors that play a script.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use cogtools_editor::client::{Ambiguous, Found, Place, Request, Variables, find};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A place.
pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    variables: BTreeMap<OsString, OsString>,
    children: Vec<Child>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let fixture = Self {
            folder,
            variables: BTreeMap::new(),
            children: Vec::new(),
        };
        fs::create_dir_all(fixture.path("project/deep")).expect("a folder");
        let runtime = fixture.path("run");
        fs::create_dir_all(runtime.join("cogtools/editor")).expect("a folder");
        let temporary = fixture.path("");
        fixture
            .set("XDG_RUNTIME_DIR", &runtime)
            .set("TMPDIR", temporary)
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn set(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// A program that ends with the place.
    pub(crate) fn run(&mut self, child: Child) {
        self.children.push(child);
    }

    /// Waits until something listens at `path`.
    pub(crate) fn wait(path: &Path) {
        let end = Instant::now() + Duration::from_secs(30);
        while UnixStream::connect(path).is_err() {
            assert!(Instant::now() < end, "{} does not appear", path.display());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asks from the folder `below`.
    pub(crate) fn ask_from(&self, request: &Request, below: &str) -> Result<Found, Ambiguous> {
        let place = Place {
            variables: Variables::new(self.variables.clone()),
            directory: self.path(below),
        };
        find(request, &place)
    }

    /// The answer and the editor's name as JSON, or null; and why others did not answer, with the
    /// place's path as `[..]`.
    pub(crate) fn ask(&self, request: &Request) -> (Value, Vec<String>) {
        let found = self.ask_from(request, "project/deep").expect("one editor");
        let answer = found.answer.map_or(Value::Null, |(answer, name)| {
            json!([name, serde_json::to_value(answer).expect("it is JSON")])
        });
        let root = self.folder.path().display().to_string();
        let attempts = found.attempts.iter().map(|attempt| {
            let line = format!("{}: {}", attempt.by, attempt.failure);
            line.replace(&root, "[..]")
        });
        let answer = answer.to_string().replace(&root, "[..]");
        let answer = serde_json::from_str(&answer).expect("it is JSON");
        (answer, attempts.collect())
    }

    /// A discovery file of this process, or of `pid`.
    pub(crate) fn discover(&self, pid: u32, socket: &str, folder: &str) -> PathBuf {
        let text = json!({
            "socket": self.path(socket),
            "folders": [self.path(folder)],
            "name": format!("Editor {socket}"),
        });
        self.discover_as(pid, &text.to_string())
    }

    pub(crate) fn discover_as(&self, pid: u32, text: &str) -> PathBuf {
        let file = self.path(&format!("run/cogtools/editor/{pid}.json"));
        fs::write(&file, text).expect("it is written");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("it is ours");
        file
    }

    /// An editor at `socket` that answers each line with what `answer` makes of its request.
    pub(crate) fn editor(&self, socket: &str, answer: fn(&Value) -> Value) {
        self.listen(socket, move |stream| {
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            reader.read_line(&mut line).expect("a line");
            let request = serde_json::from_str(&line).expect("JSON");
            let mut response = answer(&request);
            response["jsonrpc"] = json!("2.0");
            response["id"] = request["id"].clone();
            let mut stream = stream;
            // The other side may have what it wants.
            let _ = stream.write_all(format!("{response}\n").as_bytes());
        });
    }

    /// A server at `socket`.
    pub(crate) fn listen(&self, socket: &str, serve: impl Fn(UnixStream) + Send + 'static) {
        let listener = UnixListener::bind(self.path(socket)).expect("a socket");
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.expect("a connection"));
            }
        });
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The hash of a text as the protocol has it.
pub(crate) fn hash(text: &str) -> String {
    cogtools_core::digest::bytes(text.as_bytes()).to_string()
}

/// The program of an editor, which the tests need.
pub(crate) fn program(name: &str) -> std::process::Command {
    let mut command = std::process::Command::new(name);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command
}
