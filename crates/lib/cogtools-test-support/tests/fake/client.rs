//! A client that sends exactly what a test says, and shows every piece that arrives.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use cogtools_test_support::FakeGemini;
use serde_json::{Value, json};

pub(crate) const GENERATE: &str = "/v1beta/models/gemini-2.5-flash:generateContent";

/// A model that signs its thoughts.
pub(crate) const SIGNING: &str = "/v1beta/models/gemini-3-pro-preview:generateContent";

pub(crate) const STREAM: &str = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse";

/// A client with a persistent connection.
pub(crate) struct Client(BufReader<TcpStream>);

/// A response as it arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) kind: String,
    /// The chunks, or the whole body.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The cause of an incomplete answer.
    pub(crate) broken: Option<io::ErrorKind>,
}

impl Response {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.pieces.concat()).expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The events of a stream that ends each with `separator`.
    pub(crate) fn events(&self, separator: &str) -> Vec<Value> {
        let text = self.text();
        let events = text.split_terminator(separator);
        let events = events.map(|event| event.strip_prefix("data: ").expect("an event"));
        events
            .map(|event| serde_json::from_str(event).expect("JSON"))
            .collect()
    }

    /// The parts of the model's content.
    pub(crate) fn parts(&self) -> Value {
        self.json()["candidates"][0]["content"]["parts"].clone()
    }
}

impl Client {
    pub(crate) fn new(fake: &FakeGemini) -> Self {
        let url = fake.url();
        let address = url.strip_prefix("http://").expect("a plain URL");
        let stream = TcpStream::connect(address).expect("the fake listens");
        let limit = Some(Duration::from_secs(1));
        stream.set_read_timeout(limit).expect("a limit");
        Self(BufReader::new(stream))
    }

    pub(crate) fn post(&mut self, target: &str, body: &Value) -> Response {
        self.request("POST", target, body)
    }

    pub(crate) fn get(&mut self, target: &str) -> Response {
        self.send(&format!("GET {target}"), "X-Goog-Api-Key: k\r\n\r\n")
    }

    pub(crate) fn request(&mut self, method: &str, target: &str, body: &Value) -> Response {
        let body = body.to_string();
        let rest = format!(
            "X-Goog-Api-Key: k\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(&format!("{method} {target}"), &rest)
    }

    /// Sends a request and reads the response, which must begin.
    pub(crate) fn send(&mut self, line: &str, rest: &str) -> Response {
        self.try_send(line, rest).expect("a response")
    }

    /// Sends a request and reads the response.
    pub(crate) fn try_send(&mut self, line: &str, rest: &str) -> io::Result<Response> {
        let request = format!("{line} HTTP/1.1\r\nHost: x\r\n{rest}");
        self.0.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut response = Response {
            status: status.ok_or(io::ErrorKind::UnexpectedEof)?,
            kind: String::new(),
            pieces: Vec::new(),
            broken: None,
        };
        let mut length = None;
        loop {
            let header = self.line()?;
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("Content-Length: ") {
                length = value.parse().ok();
            }
            if let Some(value) = header.strip_prefix("Content-Type: ") {
                value.clone_into(&mut response.kind);
            }
        }
        response.broken = self
            .body(length, &mut response.pieces)
            .err()
            .map(|error| error.kind());
        Ok(response)
    }

    fn body(&mut self, length: Option<usize>, pieces: &mut Vec<Vec<u8>>) -> io::Result<()> {
        if let Some(length) = length {
            pieces.push(self.bytes(length)?);
            return Ok(());
        }
        loop {
            let size = usize::from_str_radix(&self.line()?, 16);
            let size = size.map_err(|_| io::ErrorKind::UnexpectedEof)?;
            if size == 0 {
                self.line()?;
                return Ok(());
            }
            pieces.push(self.bytes(size)?);
            self.line()?;
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// A request with these contents and a declared function `f`.
pub(crate) fn request(contents: &Value) -> Value {
    json!({
        "contents": contents,
        "tools": [{ "functionDeclarations": [{ "name": "f", "description": "F" }] }],
    })
}

/// A content with one part.
pub(crate) fn said(role: &str, part: &Value) -> Value {
    json!({ "role": role, "parts": [part] })
}

/// The first message of the user.
pub(crate) fn hi() -> Value {
    said("user", &json!({ "text": "hi" }))
}

/// The response of a function to a call with this id.
pub(crate) fn answer(id: &str, name: &str) -> Value {
    json!({ "functionResponse": { "id": id, "name": name, "response": { "output": "x" } } })
}
