//! Our own line-by-line client, for what no library does: to disconnect without
//! a message.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use cogtools_test_support::Project;
use serde_json::{Value, json};

/// The time limit of every step.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server, and a stateful session with it.
pub(crate) struct Session {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Responses that arrived before the test waited for them.
    early: HashMap<u64, Value>,
    /// The notifications before these responses.
    notified: Vec<Value>,
    next: u64,
    /// The answers of the person behind the client, in order.
    answers: VecDeque<Value>,
    /// The messages of the forms that the person has seen.
    pub(super) asked: Vec<String>,
    /// The folders of the client, and how often the server has asked for them.
    pub(super) roots: Vec<String>,
    pub(super) asked_for_roots: usize,
}

impl Session {
    /// Starts the server in `project` and sends `initialize`.
    pub(crate) fn open(project: &Project) -> Self {
        Self::start(project, &mut Command::new(super::server()))
    }

    /// A session with a command that eventually starts the server.
    pub(crate) fn start(project: &Project, command: &mut Command) -> Self {
        Self::with_person(project, command, &json!({}), &[])
    }

    /// A session of a client with these capabilities, whose user answers forms so.
    pub(super) fn with_person(
        project: &Project,
        command: &mut Command,
        capabilities: &Value,
        answers: &[Value],
    ) -> Self {
        let client = ("test", capabilities);
        Self::of_client(project, command, client, answers)
    }

    /// A session of the host with this name, which has no capabilities.
    pub(super) fn of_host(project: &Project, name: &str) -> Self {
        let client = (name, &json!({}));
        Self::of_client(project, &mut Command::new(super::server()), client, &[])
    }

    fn of_client(
        project: &Project,
        command: &mut Command,
        (name, capabilities): (&str, &Value),
        answers: &[Value],
    ) -> Self {
        let mut child = command
            .current_dir(project.root())
            .env_clear()
            .env("HOME", project.home())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("the server starts");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).expect("every line is JSON");
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let mut session = Self {
            child,
            stdin,
            lines,
            early: HashMap::new(),
            notified: Vec::new(),
            next: 1,
            answers: answers.iter().cloned().collect(),
            asked: Vec::new(),
            roots: Vec::new(),
            asked_for_roots: 0,
        };
        let hello = session.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": {"name": name, "version": "1"},
            }),
        );
        assert_eq!(
            session.answer(hello)["result"]["protocolVersion"],
            "2025-11-25"
        );
        session.tell("notifications/initialized", &json!({}));
        session
    }

    /// Sends a request, and returns its id.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request, and returns its result, or its error.
    #[track_caller]
    pub(super) fn get(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        let mut answer = self.answer(id);
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }

    /// Calls a tool, and returns the id of the request.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> u64 {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    pub(super) fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        writeln!(stdin, "{message}").expect("the server reads");
    }

    /// The response to the request with that id.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|error| panic!("no answer to request {id}: {error}"));
            match line["id"].as_u64() {
                _ if line["method"] == "elicitation/create" => {
                    let message = line["params"]["message"].as_str().expect("a message");
                    self.asked.push(message.to_owned());
                    let answer = self.answers.pop_front().expect("one more answer");
                    self.send(&json!({"jsonrpc": "2.0", "id": line["id"], "result": answer}));
                }
                _ if line["method"] == "sampling/createMessage" => {
                    let text = line["params"]["messages"][0]["content"]["text"].as_str();
                    self.asked.push(text.expect("a text").to_owned());
                    let answer = self.answers.pop_front().expect("one more answer");
                    self.send(&json!({"jsonrpc": "2.0", "id": line["id"], "result": answer}));
                }
                _ if line["method"] == "roots/list" => {
                    self.asked_for_roots += 1;
                    let roots: Value = self.roots.iter().map(|uri| json!({"uri": uri})).collect();
                    let result = json!({"roots": roots});
                    self.send(&json!({"jsonrpc": "2.0", "id": line["id"], "result": result}));
                }
                Some(id) => drop(self.early.insert(id, line)),
                None => self.notified.push(line),
            }
        }
    }

    /// The notifications that arrived before the responses that were waited for.
    pub(super) fn notified(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.notified)
    }

    /// The responses that have arrived and were not waited for.
    pub(super) fn unclaimed(&mut self) -> Vec<u64> {
        while let Ok(line) = self.lines.try_recv() {
            if let Some(id) = line["id"].as_u64() {
                self.early.insert(id, line);
            }
        }
        self.early.keys().copied().collect()
    }

    /// The text of an answer, and whether it is an error.
    #[track_caller]
    pub(crate) fn text(&mut self, id: u64) -> (String, bool) {
        let answer = self.answer(id);
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text: {answer}"));
        (text.to_owned(), answer["result"]["isError"] == true)
    }

    /// Waits for the notification that the list of tools has changed.
    #[track_caller]
    pub(super) fn wait_for_change(&mut self) {
        self.wait_for_notification("notifications/tools/list_changed");
    }

    /// Returns the parameters of a notification, which is waited for if it has not arrived yet.
    #[track_caller]
    pub(super) fn notification(&mut self, method: &str) -> Value {
        let early = self.notified.iter().position(|it| it["method"] == method);
        match early {
            Some(index) => self.notified.remove(index)["params"].take(),
            None => self.wait_for_notification(method),
        }
    }

    /// Waits for a notification, and returns its parameters.
    #[track_caller]
    pub(super) fn wait_for_notification(&mut self, method: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self
                .lines
                .recv_timeout(left)
                .expect("the change is announced");
            match line["id"].as_u64() {
                Some(id) if line["method"].is_null() => drop(self.early.insert(id, line)),
                None if line["method"] == method => return line["params"].clone(),
                _ => {}
            }
        }
    }

    /// Ends the input.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }

    pub(super) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Waits for the exit; returns the status, or the negative number of a signal.
    #[track_caller]
    pub(super) fn end(&mut self) -> i32 {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("the server is ours") {
                return status
                    .code()
                    .unwrap_or_else(|| -status.signal().unwrap_or(0));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not end");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal, which only a shell can do without unsafe code; returns whether the
/// process existed.
pub(super) fn signal(pid: u32, name: &str) -> bool {
    let script = format!("kill -s {name} -- {pid}");
    let mut shell = Command::new("/bin/sh");
    let sent = shell.args(["-c", &script]).stderr(Stdio::null()).status();
    sent.is_ok_and(|status| status.success())
}

/// Waits until a process has gone.
#[track_caller]
pub(super) fn gone(pid: u32) {
    let end = Instant::now() + PATIENCE;
    while alive(pid) {
        assert!(Instant::now() < end, "process {pid} is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns true if a process is running, and not just waiting to be reaped.
fn alive(pid: u32) -> bool {
    let mut ps = Command::new("/bin/ps");
    let state = ps.args(["-o", "stat=", "-p", &pid.to_string()]).output();
    let state = state.expect("there is `ps`").stdout;
    !state.is_empty() && !state.starts_with(b"Z")
}
