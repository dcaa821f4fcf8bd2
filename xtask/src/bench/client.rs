//! A client of MCP that does nothing but ask and look at the clock.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

/// A server, and the conversation with it.
pub(super) struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts `server` in `project`; how long it took until it had answered
    /// `initialize`.
    pub(super) fn start(server: &Path, project: &Path) -> Result<(Self, Duration)> {
        let mut command = Command::new(server);
        command.current_dir(project);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let begin = Instant::now();
        let child = command.spawn();
        let mut child = child.with_context(|| format!("cannot start {}", server.display()))?;
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

    /// Asks, and says how long the answer took; an error is none.
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
                "the server has gone instead of answering {method}"
            );
            let answer: Value = serde_json::from_str(&line)?;
            // Anything else is an announcement.
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

    /// The most memory that it has had, in bytes, where the system tells.
    pub(super) fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kibibytes << 10)
    }

    /// Leaves, and waits for the server to do so.
    pub(super) fn end(self) -> Result<()> {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        let status = child.wait()?;
        ensure!(status.success(), "the server failed at its end: {status}");
        Ok(())
    }
}
