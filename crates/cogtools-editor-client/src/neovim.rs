//! Neovim, which has a server for the programs in its terminals.

use std::path::Path;
use std::time::Duration;

use crate::Request;
use crate::answer::Reply;
use crate::failure::Failure;
use crate::msgpack::{self, Value};
use crate::peer::Peer;

/// What Neovim runs: a chunk that gets the method and its parameters as JSON, and returns JSON.
const CHUNK: &str = include_str!("neovim.lua");
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
    let call = msgpack::call("nvim_exec_lua", CHUNK, &[request.method(), &params]);
    peer.send(&call)?;
    for _ in 0..MAX_MESSAGES {
        let message = msgpack::read(&mut peer).map_err(|error| peer.failure(error))?;
        let Value::List(message) = message else {
            break;
        };
        // A response is [1, id, error, result].
        match message.as_slice() {
            [
                Value::Number(1),
                Value::Number(1),
                Value::Nil,
                Value::Text(json),
            ] => {
                return Reply::parse(json);
            }
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
    match error {
        Value::List(parts) => match parts.as_slice() {
            [_, Value::Text(text)] => Failure::rejected(&String::from_utf8_lossy(text)),
            _ => Failure::invalid("it is an error without a message"),
        },
        _ => Failure::invalid("it is an error without a message"),
    }
}
