//! The list of a server by itself, without cogtools.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::servers::{self, SERVERS, Server};

/// A server, and what it says.
struct Peer {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// The names of the tools of a server.
fn list(server: &Server) -> BTreeSet<String> {
    let project = Project::new();
    servers::configure(&project);
    let mut peer = Peer::start(server, &project);
    peer.ask(
        "initialize",
        &json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }),
    );
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let mut names = BTreeSet::new();
    let mut params = json!({});
    loop {
        let answer = peer.ask("tools/list", &params);
        let tools = answer["tools"].as_array().expect("tools");
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        names.extend(tools.iter().map(name));
        let Some(cursor) = answer["nextCursor"].as_str() else {
            return names;
        };
        params = json!({"cursor": cursor});
    }
}

/// `source: tool` for the tools of all servers.
pub(super) fn all() -> BTreeSet<String> {
    std::thread::scope(|scope| {
        let lists = SERVERS.each_ref().map(|server| {
            let listed = scope.spawn(move || list(server));
            (server.name, listed)
        });
        let lists = lists.into_iter().flat_map(|(name, listed)| {
            let listed = listed.join().expect("it lists its tools");
            listed
                .into_iter()
                .map(move |tool| format!("{name}: {tool}"))
        });
        lists.collect()
    })
}

impl Peer {
    fn start(server: &Server, project: &Project) -> Self {
        let mut child = Command::new(server.file(&servers::install()))
            .args(server.args)
            .current_dir(project.root())
            .env_clear()
            .envs(server.env.iter().copied())
            .env("HOME", project.home())
            .env("PATH", format!("{}:/usr/bin:/bin", super::node().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        Self {
            child,
            stdin,
            stdout,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").expect("the server reads");
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).expect("it is text");
            assert_ne!(read, 0, "the server ends before it answers {method}");
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if message["id"] == method && message.get("method").is_none() {
                return message["result"].clone();
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
