//! The protocol of `docs/reference/editor-protocol.md`: one request of JSON-RPC 2.0 in a line, one
//! response in a line.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Request;
use crate::answer::Reply;
use crate::failure::Failure;
use crate::peer::Peer;

/// A response.
#[derive(Deserialize)]
struct Response {
    result: Option<Value>,
    error: Option<RpcError>,
}

/// The error of a response.
#[derive(Deserialize)]
struct RpcError {
    code: i64,
    #[serde(default)]
    message: String,
}

/// The error of JSON-RPC for a method that the other side does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// Asks the editor at `socket`.
pub(crate) fn ask(socket: &Path, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
    let mut peer = Peer::connect(socket, timeout)?;
    let line = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": request.method(),
        "params": request.params(),
    });
    peer.send(format!("{line}\n").as_bytes())?;
    let line = peer.line()?;
    if line.is_empty() {
        return Err(Failure::Closed);
    }
    let response: Response =
        serde_json::from_str(&String::from_utf8_lossy(&line)).map_err(Failure::from)?;
    match response {
        Response {
            error: Some(error), ..
        } if error.code == METHOD_NOT_FOUND => Err(Failure::Unsupported(request.method())),
        Response {
            error: Some(error), ..
        } => Err(Failure::rejected(&error.message)),
        Response {
            result: Some(result),
            ..
        } => Reply::from_value(result),
        _ => Err(Failure::invalid("it has neither `result` nor `error`")),
    }
}
