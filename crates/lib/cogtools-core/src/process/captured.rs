//! Captures the beginning or the end of an output that may be too long.

/// The captured part of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes that were captured.
    pub bytes: Vec<u8>,
    /// How many bytes were left out.
    pub left_out: u64,
}

impl Captured {
    /// The length of the whole output, in bytes.
    pub const fn total(&self) -> u64 {
        self.bytes.len() as u64 + self.left_out
    }

    /// Appends `next` while there is room, so that the beginning is captured.
    pub(super) fn keep_head(&mut self, next: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(next.len());
        self.bytes.extend_from_slice(&next[..room]);
        self.left_out += (next.len() - room) as u64;
    }

    /// Appends `next` and drops earlier bytes, so that the end is captured. It may be
    /// twice as long as `limit` until [`Self::truncate_head`].
    pub(super) fn keep_tail(&mut self, next: &[u8], limit: usize) {
        self.bytes.extend_from_slice(next);
        if self.bytes.len() > 2 * limit {
            self.truncate_head(limit);
        }
    }

    /// Drops all but the last `limit` bytes.
    pub(super) fn truncate_head(&mut self, limit: usize) {
        let over = self.bytes.len().saturating_sub(limit);
        self.bytes.drain(..over);
        self.left_out += over as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::Captured;

    #[test]
    fn the_beginning_is_captured() {
        let mut captured = Captured::default();
        for next in ["abc", "def", "ghi"] {
            captured.keep_head(next.as_bytes(), 5);
        }
        assert_eq!(
            (captured.bytes.as_slice(), captured.left_out),
            (&b"abcde"[..], 4)
        );
        assert_eq!(captured.total(), 9);
    }

    #[test]
    fn the_end_is_captured() {
        let mut captured = Captured::default();
        for next in ["abc", "def", "ghijkl", "mn"] {
            captured.keep_tail(next.as_bytes(), 5);
        }
        captured.truncate_head(5);
        assert_eq!(
            (captured.bytes.as_slice(), captured.left_out),
            (&b"jklmn"[..], 9)
        );
        assert_eq!(captured.total(), 14);
    }
}
