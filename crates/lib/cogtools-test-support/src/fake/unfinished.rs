//! Faults of a conversation at the end of its script.

use std::fmt;

/// Why a script was not played as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The API would have refused requests, for these reasons.
    Refused(Vec<String>),
    /// Requests came after the last turn: their numbers, from 1.
    Beyond(Vec<usize>),
    /// No model would have answered the requests like this, for these reasons.
    Impossible(Vec<String>),
    /// Turns were not played.
    Unplayed {
        /// The number of requests that came.
        requests: usize,
        /// The turns, as text.
        turns: Vec<String>,
    },
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reasons) => {
                write!(
                    f,
                    "the API would have refused this:\n{}",
                    reasons.join("\n")
                )
            }
            Self::Beyond(numbers) => {
                write!(f, "these requests came after the last turn: {numbers:?}")
            }
            Self::Impossible(reasons) => {
                write!(f, "no model would say this:\n{}", reasons.join("\n"))
            }
            Self::Unplayed { requests, turns } => write!(
                f,
                "after {requests} requests these turns were not played:\n{}",
                turns.join("\n")
            ),
        }
    }
}

impl std::error::Error for Unfinished {}
