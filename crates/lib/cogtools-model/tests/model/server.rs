//! A server on 127.0.0.1 that answers with given bytes, at given times.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A part of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Pause(Duration),
    /// Sends the bytes that many times.
    Repeat(Vec<u8>, usize),
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and target.
    pub(crate) line: String,
    /// In lower case, with their values.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
}

/// Answers each request with the next answer, and the last one again after that. Each answer
/// ends its connection.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) fn start(answers: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, seen) = (answers.clone(), Arc::clone(&shared));
                thread::spawn(move || serve(stream, &answers, &seen));
            }
        });
        Self { address, seen }
    }

    /// A server with one answer.
    pub(crate) fn answering(answer: Vec<u8>) -> Self {
        Self::start(vec![vec![Step::Send(answer)]])
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// Methods and targets of the requests so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }
}

/// The head of an answer with this status and type, which ends with its connection.
pub(crate) fn head(status: u16, kind: &str) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status} Status\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    head.into_bytes()
}

/// An answer with this status and body.
pub(crate) fn json(status: u16, body: &Value) -> Vec<u8> {
    [
        head(status, "application/json"),
        body.to_string().into_bytes(),
    ]
    .concat()
}

/// A whole answer of the API, as events.
pub(crate) fn events(chunks: &[Value]) -> Vec<u8> {
    let mut bytes = head(200, "text/event-stream");
    for chunk in chunks {
        bytes.extend(event(chunk));
    }
    bytes
}

/// One event, with the line ends of the API.
pub(crate) fn event(chunk: &Value) -> Vec<u8> {
    format!("data: {chunk}\r\n\r\n").into_bytes()
}

fn serve(mut stream: TcpStream, answers: &[Vec<Step>], seen: &Mutex<Vec<Seen>>) {
    let Some(request) = read(&stream) else {
        return;
    };
    let position = {
        let mut seen = seen.lock().expect("no panic");
        seen.push(request);
        seen.len() - 1
    };
    let Some(answer) = answers.get(position).or(answers.last()) else {
        return;
    };
    for step in answer {
        let sent = match step {
            Step::Send(bytes) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Step::Pause(pause) => {
                thread::sleep(*pause);
                Ok(())
            }
            Step::Repeat(bytes, count) => (0..*count).try_for_each(|_| stream.write_all(bytes)),
        };
        // The client has seen enough.
        if sent.is_err() {
            return;
        }
    }
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let line = format!("{} {}", words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        headers.push(format!("{}:{value}", name.to_lowercase()));
    }
    let length = headers
        .iter()
        .find_map(|header| header.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Seen {
        line,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}
