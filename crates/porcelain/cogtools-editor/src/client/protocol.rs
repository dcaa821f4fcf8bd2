//! The protocol of `docs/reference/editor-protocol.md`: one request of JSON-RPC 2.0 in a line, one
//! response in a line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Failure, Reply};
use super::peer::Peer;

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
    let Response { result, error } = serde_json::from_str(&String::from_utf8_lossy(&line))?;
    match (error, result) {
        (Some(error), _) if error.code == METHOD_NOT_FOUND => {
            Err(Failure::Unsupported(request.method()))
        }
        (Some(error), _) => Err(Failure::rejected(&error.message)),
        (None, Some(result)) => Ok(serde_json::from_value(result)?),
        (None, None) => Err(Failure::invalid("it has neither `result` nor `error`")),
    }
}

/// A question to an editor.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "method")]
pub enum Request {
    /// The selection.
    #[serde(rename = "get_selected_text")]
    SelectedText,
    /// The whole text of the current file, saved or not.
    #[serde(rename = "get_current_file")]
    CurrentFile {
        /// Another file, absolute, in place of the current one.
        path: Option<PathBuf>,
    },
    /// The files that are open.
    #[serde(rename = "get_open_files")]
    OpenFiles,
    /// The errors and warnings that the editor shows.
    #[serde(rename = "get_diagnostics")]
    Diagnostics,
    /// To show a file to the user.
    #[serde(rename = "open_file")]
    OpenFile {
        /// The file, absolute.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// To show a change of a file, which the user accepts or rejects.
    #[serde(rename = "propose_edit")]
    ProposeEdit {
        /// The file, absolute.
        path: PathBuf,
        /// The whole text that it is to have.
        content: String,
        /// The hash of the text from which `content` was made.
        hash: Option<String>,
    },
}

impl Request {
    /// The longest text that an answer has, in bytes of UTF-8.
    pub const MAX_TEXT_BYTES: usize = 1 << 20;

    /// The method of the protocol, which is also the name of the tool.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::SelectedText => "get_selected_text",
            Self::CurrentFile { .. } => "get_current_file",
            Self::OpenFiles => "get_open_files",
            Self::Diagnostics => "get_diagnostics",
            Self::OpenFile { .. } => "open_file",
            Self::ProposeEdit { .. } => "propose_edit",
        }
    }

    /// The parameters of the method.
    pub(crate) fn params(&self) -> Value {
        match self {
            Self::SelectedText | Self::CurrentFile { path: None } => {
                json!({"max_bytes": Self::MAX_TEXT_BYTES})
            }
            Self::CurrentFile { path: Some(path) } => {
                json!({"max_bytes": Self::MAX_TEXT_BYTES, "path": path.to_string_lossy()})
            }
            Self::OpenFiles | Self::Diagnostics => json!({}),
            Self::OpenFile { path, line } => {
                json!({"path": path.to_string_lossy(), "line": line})
            }
            Self::ProposeEdit {
                path,
                content,
                hash,
            } => {
                let mut params = json!({"path": path.to_string_lossy(), "content": content});
                if let Some(hash) = hash {
                    params["hash"] = hash.as_str().into();
                }
                params
            }
        }
    }

    /// Returns the time limit of one editor: a person answers a proposal.
    pub(crate) const fn timeout(&self) -> Duration {
        match self {
            Self::ProposeEdit { .. } => Duration::from_mins(9),
            _ => Duration::from_secs(1),
        }
    }

    /// Returns the time limit of all editors together.
    pub(crate) const fn total(&self) -> Duration {
        match self {
            Self::ProposeEdit { .. } => self.timeout(),
            _ => Duration::from_secs(2),
        }
    }
}
