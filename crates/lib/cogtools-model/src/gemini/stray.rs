//! What a server sends outside of events: the error of a stream that failed, or a page.

use serde_json::Value;

use crate::api_error::error_in;

/// How much of it is kept.
const MAX_BYTES: usize = 64 << 10;

/// The lines that are neither fields nor comments of events: those begin with letters and colons.
#[derive(Default)]
pub(super) struct Stray {
    bytes: Vec<u8>,
    line: Line,
}

/// What the last byte belongs to.
#[derive(Clone, Copy, Default)]
enum Line {
    #[default]
    None,
    OfEvent,
    Stray,
}

impl Stray {
    /// Looks at the next bytes of the body.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_of_event =
                |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b':' | b'\n' | b'\r');
            let line = match self.line {
                Line::None if piece.first().is_some_and(is_of_event) => Line::OfEvent,
                Line::None => Line::Stray,
                line => line,
            };
            if matches!(line, Line::Stray) {
                let left = MAX_BYTES - self.bytes.len();
                self.bytes
                    .extend_from_slice(&piece[..piece.len().min(left)]);
            }
            let has_ended = piece.ends_with(b"\n") || piece.ends_with(b"\r");
            self.line = if has_ended { Line::None } else { line };
        }
    }

    /// Whether there is nothing but blanks.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// The error that it is.
    pub(super) fn error(&self) -> Option<Value> {
        error_in(&self.bytes)
    }
}
