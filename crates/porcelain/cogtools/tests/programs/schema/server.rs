//! The real `yaml-language-server`, from npm, over its standard streams.
//!
//! It is installed once below the target directory. Without npm or Node.js the tests
//! fail, because an untested editor is not known to work.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The tested release.
const VERSION: &str = "2.0.0";
/// The timeout of a request.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server.
pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    next: u64,
    /// The settings that it may ask for.
    settings: Value,
}

impl Server {
    /// Starts the server and opens `text` as `file`, which need not exist.
    pub(crate) fn open(file: &str, text: &str) -> Self {
        Self::open_with(&json!({}), file, text)
    }

    /// The same, with `schemas` for files by their names.
    pub(crate) fn open_with(schemas: &Value, file: &str, text: &str) -> Self {
        let mut child = Command::new("node")
            .arg(program_path())
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs the server");
        let stdin = child.stdin.take().expect("its input");
        let stdout = child.stdout.take().expect("its output");
        let mut server = Self {
            child,
            stdin,
            messages: messages(stdout),
            next: 0,
            // Only the schemas of the repository are used, none from the network.
            settings: json!({
                "validate": true, "hover": true, "completion": true,
                "schemaStore": {"enable": false}, "schemas": schemas,
            }),
        };
        let capabilities = json!({
            "textDocument": {"completion": {}, "hover": {}},
            "workspace": {"configuration": true, "workspaceFolders": true},
        });
        let setup = json!({"processId": null, "rootUri": uri(""), "capabilities": capabilities,
            "workspaceFolders": [{"uri": uri(""), "name": "project"}]});
        server.request("initialize", &setup);
        server.notify("initialized", &json!({}));
        let settings = json!({"settings": {"yaml": server.settings}});
        server.notify("workspace/didChangeConfiguration", &settings);
        let document = json!({"uri": uri(file), "languageId": "yaml", "version": 1, "text": text});
        server.notify("textDocument/didOpen", &json!({"textDocument": document}));
        server
    }

    /// The messages of the diagnostics of `file`, in order.
    pub(crate) fn diagnostics(&mut self, file: &str) -> Vec<String> {
        let uri = uri(file);
        let found = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri.as_str()
        });
        let found = found["params"]["diagnostics"].as_array().cloned();
        let words = |found: &Value| {
            let line = found["range"]["start"]["line"].as_u64().unwrap_or_default() + 1;
            format!("{line}: {}", found["message"].as_str().unwrap_or_default())
        };
        found.unwrap_or_default().iter().map(words).collect()
    }

    /// The hover text at a position, counted from 1.
    pub(crate) fn hover(&mut self, file: &str, line: u64, column: u64) -> String {
        let shown = self.request("textDocument/hover", &position(file, line, column));
        let text = shown["contents"]["value"].as_str();
        text.unwrap_or_default().to_owned()
    }

    /// The completions at a position, counted from 1, sorted.
    pub(crate) fn complete(&mut self, file: &str, line: u64, column: u64) -> Vec<String> {
        let offered = self.request("textDocument/completion", &position(file, line, column));
        let items = offered["items"].as_array().or(offered.as_array()).cloned();
        let label = |item: &Value| item["label"].as_str().unwrap_or_default().to_owned();
        let mut labels: Vec<String> = items.unwrap_or_default().iter().map(label).collect();
        labels.sort();
        labels
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.wait(|message| message["id"] == id && message.get("method").is_none());
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it listens");
        self.stdin.flush().expect("it listens");
    }

    /// The settings of each section that `request` names.
    fn configuration(&self, request: &Value) -> Value {
        let items = request["params"]["items"].as_array().into_iter().flatten();
        let section = |item: &Value| match item["section"].as_str() {
            Some("yaml") => self.settings.clone(),
            _ => Value::Null,
        };
        items.map(section).collect()
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.expect("the server says something in time");
            if wanted(&message) {
                return message;
            }
            // A request of the server: null is a valid response to all others.
            if message.get("method").is_some() && message.get("id").is_some() {
                let result = match message["method"].as_str() {
                    Some("workspace/configuration") => self.configuration(&message),
                    _ => Value::Null,
                };
                let id = &message["id"];
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn uri(file: &str) -> String {
    format!(
        "file://{}",
        crate::schema::repository().join(file).display()
    )
}

fn position(file: &str, line: u64, column: u64) -> Value {
    let position = json!({"line": line - 1, "character": column - 1});
    json!({"textDocument": {"uri": uri(file)}, "position": position})
}

/// Reads messages until the server exits.
fn messages(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stdout.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().unwrap_or(0);
            } else if line == "\r\n" {
                let mut body = vec![0; length];
                if stdout.read_exact(&mut body).is_err() {
                    return;
                }
                let message = serde_json::from_slice(&body).unwrap_or_default();
                if sender.send(message).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

/// The server's program, installed if it is missing.
fn program_path() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(install).clone()
}

fn install() -> PathBuf {
    let name = format!("yaml-language-server-{VERSION}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let program = folder.join("node_modules/yaml-language-server/bin/yaml-language-server");
    if !program.is_file() {
        fs::create_dir_all(&folder).unwrap();
        let output = Command::new("npm")
            .args([
                "install",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--prefix",
            ])
            .arg(&folder)
            .arg(format!("yaml-language-server@{VERSION}"))
            .output()
            .expect("npm runs; this test needs node and npm");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && program.is_file(), "npm: {said}");
    }
    program
}
