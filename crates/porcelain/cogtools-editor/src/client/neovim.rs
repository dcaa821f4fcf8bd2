//! Neovim, which has a server for the programs in its terminals.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::answer::{Failure, Reply};
use super::peer::Peer;
use super::protocol::Request;

/// The chunk that Neovim runs, with the method, its parameters as JSON, and the name of this
/// client; it returns JSON. It sends the outcome of a proposal later, in a notification.
const CHUNK: &str = concat!(
    include_str!("neovim.lua"),
    include_str!("neovim_proposal.lua")
);
/// The notification with the outcome of a proposal.
const OUTCOME: &[u8] = b"cogtools_proposal";
/// The most messages that come before the response: none is expected.
const MAX_MESSAGES: usize = 100;

/// Asks the Neovim at `socket`.
pub(crate) fn ask(socket: &str, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
    let path = Path::new(socket);
    if !path.is_absolute() {
        return Err(Failure::NotAPath(socket.to_owned()));
    }
    let mut peer = Peer::connect(path, timeout)?;
    let params = request.params().to_string();
    let name = client_name();
    let mut messages = introduction(&name);
    let arguments = [request.method(), &params, &name];
    messages.extend(call("nvim_exec_lua", CHUNK, &arguments));
    peer.send(&messages)?;
    let is_proposal = matches!(request, Request::ProposeEdit { .. });
    for _ in 0..MAX_MESSAGES {
        let message = read(&mut peer).map_err(|error| peer.failure(error))?;
        let Value::List(message) = message else {
            break;
        };
        // A response is [1, id, error, result]; a notification is [2, method, arguments].
        match message.as_slice() {
            [
                Value::Number(2),
                Value::Text(method),
                Value::List(arguments),
            ] if is_proposal && method == OUTCOME => {
                let [Value::Text(json)] = arguments.as_slice() else {
                    break;
                };
                return Reply::parse(json);
            }
            [
                Value::Number(1),
                Value::Number(1),
                Value::Nil,
                Value::Text(json),
            ] => {
                return Reply::parse(json);
            }
            [Value::Number(1), Value::Number(1), Value::Nil, _] if is_proposal => {}
            [Value::Number(1), Value::Number(1), Value::Nil, Value::Nil] => {
                return Err(Failure::Unsupported(request.method()));
            }
            [Value::Number(1), Value::Number(1), error, _] => return Err(rejected(error)),
            _ => {}
        }
    }
    Err(Failure::invalid("it is not a response of MessagePack-RPC"))
}

/// Neovim's own error: a number and a text.
fn rejected(error: &Value) -> Failure {
    if let Value::List(parts) = error
        && let [_, Value::Text(text)] = parts.as_slice()
    {
        return Failure::rejected(&String::from_utf8_lossy(text));
    }
    Failure::invalid("it is an error without a message")
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing.
    Nil,
    /// A number without sign.
    Number(u64),
    /// Text, or bytes.
    Text(Vec<u8>),
    /// A list.
    List(Vec<Self>),
    /// Anything else.
    Other,
}

/// The most values of a message, those inside others among them.
const MAX_VALUES: usize = 10_000;
/// Maximum nesting of lists.
const MAX_DEPTH: usize = 16;

/// Makes a name that no other client of an editor has.
fn client_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    format!("cogtools-{}-{now}", std::process::id())
}

/// Makes the notification that tells Neovim the name of this client, so that the chunk finds its
/// channel.
fn introduction(name: &str) -> Vec<u8> {
    let mut bytes = vec![0x93, 0x02];
    text(&mut bytes, "nvim_set_client_info");
    // The name, and a version, a type, methods and attributes, all empty but the type.
    bytes.push(0x95);
    text(&mut bytes, name);
    bytes.push(0x80);
    text(&mut bytes, "remote");
    bytes.extend([0x80, 0x80]);
    bytes
}

/// The call of a method with `arguments` that are text and one list of texts.
pub(crate) fn call(method: &str, code: &str, arguments: &[&str]) -> Vec<u8> {
    // A request is [0, id, method, parameters].
    let mut bytes = vec![0x94, 0x00, 0x01];
    text(&mut bytes, method);
    bytes.push(0x92);
    text(&mut bytes, code);
    bytes.push(0x90 | u8::try_from(arguments.len().min(15)).unwrap_or(15));
    for argument in arguments.iter().take(15) {
        text(&mut bytes, argument);
    }
    bytes
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(0xdb);
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_be_bytes());
    bytes.extend(text.as_bytes());
}

/// Reads one value. The reader has a limit of its own.
pub(crate) fn read(reader: &mut impl Read) -> io::Result<Value> {
    Decoder {
        reader,
        values: MAX_VALUES,
    }
    .value(0)
}

struct Decoder<'r, R> {
    reader: &'r mut R,
    values: usize,
}

impl<R: Read> Decoder<'_, R> {
    fn value(&mut self, depth: usize) -> io::Result<Value> {
        self.values = self.values.checked_sub(1).ok_or_else(unusable)?;
        if depth > MAX_DEPTH {
            return Err(unusable());
        }
        let kind = self.byte()?;
        Ok(match kind {
            0x00..=0x7f => Value::Number(u64::from(kind)),
            0x90..=0x9f => self.list(u64::from(kind & 0x0f), depth)?,
            0xa0..=0xbf => self.bytes(u64::from(kind & 0x1f))?,
            0xc0 => Value::Nil,
            0xc2 | 0xc3 | 0xe0..=0xff => Value::Other,
            0xcc..=0xcf => Value::Number(self.number(1 << (kind - 0xcc))?),
            0xc4..=0xc6 => {
                let length = self.number(1 << (kind - 0xc4))?;
                self.bytes(length)?
            }
            0xd9..=0xdb => {
                let length = self.number(1 << (kind - 0xd9))?;
                self.bytes(length)?
            }
            0xdc | 0xdd => {
                let length = self.number(2 << (kind - 0xdc))?;
                self.list(length, depth)?
            }
            // Neither a response nor the notification has maps, fractions or extensions.
            _ => return Err(unusable()),
        })
    }

    fn list(&mut self, length: u64, depth: usize) -> io::Result<Value> {
        let mut list = Vec::new();
        for _ in 0..length {
            list.push(self.value(depth + 1)?);
        }
        Ok(Value::List(list))
    }

    fn bytes(&mut self, length: u64) -> io::Result<Value> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(length).read_to_end(&mut bytes)?;
        if u64::try_from(read).ok() == Some(length) {
            Ok(Value::Text(bytes))
        } else {
            Err(ErrorKind::UnexpectedEof.into())
        }
    }

    /// A number of `width` bytes, at most eight.
    fn number(&mut self, width: usize) -> io::Result<u64> {
        let mut number = 0;
        for _ in 0..width {
            number = number << 8 | u64::from(self.byte()?);
        }
        Ok(number)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        Ok(byte[0])
    }
}

fn unusable() -> io::Error {
    ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let check = |bytes: &[u8], expected: Value| {
            let mut reader = bytes;
            assert_eq!(read(&mut reader).expect("it is valid"), expected);
            assert_eq!(reader, [0; 0], "{bytes:x?}");
        };
        let text = |text: &str| Value::Text(text.into());
        check(&[0x07], Value::Number(7));
        check(&[0xc0], Value::Nil);
        check(&[0xcd, 1, 2], Value::Number(258));
        check(&[0xa2, b'a', b'b'], text("ab"));
        check(&[0xd9, 1, b'a'], text("a"));
        check(&[0xda, 0, 1, b'a'], text("a"));
        check(&[0xdb, 0, 0, 0, 1, b'a'], text("a"));
        check(&[0xc4, 1, b'a'], text("a"));
        check(&[0x92, 0xc0, 0xa0], Value::List(vec![Value::Nil, text("")]));
        check(&[0xdc, 0, 1, 0xc3], Value::List(vec![Value::Other]));
        check(&[0xff], Value::Other);
    }

    #[test]
    fn what_is_incomplete_or_too_much_is_an_error() {
        let check = |bytes: &[u8], kind: ErrorKind| {
            let error = read(&mut &*bytes).expect_err("it is not valid");
            assert_eq!(error.kind(), kind, "{bytes:x?}");
        };
        check(&[], ErrorKind::UnexpectedEof);
        check(
            &[0xdb, 0xff, 0xff, 0xff, 0xff, b'a'],
            ErrorKind::UnexpectedEof,
        );
        check(&[0xdd, 0xff, 0xff, 0xff, 0xff], ErrorKind::UnexpectedEof);
        check(&[0xc1], ErrorKind::InvalidData);
        check(&[0x81, 0xa1, b'a', 0x01], ErrorKind::InvalidData);
        check(&[0x91; 30], ErrorKind::InvalidData);
        let mut long = vec![0xdd, 0xff, 0xff, 0xff, 0xff];
        long.extend(vec![0xc0; 20_000]);
        check(&long, ErrorKind::InvalidData);
    }

    #[test]
    fn a_call_is_a_request() {
        let bytes = call("m", "c", &["a"]);
        let texts = ["m", "c", "a"].map(|text| Value::Text(text.into()));
        let [method, code, argument] = texts;
        let parameters = Value::List(vec![code, Value::List(vec![argument])]);
        let request = vec![Value::Number(0), Value::Number(1), method, parameters];
        assert_eq!(
            read(&mut &*bytes).expect("it is valid"),
            Value::List(request)
        );
    }
}
