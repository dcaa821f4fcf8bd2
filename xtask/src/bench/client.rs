//! An MCP client that sends requests and measures the time until the response.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

/// A server process and the connection to it.
pub(super) struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts `server` in `project` with the records in `state`, and returns the time until its
    /// response to `initialize`.
    pub(super) fn start(server: &Path, project: &Path, state: &Path) -> Result<(Self, Duration)> {
        let mut command = Command::new(server);
        command.env("XDG_STATE_HOME", state);
        Self::connect(command, project, &[])
    }

    /// Adds variables that are paths.
    pub(super) fn start_with(
        server: &Path,
        project: &Path,
        vars: &[(&str, &Path)],
    ) -> Result<(Self, Duration)> {
        Self::connect(Command::new(server), project, vars)
    }

    /// Connects to the server that `command` starts in `project`.
    pub(super) fn connect(
        mut command: Command,
        project: &Path,
        vars: &[(&str, &Path)],
    ) -> Result<(Self, Duration)> {
        command.current_dir(project).envs(vars.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let begin = Instant::now();
        let child = command.spawn();
        let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.context("a server has two pipes")?;
        let mut client = Self {
            child,
            stdin,
            stdout: BufReader::with_capacity(64 << 10, stdout),
            next: 1,
        };
        client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        let time = begin.elapsed();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client
            .stdin
            .write_all(format!("{initialized}\n").as_bytes())?;
        Ok((client, time))
    }

    /// Sends a request and returns the time until a successful response.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Duration> {
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let request = format!("{request}\n");
        let begin = Instant::now();
        self.stdin.write_all(request.as_bytes())?;
        loop {
            let mut line = String::new();
            let count = self.stdout.read_line(&mut line)?;
            let time = begin.elapsed();
            ensure!(
                count > 0,
                "the server exited without a response to {method}"
            );
            let answer: Value = serde_json::from_str(&line)?;
            // Anything else is a notification.
            if answer["id"] != id {
                continue;
            }
            let result = &answer["result"];
            if !result.is_object() || result["isError"] == true {
                bail!("{method} failed: {line}");
            }
            return Ok(time);
        }
    }

    /// Its peak memory in bytes, if the system reports it.
    pub(super) fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kibibytes << 10)
    }

    /// Disconnects, and waits for the server to exit.
    pub(super) fn end(self) -> Result<()> {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        let status = child.wait()?;
        ensure!(status.success(), "the server failed on exit: {status}");
        Ok(())
    }
}
