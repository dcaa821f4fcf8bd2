//! White space, comments and ellipses, and what follows without reading it. Each look goes a
//! bounded way beyond white space, so that a text is read in linear time.

use super::object::MAX_BARE_KEY;
use super::{Open, Parser, Stop};
use crate::character::{closes, is_json_space, is_other_space, is_quote, is_space, narrow};
use crate::repair::RepairKind;

/// Maximum distance to the end of a string, in bytes.
const MAX_STRING: usize = 256;

/// End of a string, and the text that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It does not end within the line.
    Nothing,
    /// It is too long to tell, or the text ends.
    Unknown,
    /// This character is the next one.
    Next(char, usize),
}

impl<'t> Parser<'t> {
    /// Returns true if a string begins at the current position.
    pub(super) fn at_quote(&self) -> bool {
        self.is_quote_at(self.pos)
    }

    /// Returns true if a string begins at `at`. Three backticks are a fence.
    pub(crate) fn is_quote_at(&self, at: usize) -> bool {
        match self.char_at(at) {
            Some('"') => true,
            Some(c) => self.mode.repair && is_quote(c) && !self.text[at..].starts_with("```"),
            None => false,
        }
    }

    /// Returns true if a quote with a backslash before it is at the current position.
    pub(super) fn is_escaped_quote(&self) -> bool {
        self.text[self.pos..].starts_with("\\\"")
    }

    /// Returns true if JSON, not text, begins at `at`.
    pub(crate) fn begins_value(&self, at: usize) -> bool {
        match self.punctuation_at(at) {
            Some('{' | '[' | '-') => true,
            Some(c) => c.is_ascii_digit() || self.is_quote_at(at) || self.is_keyword(at),
            None => false,
        }
    }

    /// Returns true if the next item of an array begins here, after a missing comma.
    pub(super) fn begins_item(&self) -> bool {
        if self.begins_value(self.pos) || self.is_escaped_quote() {
            return true;
        }
        let end = self.text_end(self.pos);
        let word = &self.text[self.pos..end];
        let next = self.punctuation_at(self.skip_space(end));
        !word.is_empty()
            && !self.mode.prose
            && !word.contains(is_space)
            && matches!(next, Some(',' | ']' | '"') | None)
            || self.text[end..].starts_with('\n') && !self.mode.prose && !word.contains(is_space)
    }

    /// Returns true if the next key of an object begins at `at`, after a missing comma.
    pub(super) fn begins_key(&self, at: usize) -> bool {
        if self.is_quote_at(at) || self.text[at..].starts_with("\\\"") {
            return true;
        }
        let gap = self.text[..at].len() - self.text[..at].trim_end_matches(is_space).len();
        let line_ends = self.text[at - gap..at].matches('\n').count();
        // What follows an empty line is prose more often than a key.
        line_ends < 2
            && self
                .bare_key_end(at)
                .is_some_and(|end| end < self.text.len())
    }

    /// Where a key without quotes ends that begins at `at`, and which a colon follows; at
    /// the end of the text it may be cut off.
    pub(crate) fn bare_key_end(&self, at: usize) -> Option<usize> {
        let mut after_space = false;
        for (offset, c) in self.text[at..].char_indices() {
            let here = at + offset;
            if offset > MAX_BARE_KEY {
                return None;
            }
            match narrow(c) {
                ':' if offset > 0 => return Some(here),
                '=' if offset > 0 && (!self.mode.prose || self.text[here..].starts_with("=>")) => {
                    return Some(here);
                }
                '"' if offset > 0 => {
                    let next = self.punctuation_at(self.skip_space(here + c.len_utf8()));
                    return (next == Some(':') || after_space && !self.mode.prose).then_some(here);
                }
                _ if is_quote(c) && after_space && !self.mode.prose => return Some(here),
                ':' | '=' | '"' | ',' | '{' | '}' | '[' | ']' | '(' | ')' | '\n' | ';' => {
                    return None;
                }
                _ => after_space = is_space(c),
            }
        }
        (!self.mode.prose && at < self.text.len()).then_some(self.text.len())
    }

    /// The key at `at` that lacks its second quote, and where it ends: no colon follows the
    /// next quote, but there is one with a value after it.
    pub(crate) fn unclosed_key(&self, at: usize) -> Option<(&'t str, usize)> {
        let text = self.text;
        let quote = self.char_at(at).filter(|_| self.is_quote_at(at))?;
        let begin = at + quote.len_utf8();
        let rest = &text[begin..];
        if matches!(self.after_string(at), After::Next(':' | '=', _)) {
            return None;
        }
        let limit = rest.floor_char_boundary(MAX_BARE_KEY);
        let line = rest[..limit].split(['\n', '\\']).next()?;
        let colon = line.find(':')?;
        let end = begin + colon;
        let is_key = !line[..colon].contains(|c| closes(quote, c))
            && self.begins_value(self.skip_space(end + 1));
        is_key.then(|| (line[..colon].trim_end(), end))
    }

    /// Returns true if what is at `at`, behind a value that ends at `end`, is rather a part of one
    /// around it than prose.
    pub(crate) fn goes_on(&self, end: usize, at: usize) -> bool {
        if let Some(',' | ':' | ';') = self.punctuation_at(at) {
            let next = self.skip_space(at + 1);
            return self.begins_value(next)
                || self.bare_key_end(next).is_some()
                || matches!(self.punctuation_at(next), Some(',' | ':'));
        }
        let is_end = |c: char| matches!(c, ',' | ':' | '}' | ']');
        if self.is_quote_at(at) {
            return match self.after_string(at) {
                After::Next(c, _) => is_end(c),
                After::Nothing | After::Unknown => true,
            };
        }
        if at == end && self.char_at(at).is_some_and(char::is_alphanumeric) {
            return true;
        }
        let next = self.punctuation_at(self.skip_space(self.word_end(at)));
        self.begins_value(at) && next.is_some_and(is_end)
    }

    /// Finds the end of the string that begins at `at`.
    pub(super) fn after_string(&self, at: usize) -> After {
        let Some(open) = self.char_at(at) else {
            return After::Unknown;
        };
        let begin = at + open.len_utf8();
        let mut is_escaped = false;
        for (offset, c) in self.text[begin..].char_indices() {
            if offset > MAX_STRING {
                return After::Unknown;
            }
            if c == '\n' {
                return After::Nothing;
            }
            if !is_escaped && closes(open, c) {
                let next = self.skip_space(begin + offset + c.len_utf8());
                return match self.punctuation_at(next) {
                    Some(c) => After::Next(c, next),
                    None => After::Unknown,
                };
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        After::Unknown
    }

    /// Returns true if the string at `at` is a key, even if the colon is missing.
    pub(super) fn is_key(&self, at: usize) -> bool {
        match self.after_string(at) {
            After::Nothing => false,
            After::Unknown | After::Next(':' | '=', _) => true,
            After::Next(_, next) => self.begins_value(next),
        }
    }

    /// Returns true if the string at `at` is a key with a colon.
    pub(crate) fn is_certainly_key(&self, at: usize) -> bool {
        matches!(self.after_string(at), After::Next(':', _))
    }

    /// Returns true if the string at `at` is certainly an item of an array.
    pub(super) fn is_certainly_item(&self, at: usize) -> bool {
        matches!(self.after_string(at), After::Next(',' | ']', _))
    }

    /// Returns true if a number that something else than text follows is at `at`.
    pub(super) fn is_number_item(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let next = self.punctuation_at(self.skip_space(at + end));
        let is_followed = matches!(next, None | Some(',' | ']' | '}' | '"' | '{' | '['))
            || next.is_some_and(|c| c.is_ascii_digit())
            || self.is_keyword(self.skip_space(at + end));
        end > 0 && is_followed
    }

    /// Returns true if an object is directly around what is being read.
    pub(super) fn is_in_object(&self) -> bool {
        self.open.contains(&Open::Object)
    }
}

impl Parser<'_> {
    /// Goes past white space and comments.
    pub(crate) fn trivia(&mut self) -> Result<(), Stop> {
        loop {
            match self.peek() {
                Some(c) if is_json_space(c) => self.pos += 1,
                Some(c) if self.mode.repair && is_other_space(c) => {
                    self.repair(RepairKind::Space, self.pos)?;
                    self.bump();
                }
                Some('/' | '#') if self.mode.repair => match self.comment_end(self.pos) {
                    Some(end) => {
                        self.repair(RepairKind::Comment, self.pos)?;
                        self.pos = end;
                    }
                    None => return Ok(()),
                },
                Some('`') if self.mode.repair && self.text[self.pos..].starts_with("```") => {
                    self.repair(RepairKind::Fence, self.pos)?;
                    let rest = self.text[self.pos..].trim_start_matches('`');
                    let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                    self.pos = self.text.len() - rest.len();
                }
                _ => return Ok(()),
            }
        }
    }

    /// Goes to a value. A word behind `#` or `//` on the same line is no comment if only one of `ends`,
    /// or nothing, is behind its line: as a comment it would take the value away.
    pub(crate) fn before_value(&mut self, ends: &[char]) -> Result<(), Stop> {
        let rest = &self.text[self.pos..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let at = self.pos + blank;
        let word = ["#", "//"]
            .iter()
            .find_map(|mark| self.text[at..].strip_prefix(mark));
        let is_word = word.is_some_and(|it| it.starts_with(|c: char| c.is_alphanumeric()));
        if !self.mode.repair || !is_word {
            return self.trivia();
        }
        let mut next = at;
        while let Some(end) = self.comment_end(next) {
            next = self.skip_space(end);
        }
        if self
            .punctuation_at(next)
            .is_some_and(|c| !ends.contains(&c))
        {
            return self.trivia();
        }
        self.pos = at;
        Ok(())
    }

    /// Returns true if a comment begins at `at`.
    pub(crate) fn is_comment(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        ["/*", "//", "#"].iter().any(|mark| rest.starts_with(mark))
    }

    /// The end of the comment at `at`, if there is one.
    pub(crate) fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").map(|end| at + 2 + end + 2);
            return Some(end.unwrap_or(self.text.len()));
        }
        if !rest.starts_with("//") && !rest.starts_with('#') {
            return None;
        }
        Some(rest.find('\n').map_or(self.text.len(), |end| at + end))
    }

    /// Goes past an ellipsis, if there is one.
    pub(crate) fn ellipsis(&mut self) -> Result<bool, Stop> {
        if !self.mode.repair {
            return Ok(false);
        }
        let length = match &self.text[self.pos..] {
            rest if rest.starts_with("...") => 3,
            rest if rest.starts_with('…') => '…'.len_utf8(),
            _ => return Ok(false),
        };
        self.repair(RepairKind::Ellipsis, self.pos)?;
        self.pos += length;
        Ok(true)
    }

    /// The first offset from `at` on that is no white space; `at` may be inside a character.
    pub(crate) fn skip_space(&self, at: usize) -> usize {
        let at = self.text.ceil_char_boundary(at);
        let rest = &self.text[at..];
        at + rest.len() - rest.trim_start_matches(is_space).len()
    }
}
