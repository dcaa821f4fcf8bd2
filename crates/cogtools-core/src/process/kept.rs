//! What is kept of an output that may be larger than anybody wants.

/// A part of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The bytes that were kept.
    pub bytes: Vec<u8>,
    /// How many bytes were not.
    pub left_out: u64,
}

impl Kept {
    /// How many bytes there were in all.
    pub const fn total(&self) -> u64 {
        self.bytes.len() as u64 + self.left_out
    }

    /// Adds what comes next, if there is room: the beginning is kept.
    pub(super) fn begin(&mut self, next: &[u8], most: usize) {
        let room = most.saturating_sub(self.bytes.len()).min(next.len());
        self.bytes.extend_from_slice(&next[..room]);
        self.left_out += (next.len() - room) as u64;
    }

    /// Adds what comes next, and makes room for it: the end is kept. It may be
    /// twice as long as `most` until [`Self::cut`].
    pub(super) fn end(&mut self, next: &[u8], most: usize) {
        self.bytes.extend_from_slice(next);
        if self.bytes.len() > 2 * most {
            self.cut(most);
        }
    }

    /// Leaves out all but the last `most` bytes.
    pub(super) fn cut(&mut self, most: usize) {
        let over = self.bytes.len().saturating_sub(most);
        self.bytes.drain(..over);
        self.left_out += over as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    #[test]
    fn the_beginning() {
        let mut kept = Kept::default();
        for next in ["abc", "def", "ghi"] {
            kept.begin(next.as_bytes(), 5);
        }
        assert_eq!((kept.bytes.as_slice(), kept.left_out), (&b"abcde"[..], 4));
        assert_eq!(kept.total(), 9);
    }

    #[test]
    fn the_end() {
        let mut kept = Kept::default();
        for next in ["abc", "def", "ghijkl", "mn"] {
            kept.end(next.as_bytes(), 5);
        }
        kept.cut(5);
        assert_eq!((kept.bytes.as_slice(), kept.left_out), (&b"jklmn"[..], 9));
        assert_eq!(kept.total(), 14);
    }
}
