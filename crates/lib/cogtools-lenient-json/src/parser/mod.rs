//! The parser: one grammar, strict or with repairs.
//!
//! Each repair goes through [`Parser::repair`], which fails unless repairs are permitted. So
//! the strict parser accepts RFC 8259 and nothing else, and without a repair both agree.

mod bare;
mod lookahead;
mod object;
mod string;

use crate::character::narrow;
use crate::json::Json;
use crate::repair::{RepairKind, Repairs};

pub(crate) use bare::other_keyword;

/// Maximum nesting of arrays and objects.
pub const MAX_DEPTH: usize = 128;

/// Maximum number of values in a text.
pub const MAX_VALUES: usize = 4_000_000;

/// Permissions of the parser.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    /// Repair what is not valid.
    pub(crate) repair: bool,
    /// The text is still growing: keep what is certain of a value that is cut off.
    pub(crate) partial: bool,
    /// The value is in prose, where brackets need not be JSON.
    pub(crate) prose: bool,
}

/// Why no value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It is not JSON from this offset on, and cannot be repaired.
    Invalid(usize),
    /// The quotes are escaped.
    Escaped,
    /// The text at this offset is in the value, and no part of it.
    Stray(usize),
    /// It is nested too deeply at this offset.
    TooDeep(usize),
    /// It has too many values.
    TooMany,
}

/// Role of a string or a bare word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The whole text.
    Root,
    /// The key of a member.
    Key,
    /// The value of a member.
    Member,
    /// An item of an array.
    Item,
    /// The argument of a call.
    Argument,
}

/// Brackets that are open around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    Object,
    Array,
    Call,
}

impl Open {
    const fn closer(self) -> char {
        match self {
            Self::Object => '}',
            Self::Array => ']',
            Self::Call => ')',
        }
    }
}

/// A position in a text, and what has been read so far.
pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    pub(crate) pos: usize,
    pub(crate) mode: Mode,
    pub(crate) open: Vec<Open>,
    pub(crate) repairs: Repairs,
    pub(crate) values: usize,
    /// The first number that is beyond a double.
    pub(crate) out_of_range: Option<usize>,
    is_cut: bool,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, pos: usize, mode: Mode) -> Self {
        Self {
            text,
            pos,
            mode,
            open: Vec::new(),
            repairs: Repairs::default(),
            values: 0,
            out_of_range: None,
            is_cut: false,
        }
    }

    /// Reads the value at the current position, without what may precede it.
    pub(crate) fn value(&mut self, role: Role) -> Result<Option<Json>, Stop> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(Stop::TooMany);
        }
        match self.punctuation() {
            None => Ok(None),
            Some('{') => self.object().map(Some),
            Some('[') => self.array().map(Some),
            Some('\\') if self.mode.repair && self.is_escaped_quote() => Err(Stop::Escaped),
            Some(_) if self.at_quote() => self.strings(role).map(|text| Some(Json::String(text))),
            Some(_) => self.bare(role),
        }
    }

    /// The current character.
    pub(crate) fn peek(&self) -> Option<char> {
        self.char_at(self.pos)
    }

    /// The character at `at`.
    pub(crate) fn char_at(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    /// The current character; when repairing, the ASCII punctuation that it stands for.
    pub(crate) fn punctuation(&self) -> Option<char> {
        self.punctuation_at(self.pos)
    }

    pub(crate) fn punctuation_at(&self, at: usize) -> Option<char> {
        let c = self.char_at(at)?;
        Some(if self.mode.repair { narrow(c) } else { c })
    }

    /// Goes past the current character.
    pub(crate) fn bump(&mut self) {
        self.pos += self.peek().map_or(0, char::len_utf8);
    }

    /// Goes past a punctuation mark, which may have to be replaced.
    pub(crate) fn bump_punctuation(&mut self) -> Result<(), Stop> {
        if self.peek().is_some_and(|c| !c.is_ascii()) {
            self.repair(RepairKind::Punctuation, self.pos)?;
        }
        self.bump();
        Ok(())
    }

    /// Records a repair at `offset`, if it is permitted.
    pub(crate) fn repair(&mut self, kind: RepairKind, offset: usize) -> Result<(), Stop> {
        let permitted =
            self.mode.repair || kind.is_valid() || kind == RepairKind::Cut && self.mode.partial;
        if !permitted {
            return Err(Stop::Invalid(offset));
        }
        self.repairs.add(kind, offset);
        Ok(())
    }

    /// Completes what is open at the end of the text.
    pub(crate) fn cut(&mut self) -> Result<(), Stop> {
        if self.is_cut {
            return Ok(());
        }
        self.repair(RepairKind::Cut, self.text.len())?;
        self.is_cut = true;
        Ok(())
    }

    pub(crate) fn invalid<T>(&self) -> Result<T, Stop> {
        Err(Stop::Invalid(self.pos))
    }

    /// Goes into an array, an object or a call.
    pub(crate) fn enter(&mut self, open: Open) -> Result<(), Stop> {
        if self.open.len() == MAX_DEPTH {
            return Err(Stop::TooDeep(self.pos));
        }
        self.open.push(open);
        Ok(())
    }

    /// Returns true if something of that kind is open around what is being read.
    pub(crate) fn is_within(&self, open: Open) -> bool {
        let outer = self.open.len().saturating_sub(1);
        self.open[..outer].contains(&open)
    }

    /// Container of the innermost array or object.
    pub(crate) fn parent(&self) -> Option<Open> {
        let outer = self.open.len().checked_sub(2)?;
        self.open.get(outer).copied()
    }
}
