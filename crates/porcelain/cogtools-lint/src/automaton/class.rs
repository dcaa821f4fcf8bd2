//! Sets of characters, as sorted ranges that neither touch nor overlap.

use regex_syntax::ast::{
    ClassBracketed, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Literal,
};

/// A set of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(Vec<(u32, u32)>);

/// What ECMA-262 calls a line terminator.
const LINE_ENDS: [(u32, u32); 3] = [(0xa, 0xa), (0xd, 0xd), (0x2028, 0x2029)];
const DIGITS: [(u32, u32); 1] = [(0x30, 0x39)];
const WORD: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
const SPACES: [(u32, u32); 9] = [
    (0x9, 0xd),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x3000),
    (0xfeff, 0xfeff),
];
const LAST: u32 = 0x10_ffff;

impl Class {
    /// What `.` matches.
    pub(super) fn dot() -> Self {
        Self::of(&LINE_ENDS).complement()
    }

    pub(super) fn literal(literal: &Literal) -> Self {
        let c = u32::from(literal.c);
        Self(vec![(c, c)])
    }

    /// `\d`, `\s`, `\w` and their complements.
    pub(super) fn perl(class: &ClassPerl) -> Self {
        let set = match class.kind {
            ClassPerlKind::Digit => Self::of(&DIGITS),
            ClassPerlKind::Space => Self::of(&SPACES),
            ClassPerlKind::Word => Self::of(&WORD),
        };
        if class.negated { set.complement() } else { set }
    }

    /// `[…]`; none for what ECMA-262 reads differently.
    pub(super) fn bracketed(class: &ClassBracketed) -> Option<Self> {
        let ClassSet::Item(item) = &class.kind else {
            return None;
        };
        let set = Self::item(item)?;
        Some(if class.negated { set.complement() } else { set })
    }

    fn item(item: &ClassSetItem) -> Option<Self> {
        Some(match item {
            ClassSetItem::Empty(_) => Self::default(),
            ClassSetItem::Literal(literal) => Self::literal(literal),
            ClassSetItem::Range(range) => {
                Self(vec![(u32::from(range.start.c), u32::from(range.end.c))])
            }
            ClassSetItem::Perl(class) => Self::perl(class),
            ClassSetItem::Union(union) => {
                let mut ranges = Vec::new();
                for item in &union.items {
                    ranges.extend(Self::item(item)?.0);
                }
                Self::of(&ranges)
            }
            ClassSetItem::Ascii(_) | ClassSetItem::Unicode(_) | ClassSetItem::Bracketed(_) => {
                return None;
            }
        })
    }

    fn of(ranges: &[(u32, u32)]) -> Self {
        let mut sorted = ranges.to_vec();
        sorted.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (start, end) in sorted {
            match merged.last_mut() {
                Some((_, last)) if start <= last.saturating_add(1) => *last = end.max(*last),
                _ => merged.push((start, end)),
            }
        }
        Self(merged)
    }

    fn complement(&self) -> Self {
        let mut ranges = Vec::new();
        let mut next = 0;
        for (start, end) in &self.0 {
            if *start > next {
                ranges.push((next, start - 1));
            }
            next = end + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Self(ranges)
    }

    /// Whether a character is in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some((start, end)), Some((from, to))) = (left.peek(), right.peek()) {
            if start <= to && from <= end {
                return true;
            }
            if end < to {
                left.next();
            } else {
                right.next();
            }
        }
        false
    }
}
