//! Emacs, asked as `emacsclient --eval` does: by the protocol that `server.el` documents.
//!
//! The program itself would take ten times as long, and would be whatever PATH has.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::answer::Reply;
use crate::failure::Failure;
use crate::peer::Peer;
use crate::{Place, Request, file};

/// What Emacs evaluates. It sends JSON in Base64, which the protocol does not have to quote, to the
/// client that was added last. Emacs itself would take seconds to print a long text.
const EXPRESSION: &str = include_str!("emacs.el");

/// Asks the Emacs of the user.
pub(crate) fn ask(place: &Place, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
    let socket = sockets(place).into_iter().find(|path| path.exists());
    let socket = socket.ok_or(Failure::NoServer)?;
    evaluate(&socket, request, timeout)
}

/// Where the server of Emacs may be.
fn sockets(place: &Place) -> Vec<PathBuf> {
    let variables = &place.variables;
    let name = variables.get("EMACS_SOCKET_NAME");
    let name = name.map_or_else(|| Path::new("server"), Path::new);
    if name.is_absolute() {
        return vec![name.to_path_buf()];
    }
    let runtime = variables.path("XDG_RUNTIME_DIR");
    let runtime = runtime.unwrap_or_else(|| Path::new("/run/user").join(file::user()));
    let temporary = variables.path("TMPDIR");
    let temporary = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    vec![
        runtime.join("emacs").join(name),
        temporary.join(format!("emacs{}", file::user())).join(name),
    ]
}

fn evaluate(socket: &Path, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
    let mut peer = Peer::connect(socket, timeout)?;
    peer.send(message(request).as_bytes())?;
    let output = String::from_utf8_lossy(&peer.rest()?).into_owned();
    let mut printed = "";
    for line in output.lines() {
        if let Some(error) = line.strip_prefix("-error ") {
            return Err(Failure::rejected(&unquote(error)));
        }
        if let Some(text) = line.strip_prefix("-print ") {
            printed = text;
            break;
        }
    }
    let json = decode(printed).ok_or_else(|| Failure::invalid("it is not Base64"))?;
    if json.is_empty() {
        return Err(Failure::Closed);
    }
    if json == b"null" {
        return Err(Failure::Unsupported(request.method()));
    }
    Reply::parse(&json)
}

/// What is sent: one line, short enough to be read at once, so that this client is the last one.
fn message(request: &Request) -> String {
    let lines = EXPRESSION.lines().map(str::trim);
    let expression = lines.collect::<Vec<&str>>().join(" ");
    let expression = expression
        .replace("METHOD", request.method())
        .replace("LIMIT", &Request::MAX_TEXT_BYTES.to_string());
    format!("-current-frame -eval {} \n", quote(&expression))
}

/// An argument as the protocol has it.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 4);
    for (index, c) in text.chars().enumerate() {
        match c {
            '&' => quoted.push_str("&&"),
            '\n' => quoted.push_str("&n"),
            ' ' => quoted.push_str("&_"),
            '-' if index == 0 => quoted.push_str("&-"),
            _ => quoted.push(c),
        }
    }
    quoted
}

fn unquote(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('_') => plain.push(' '),
                Some(other) => plain.push(other),
                None => {}
            },
            _ => plain.push(c),
        }
    }
    plain
}

/// The bytes of Base64 with padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for c in text.trim_end_matches('=').bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted() {
        let check = |text: &str, quoted: &str| {
            assert_eq!(quote(text), quoted);
            assert_eq!(unquote(quoted), text);
        };
        check("a b", "a&_b");
        check("-a-b", "&-a-b");
        check("a&b\nc", "a&&b&nc");
        check("", "");
        assert_eq!(unquote("a&"), "a");
    }

    /// Emacs before 30 reads that much.
    #[test]
    fn a_message_is_read_at_once() {
        let message = message(&Request::SelectedText);
        assert!(message.len() <= 4096, "{}", message.len());
    }

    #[test]
    fn base64_is_decoded() {
        let check = |text: &str, bytes: Option<&[u8]>| {
            assert_eq!(decode(text).as_deref(), bytes, "{text}");
        };
        check("", Some(b""));
        check("Zg==", Some(b"f"));
        check("Zm8=", Some(b"fo"));
        check("Zm9v", Some(b"foo"));
        check("/+8=", Some(b"\xff\xef"));
        check("Zm 9v", None);
    }
}
