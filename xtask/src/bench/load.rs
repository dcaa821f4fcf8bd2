//! Clients that call one tool of a server over HTTP, each on a connection of its own that stays.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};

/// The stack of a client's thread.
const STACK_BYTES: usize = 128 << 10;
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"person":"Ada"}}}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;

/// The pattern of the clients' calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) clients: u32,
    /// The duration of the calls.
    pub(super) time: Duration,
    /// The interval of each client's calls; without it, as soon as it has the answer.
    pub(super) every: Option<Duration>,
    /// True if each client has a session.
    pub(super) sessions: bool,
}

/// A client's connection.
struct Client {
    stream: BufReader<TcpStream>,
    host: String,
    /// The header with the session, if there is one.
    session: String,
}

impl Load {
    /// Puts the load on the server at `url`: how long each call took. `busy` runs while all
    /// clients are connected, after half of the time.
    pub(super) fn run(&self, url: &str, busy: impl FnOnce()) -> Result<Vec<Duration>> {
        let ready = Barrier::new(self.clients as usize + 1);
        thread::scope(|scope| {
            let clients: Vec<_> = (0..self.clients)
                .map(|number| {
                    let ready = &ready;
                    thread::Builder::new()
                        .stack_size(STACK_BYTES)
                        .spawn_scoped(scope, move || self.client(number, url, ready))
                })
                .collect::<Result<_, _>>()?;
            ready.wait();
            thread::sleep(self.time / 2);
            busy();
            let mut times = Vec::new();
            for client in clients {
                let called = client.join().map_err(|_| anyhow!("a client panicked"))?;
                times.extend(called?);
            }
            Ok(times)
        })
    }

    fn client(&self, number: u32, url: &str, ready: &Barrier) -> Result<Vec<Duration>> {
        let connected = Client::connect(url, self.sessions);
        ready.wait();
        let mut client = connected?;
        let begin = Instant::now();
        if let Some(every) = self.every {
            // They are spread over the time between two calls.
            thread::sleep(every * number / self.clients);
        }
        let mut times = Vec::new();
        while begin.elapsed() < self.time {
            let called = Instant::now();
            let answer = client.post(CALL)?;
            ensure!(answer.contains("Good day, Ada!"), "no greeting: {answer}");
            let took = called.elapsed();
            times.push(took);
            if let Some(every) = self.every {
                thread::sleep(every.saturating_sub(took));
            }
        }
        Ok(times)
    }
}

impl Client {
    fn connect(url: &str, session: bool) -> Result<Self> {
        let host = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'));
        let (host, _) = host.with_context(|| format!("no address: {url}"))?;
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        let mut client = Self {
            stream: BufReader::new(stream),
            host: host.to_owned(),
            session: String::new(),
        };
        if session {
            client.post(INITIALIZE)?;
            ensure!(!client.session.is_empty(), "the server has no sessions");
        }
        Ok(client)
    }

    /// The body of the answer to `body`.
    fn post(&mut self, body: &str) -> Result<String> {
        let Self { host, session, .. } = self;
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n\
             {session}content-length: {}\r\n\r\n{body}",
            body.len(),
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut status = String::new();
        self.stream.read_line(&mut status)?;
        let mut length = None;
        loop {
            let mut line = String::new();
            ensure!(
                self.stream.read_line(&mut line)? > 0,
                "the answer is cut: {status}"
            );
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = Some(value.parse::<usize>()?),
                "mcp-session-id" => self.session = format!("mcp-session-id: {value}\r\n"),
                _ => {}
            }
        }
        let length = length.with_context(|| format!("no length: {status}"))?;
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        if !status.starts_with("HTTP/1.1 200 ") {
            bail!("{}: {answer}", status.trim_end());
        }
        Ok(answer)
    }
}
