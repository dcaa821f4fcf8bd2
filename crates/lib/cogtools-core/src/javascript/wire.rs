//! What the process is sent and what it prints: a line of JSON with the code, and after it the
//! arguments; then a line for each event, the last of which is the result or an error.
//!
//! Both sides belong to one version, so this is no contract. Logs are printed at once: they are
//! not lost when the process is killed.

use serde::{Deserialize, Serialize};

use super::ScriptError;

/// What comes before the arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The body of the function.
    pub code: String,
    /// The time that the clock shows, in milliseconds since 1970.
    pub now: Option<f64>,
}

/// A line that the process prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// Something was logged.
    Log(String),
    /// The body returned.
    Result {
        /// The result as JSON.
        json: String,
        /// Whether it is the text of a value that JSON does not have.
        stringified: bool,
        /// How long it ran, in milliseconds.
        ms: u64,
    },
    /// It failed.
    Error(ScriptError),
}

impl Request {
    /// The whole input of the process: this, and `args` as JSON.
    pub(super) fn encode(&self, args: &str) -> Vec<u8> {
        // Text and a number can always be serialized.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend_from_slice(args.as_bytes());
        bytes
    }

    /// The request in the `input` of the process, and the arguments after it.
    pub fn decode(input: &[u8]) -> Option<(Self, &[u8])> {
        let end = input.iter().position(|byte| *byte == b'\n')?;
        let request = serde_json::from_slice(&input[..end]).ok()?;
        Some((request, &input[end + 1..]))
    }
}

impl Event {
    /// It as a line.
    pub fn encode(&self) -> Vec<u8> {
        // Text, numbers and booleans can always be serialized.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}
