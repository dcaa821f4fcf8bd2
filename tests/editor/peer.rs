//! An editor that answers what a test wants.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread;

use cogtools_test_support::Project;
use serde_json::{Value, json};

/// An editor.
pub(super) struct Peer {
    folder: tempfile::TempDir,
    last: Arc<Mutex<Value>>,
    /// Processes that live as long as the window.
    process: Child,
}

impl Peer {
    /// An editor that answers with what `answer` makes of a request.
    pub(super) fn start(answer: impl Fn(&Value) -> Value + Send + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = UnixListener::bind(folder.path().join("socket")).expect("a socket");
        let last = Arc::new(Mutex::new(Value::Null));
        let seen = Arc::clone(&last);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut line = String::new();
                let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                reader.read_line(&mut line).expect("a line");
                let request: Value = serde_json::from_str(&line).expect("JSON");
                let mut response = answer(&request);
                response["id"] = json!(1);
                *seen.lock().expect("no panic") = request;
                let _ = stream.write_all(format!("{response}\n").as_bytes());
            }
        });
        let process = Command::new("sleep").arg("60").spawn();
        Self {
            folder,
            last,
            process: process.expect("sleep is installed"),
        }
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The last request.
    pub(super) fn last(&self) -> Value {
        self.last.lock().expect("no panic").clone()
    }

    /// Makes it known as the editor `name` of the project.
    pub(super) fn discover(&self, project: &Project, name: &str) {
        let folder = project.path("../run/cogtools/editor");
        fs::create_dir_all(&folder).expect("a folder");
        let text = json!({"socket": self.socket(), "folders": [project.root()], "name": name});
        write_private(
            &folder.join(format!("{}.json", self.pid())),
            &text.to_string(),
        );
    }
}

fn write_private(path: &Path, text: &str) {
    fs::write(path, text).expect("it is written");
    fs::set_permissions(path, Permissions::from_mode(0o600)).expect("it is ours");
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
