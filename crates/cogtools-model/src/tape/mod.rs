//! Tapes: recorded responses, one JSON object a line, found by the hash of their request.
//!
//! A replay never reaches the network: a request that was not recorded fails, with the
//! difference to the nearest one that was.

mod record;
mod replay;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use record::Recorder;
pub use replay::Replay;

/// A line: a request and what was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Recording {
    hash: String,
    model: String,
    request: Value,
    response: Vec<Value>,
}
