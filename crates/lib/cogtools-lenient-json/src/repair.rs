//! Repairs and their places.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RepairKind {
    /// A comment was left out.
    #[error("comment removed")]
    Comment,
    /// The mark of a fence was left out.
    #[error("fence removed")]
    Fence,
    /// White space that JSON does not know was left out.
    #[error("unusual white space removed")]
    Space,
    /// A comma too many was left out.
    #[error("extra comma removed")]
    ExtraComma,
    /// A missing comma was added.
    #[error("missing comma added")]
    MissingComma,
    /// A missing colon was added.
    #[error("missing colon added")]
    MissingColon,
    /// Punctuation of another script or language was replaced.
    #[error("punctuation replaced")]
    Punctuation,
    /// Quotes of another kind were replaced.
    #[error("quotes replaced")]
    Quote,
    /// A missing quote was added.
    #[error("missing quote added")]
    MissingQuote,
    /// A quote inside a string was escaped.
    #[error("quote inside a string escaped")]
    InnerQuote,
    /// A control character inside a string, such as a line end, was escaped.
    #[error("control character inside a string escaped")]
    ControlCharacter,
    /// An escape that JSON does not know was replaced.
    #[error("unknown escape replaced")]
    Escape,
    /// A key without quotes was quoted.
    #[error("key quoted")]
    UnquotedKey,
    /// Text without quotes became a string.
    #[error("text quoted")]
    UnquotedText,
    /// A word of another language, such as `None`, was replaced.
    #[error("keyword replaced")]
    Keyword,
    /// A number in another notation was rewritten.
    #[error("number rewritten")]
    Number,
    /// A missing value became `null`.
    #[error("missing value replaced by null")]
    MissingValue,
    /// A minus without digits became `null`.
    #[error("minus without digits replaced by null")]
    LoneMinus,
    /// A missing closing bracket or brace was added.
    #[error("missing bracket added")]
    MissingBracket,
    /// A bracket that closes nothing was left out or replaced.
    #[error("extra bracket removed")]
    ExtraBracket,
    /// Strings joined by `+` were concatenated.
    #[error("strings concatenated")]
    Concatenation,
    /// An ellipsis was left out.
    #[error("ellipsis removed")]
    Ellipsis,
    /// A call around a value, such as `ObjectId(…)`, was left out.
    #[error("call around a value removed")]
    Call,
    /// JSON with escaped quotes was unescaped.
    #[error("escaped JSON unescaped")]
    EscapedJson,
    /// The text ends within the value, which was completed.
    #[error("end of the text: the value was completed")]
    Cut,
    /// A surrogate without its partner became U+FFFD. The text is valid, the string is not.
    #[error("lone surrogate replaced by U+FFFD")]
    Surrogate,
    /// A key occurs again, and its last value was taken. The text is valid.
    #[error("duplicate key: the last value was taken")]
    DuplicateKey,
}

impl RepairKind {
    /// Returns true if valid JSON can have it, so that it is no repair.
    pub const fn is_valid(self) -> bool {
        matches!(self, Self::Surrogate | Self::DuplicateKey)
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
