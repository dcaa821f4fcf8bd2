//! Emacs, asked as `emacsclient --eval` does: by the protocol that `server.el` documents.
//!
//! The program itself would take ten times as long, and would be whatever PATH has.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::answer::{Failure, Reply};
use super::file;
use super::peer::Peer;
use super::protocol::Request;
use super::search::Place;

/// The expression that Emacs evaluates. It sends JSON in Base64, which needs no quotes, to the
/// client that was added last. Emacs itself would take seconds to print a long text.
const EXPRESSION: &str = include_str!("emacs.el");
/// The expression for a proposal, which Emacs reads from a file: an expression has to be short.
const PROPOSAL: &str = include_str!("emacs_proposal.el");
/// Number of bytes that Emacs before 30 reads at once.
const MAX_MESSAGE: usize = 4_096;

/// Asks the Emacs of the user.
pub(crate) fn ask(place: &Place, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
    let socket = sockets(place).into_iter().find(|path| path.exists());
    let socket = socket.ok_or(Failure::NoServer)?;
    let Request::ProposeEdit { .. } = request else {
        return evaluate(&socket, request, &question(request), timeout);
    };
    // Others share the folder, but not the file, which goes with its value.
    let mut proposal = tempfile::Builder::new()
        .prefix("cogtools-editor-")
        .tempfile_in(temporary(place))?;
    proposal.write_all(request.params().to_string().as_bytes())?;
    let expression = expression(PROPOSAL).replace("PROPOSAL", &escape(proposal.path())?);
    evaluate(&socket, request, &expression, timeout)
}

/// Makes the expression for a request without text of its own.
fn question(request: &Request) -> String {
    expression(EXPRESSION)
        .replace("METHOD", request.method())
        .replace("LIMIT", &Request::MAX_TEXT_BYTES.to_string())
}

/// Lisp in one line.
fn expression(source: &str) -> String {
    let lines = source.lines().map(str::trim);
    lines.collect::<Vec<&str>>().join(" ")
}

/// A path within a string of Lisp.
fn escape(path: &Path) -> Result<String, Failure> {
    let text = path.to_str();
    let text = text.ok_or_else(|| Failure::NotAPath(path.display().to_string()))?;
    Ok(text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The folder for temporary files.
fn temporary(place: &Place) -> PathBuf {
    let temporary = place.variables.path("TMPDIR");
    temporary.unwrap_or_else(|| PathBuf::from("/tmp"))
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
    vec![
        runtime.join("emacs").join(name),
        temporary(place)
            .join(format!("emacs{}", file::user()))
            .join(name),
    ]
}

fn evaluate(
    socket: &Path,
    request: &Request,
    expression: &str,
    timeout: Duration,
) -> Result<Reply, Failure> {
    let message = message(expression);
    if message.len() > MAX_MESSAGE {
        return Err(Failure::invalid(
            "the path of the temporary folder is too long",
        ));
    }
    let mut peer = Peer::connect(socket, timeout)?;
    peer.send(message.as_bytes())?;
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
    let json = STANDARD.decode(printed);
    let json = json.map_err(|_| Failure::invalid("it is not Base64"))?;
    if json.is_empty() {
        return Err(Failure::Closed);
    }
    if json == b"null" {
        return Err(Failure::Unsupported(request.method()));
    }
    Reply::parse(&json)
}

/// Makes the line to send, short enough to be read at once, so that this client is the last one.
fn message(expression: &str) -> String {
    format!("-current-frame -eval {} \n", quote(expression))
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

    #[test]
    fn a_message_is_read_at_once() {
        let longest = message(&question(&Request::SelectedText));
        assert!(longest.len() <= MAX_MESSAGE, "{}", longest.len());
        let proposal = message(&expression(PROPOSAL));
        let path = MAX_MESSAGE - proposal.len();
        assert!(path >= 1_024, "{path} bytes are left for the file's path");
    }

    #[test]
    fn paths_are_escaped() {
        let escaped = escape(Path::new("/a \"b\"\\c")).expect("it is UTF-8");
        assert_eq!(escaped, "/a \\\"b\\\"\\\\c");
    }
}
