//! The cost of the language server in a project of 300 tools: start, memory, and diagnostics.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use cogtools_test_support::Project;
use serde_json::{Value, json};

use crate::ask::peak_memory;
use crate::programs;

/// The time that a debug build may take instead of a release, on a busy machine.
const SLOWER: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

/// A server and the connection to it.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(project: &Project) -> Self {
        let mut command = Command::new(programs().join("cogtools-lsp"));
        command.env_clear().env("HOME", project.path("home"));
        command.current_dir(project.path("."));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let mut server = Self {
            child,
            stdin: stdin.expect("a pipe"),
            stdout: BufReader::new(stdout.expect("a pipe")),
        };
        server.tell(json!({"id": 1, "method": "initialize", "params": {"capabilities": {}}}));
        server.wait(|message| message["id"] == 1);
        server.tell(json!({"method": "initialized", "params": {}}));
        server
    }

    fn tell(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.stdin.write_all(framed.as_bytes()).expect("written");
    }

    /// Waits for a message that is the one.
    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).expect("a header");
            let length = line.trim().rsplit(' ').next().map(str::parse::<usize>);
            let mut body = vec![0; length.expect("a header").expect("a length") + 2];
            self.stdout.read_exact(&mut body).expect("a message");
            let message: Value = serde_json::from_slice(&body[2..]).expect("JSON");
            if is_it(&message) {
                return message;
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

#[test]
fn a_large_project_costs_little() {
    let project = Project::new();
    let head = |number: u32| {
        format!(
            "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: fact_{number}\n\
             description: Tells fact {number} about rivers\nparameters:\n  people:\n    \
             type: array\n    items: {{type: object, properties: {{name: string}}}}\n\
             implementation: |\n"
        )
    };
    for number in 0..300 {
        let text = format!("{}  Fact {number} for {{{{ people }}}}.\n", head(number));
        project.file(format!("tools/fact_{number}.yaml"), text);
    }
    let starts = (0..5).map(|_| {
        let begin = Instant::now();
        let server = Server::start(&project);
        (begin.elapsed(), server)
    });
    let (start, mut server) = starts.min_by_key(|(time, _)| *time).expect("a start");
    assert!(start < Duration::from_millis(30) * SLOWER, "{start:?}");

    let line = "  {% for one in people %}{{ one.name | upper }} {% endfor %}\n";
    let text = head(0) + &line.repeat(292);
    assert_eq!(text.lines().count(), 300);
    let uri = format!("file://{}", project.path("tools/fact_0.yaml").display());
    server.tell(
        json!({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": "yaml", "version": 1, "text": text,
        }}}),
    );
    let mut times = Vec::new();
    for version in 1..10 {
        let found = server.wait(|it| it["params"]["version"] == version);
        let is_wrong = found.to_string().contains("unknown-member");
        assert_eq!(is_wrong, version % 2 == 0, "{found}");
        times.push(Instant::now());
        let name = if version % 2 == 0 { "name" } else { "nmae" };
        let place = |character: usize| json!({"line": 299, "character": character});
        server.tell(json!({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": version + 1},
            "contentChanges": [{"range": {"start": place(32), "end": place(36)}, "text": name}],
        }}));
    }
    let edits = times.windows(2).map(|pair| pair[1] - pair[0]);
    let edit = edits.min().expect("an edit");
    assert!(edit < Duration::from_millis(50) * SLOWER, "{edit:?}");
    if cfg!(target_os = "linux") {
        let memory = peak_memory(&server.child.id().to_string());
        println!("start {start:?}, edit {edit:?}, {memory} KiB");
        let limit = if cfg!(debug_assertions) { 24 } else { 40 };
        assert!(memory > 0 && memory < limit << 10, "{memory} KiB");
    }
}
