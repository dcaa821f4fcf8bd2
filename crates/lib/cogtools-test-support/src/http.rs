//! The part of HTTP/1.1 that a fake host needs: requests and responses.
//!
//! Implemented by hand, because a fake must see exactly what a client sends.
//! Connections stay open until the client closes them.

use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

/// The maximum size of a request body.
const MAX_BODY_BYTES: usize = 64 << 20;

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    /// Path and query, as sent.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    /// Reads the next request of a connection; `None` after the last.
    pub(crate) fn read(stream: &mut (impl BufRead + Write)) -> io::Result<Option<Self>> {
        let mut first = String::new();
        if stream.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let mut words = first.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(invalid("not a request line"));
        };
        let mut request = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: headers(stream)?,
            body: Vec::new(),
        };
        if request.header("expect").is_some() {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = if request.header("transfer-encoding") == Some("chunked") {
            chunks(stream)?
        } else {
            let length = request.header("content-length").unwrap_or("0");
            let length = length.parse().map_err(|_| invalid("content-length"))?;
            exactly(stream, length)?
        };
        Ok(Some(request))
    }

    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The path, without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// A response: a head, and a body in the pieces in which it is written.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) body: Body,
}

/// The body of a response.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Of a length that is known beforehand.
    Whole(Vec<u8>),
    /// Of an unknown length: each piece is a chunk and a write of its own.
    Pieces(Vec<Piece>, End),
}

/// A piece of a body.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    /// The pause before it is written.
    pub(crate) pause: Duration,
}

/// The fate of the connection after a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The body is complete and the connection stays open.
    Complete,
    /// It is closed, although the body is not complete.
    Cut,
    /// It is reset.
    Reset,
    /// It stays open, and nothing more is written.
    Hang,
}

impl Outgoing {
    /// Writes the response and returns what to do with the connection.
    pub(crate) fn write(&self, stream: &mut impl Write) -> io::Result<End> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n",
            self.status,
            if self.status == 200 { "OK" } else { "Error" },
            self.kind
        );
        match &self.body {
            Body::Whole(body) => {
                let mut bytes = head.into_bytes();
                write!(bytes, "Content-Length: {}\r\n\r\n", body.len())?;
                bytes.extend_from_slice(body);
                stream.write_all(&bytes)?;
                Ok(End::Complete)
            }
            Body::Pieces(pieces, end) => {
                head.push_str("Transfer-Encoding: chunked\r\n\r\n");
                stream.write_all(head.as_bytes())?;
                for Piece { bytes, pause } in pieces {
                    std::thread::sleep(*pause);
                    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                    chunk.extend_from_slice(bytes);
                    chunk.extend_from_slice(b"\r\n");
                    stream.write_all(&chunk)?;
                }
                if *end == End::Complete {
                    stream.write_all(b"0\r\n\r\n")?;
                }
                Ok(*end)
            }
        }
    }
}

fn headers(stream: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(invalid("cut off in the headers"));
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').ok_or_else(|| invalid("header"))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| invalid("chunk size"))?;
        if size == 0 {
            headers(stream)?;
            return Ok(body);
        }
        body.extend(exactly(stream, size)?);
        exactly(stream, 2)?;
        if body.len() > MAX_BODY_BYTES {
            return Err(invalid("body too large"));
        }
    }
}

fn exactly(stream: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY_BYTES {
        return Err(invalid("body too large"));
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
