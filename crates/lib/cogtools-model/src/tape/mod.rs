//! Tapes: recorded responses, one JSON object a line, found by the hash of their request.
//!
//! A replay never reaches the network: a request that was not recorded fails, with the
//! difference to the nearest one that was. The first line holds what else a request depends
//! on, so that the same program makes the same requests again.

mod mask;
mod nearest;
mod record;
mod recording;
mod replay;

use serde::{Deserialize, Serialize};

pub use record::Recorder;
pub use replay::Replay;

/// The version of tapes that is written and read.
const VERSION: u32 = 1;

/// The size of a tape that is still read.
pub const MAX_TAPE_BYTES: usize = 256 << 20;

/// What the requests of a tape depend on: its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tape {
    /// The time that its prompts name, in the format of the program that made them.
    pub time: String,
    /// The model that was asked.
    pub model: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    tape: u32,
    time: String,
    model: String,
}
