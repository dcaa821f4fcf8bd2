//! Numbers that look random and are the same for the same seed.

/// A sequence of numbers: `splitmix64`, which needs no crate.
pub(super) struct Random(u64);

impl Random {
    /// The sequence of that seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a count");
        usize::try_from(self.next() % end).expect("smaller than a count")
    }

    /// One of the items.
    pub(super) fn pick<'i>(&mut self, items: &'i [String]) -> &'i str {
        &items[self.below(items.len())]
    }

    /// True in `percent` of 100 calls.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
