//! Repairs and their places.

use std::fmt::{self, Display, Formatter};

/// Maximum number of listed repairs of a value; the others are only counted.
pub const MAX_REPAIRS: usize = 1_000;

/// One repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The kind of mistake that was repaired.
    pub kind: RepairKind,
    /// Where: an offset in bytes into the text that was searched.
    pub offset: usize,
}

/// The kind of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// A comment was left out.
    Comment,
    /// The mark of a fence was left out.
    Fence,
    /// White space that JSON does not know was left out.
    Space,
    /// A comma too many was left out.
    ExtraComma,
    /// A missing comma was added.
    MissingComma,
    /// A missing colon was added.
    MissingColon,
    /// Punctuation of another script or language was replaced.
    Punctuation,
    /// Quotes of another kind were replaced.
    Quote,
    /// A missing quote was added.
    MissingQuote,
    /// A quote inside a string was escaped.
    InnerQuote,
    /// A control character inside a string, such as a line end, was escaped.
    ControlCharacter,
    /// An escape that JSON does not know was replaced.
    Escape,
    /// A key without quotes was quoted.
    UnquotedKey,
    /// Text without quotes became a string.
    UnquotedText,
    /// A word of another language, such as `None`, was replaced.
    Keyword,
    /// A number in another notation was rewritten.
    Number,
    /// A missing value became `null`.
    MissingValue,
    /// A minus without digits became `null`.
    LoneMinus,
    /// A missing closing bracket or brace was added.
    MissingBracket,
    /// A bracket that closes nothing was left out or replaced.
    ExtraBracket,
    /// Strings joined by `+` were concatenated.
    Concatenation,
    /// An ellipsis was left out.
    Ellipsis,
    /// A call around a value, such as `ObjectId(…)`, was left out.
    Call,
    /// JSON with escaped quotes was unescaped.
    EscapedJson,
    /// The text ends within the value, which was completed.
    Cut,
    /// A surrogate without its partner became U+FFFD. The text is valid, the string is not.
    Surrogate,
    /// A key occurs again, and its last value was taken. The text is valid.
    DuplicateKey,
}

impl RepairKind {
    /// Returns true if valid JSON can have it, so that it is no repair.
    pub const fn is_valid(self) -> bool {
        matches!(self, Self::Surrogate | Self::DuplicateKey)
    }
}

impl Display for RepairKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comment => "comment removed",
            Self::Fence => "fence removed",
            Self::Space => "unusual white space removed",
            Self::ExtraComma => "extra comma removed",
            Self::MissingComma => "missing comma added",
            Self::MissingColon => "missing colon added",
            Self::Punctuation => "punctuation replaced",
            Self::Quote => "quotes replaced",
            Self::MissingQuote => "missing quote added",
            Self::InnerQuote => "quote inside a string escaped",
            Self::ControlCharacter => "control character inside a string escaped",
            Self::Escape => "unknown escape replaced",
            Self::UnquotedKey => "key quoted",
            Self::UnquotedText => "text quoted",
            Self::Keyword => "keyword replaced",
            Self::Number => "number rewritten",
            Self::MissingValue => "missing value replaced by null",
            Self::LoneMinus => "minus without digits replaced by null",
            Self::MissingBracket => "missing bracket added",
            Self::ExtraBracket => "extra bracket removed",
            Self::Concatenation => "strings concatenated",
            Self::Ellipsis => "ellipsis removed",
            Self::Call => "call around a value removed",
            Self::EscapedJson => "escaped JSON unescaped",
            Self::Cut => "end of the text: the value was completed",
            Self::Surrogate => "lone surrogate replaced by U+FFFD",
            Self::DuplicateKey => "duplicate key: the last value was taken",
        })
    }
}

/// The repairs of one value, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// The first [`MAX_REPAIRS`] repairs, and the end of the text if it is within the value.
    pub listed: Vec<Repair>,
    /// Number of repairs.
    pub count: usize,
}

impl Repairs {
    pub(crate) fn add(&mut self, kind: RepairKind, offset: usize) {
        self.count += 1;
        // The end of a text is never lost.
        if self.listed.len() < MAX_REPAIRS || kind == RepairKind::Cut {
            self.listed.push(Repair { kind, offset });
        }
    }

    /// Returns to an earlier state.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.listed.truncate(count);
    }

    /// Removes the repairs from `offset` on, among the last ones.
    pub(crate) fn truncate_at(&mut self, offset: usize) {
        while self.listed.len() == self.count
            && self.listed.last().is_some_and(|last| last.offset >= offset)
        {
            self.truncate(self.count - 1);
        }
    }

    /// Moves all offsets.
    pub(crate) fn map(&mut self, offset: impl FnMut(usize) -> usize) {
        let mut offset = offset;
        for repair in &mut self.listed {
            repair.offset = offset(repair.offset);
        }
    }

    /// Appends other repairs.
    pub(crate) fn extend(&mut self, others: &Self) {
        let room = MAX_REPAIRS.saturating_sub(self.listed.len());
        let others_listed = others.listed.iter().enumerate();
        let kept = others_listed.filter(|(index, it)| *index < room || it.kind == RepairKind::Cut);
        self.listed.extend(kept.map(|(_, it)| it));
        self.count += others.count;
    }

    pub(crate) fn sort(&mut self) {
        self.listed.sort_by_key(|repair| repair.offset);
    }
}

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Repairs {
    /// The listed repairs with their positions in `text`, which is read once.
    pub fn positions<'r>(&'r self, text: &'r str) -> impl Iterator<Item = (Repair, Position)> + 'r {
        let mut position = Position { line: 1, column: 1 };
        let mut done = 0;
        self.listed.iter().map(move |repair| {
            let to = text.floor_char_boundary(repair.offset).max(done);
            for c in text[done..to].chars() {
                position = match c {
                    '\n' => Position {
                        line: position.line + 1,
                        column: 1,
                    },
                    _ => Position {
                        column: position.column + 1,
                        ..position
                    },
                };
            }
            done = to;
            (*repair, position)
        })
    }
}
