//! How many characters a string has, and how many items a list.

/// A range of lengths, both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) min: u32,
    pub(super) max: u32,
}

impl Default for Length {
    /// Any length.
    fn default() -> Self {
        Self {
            min: 0,
            max: u32::MAX,
        }
    }
}

impl Length {
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Whether a text has such a length.
    pub(super) fn is_of(self, text: &str) -> bool {
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        length >= self.min && length <= self.max
    }

    /// The range as numbers, of which each is so many times as large at most.
    pub(super) fn numbers(self, times: u32) -> (f64, f64) {
        let max = match self.max {
            u32::MAX => f64::INFINITY,
            max => f64::from(max) * f64::from(times),
        };
        (f64::from(self.min), max)
    }
}
