//! Requests as any client sends them.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// Sends `body` to `path` of the server at `url`, with these headers, and returns all that it
/// answers.
pub(crate) fn post(url: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    let kind = match body {
        "" => "",
        _ => "content-type: application/json\r\n",
    };
    let headers = format!("{kind}content-length: {length}\r\n{headers}");
    request(url, "POST", path, &headers, body)
}

/// Reads `path` of the server at `url`.
pub(crate) fn get(url: &str, path: &str) -> String {
    request(url, "GET", path, "", "")
}

fn request(url: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let address = url.strip_prefix("http://").unwrap_or(url);
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    let request = format!("{head}{headers}\r\n{body}");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers");
    String::from_utf8_lossy(&answer).into_owned()
}
