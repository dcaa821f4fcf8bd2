//! What a program prints on standard error, line by line, for a caller that shows it while the
//! program runs.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// The longest line, in bytes; the rest of a longer one is dropped.
const MAX_LINE: usize = 16 << 10;

/// Receives lines.
#[derive(Clone)]
pub struct LineSink(Arc<dyn Fn(&str) + Send + Sync>);

/// The line that a program is printing.
#[derive(Debug)]
pub(super) struct Lines {
    sink: LineSink,
    line: Vec<u8>,
}

impl LineSink {
    /// Passes each line that has ended to `receive`, without its end.
    pub fn new(receive: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }
}

impl Debug for LineSink {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineSink").finish_non_exhaustive()
    }
}

impl Lines {
    pub(super) const fn new(sink: LineSink) -> Self {
        Self {
            sink,
            line: Vec::new(),
        }
    }

    /// Adds what was printed.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, has_ended) = match part.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (part, false),
            };
            let room = MAX_LINE.saturating_sub(self.line.len());
            self.line.extend(&text[..text.len().min(room)]);
            if has_ended {
                (self.sink.0)(String::from_utf8_lossy(&self.line).trim_end_matches('\r'));
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn lines_are_complete_and_bounded() {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&seen);
        let sink = LineSink::new(move |line| sink.lock().expect("a lock").push(line.to_owned()));
        let mut lines = Lines::new(sink);
        for part in ["a", "b\r\n", "\nc\nrest", &"x".repeat(MAX_LINE), "\nd"] {
            lines.push(part.as_bytes());
        }
        let long = format!("rest{}", "x".repeat(MAX_LINE - 4));
        assert_eq!(
            *seen.lock().expect("a lock"),
            ["ab", "", "c", long.as_str()]
        );
    }
}
