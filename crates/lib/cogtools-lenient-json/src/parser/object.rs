//! Objects and arrays.

use indexmap::IndexMap;

use super::{Open, Parser, Role, Stop};
use crate::character::is_space;
use crate::json::Json;
use crate::repair::RepairKind;

/// The longest key without quotes, in bytes.
pub(super) const MAX_BARE_KEY: usize = 128;

/// Bytes in which a closing bracket shows that what does not fit is inside of the value.
const MAX_STRAY: usize = 1 << 10;

/// The continuation after an item or a member.
enum Next {
    More,
    End,
}

impl Parser<'_> {
    pub(super) fn object(&mut self) -> Result<Json, Stop> {
        let start = self.pos;
        let mut members = IndexMap::new();
        match self.container(Open::Object, |parser| parser.member(&mut members)) {
            Err(Stop::Invalid(offset)) if self.is_certainly_object(start) => {
                Err(Stop::Stray(offset))
            }
            result => result.map(|()| Json::Object(members)),
        }
    }

    pub(super) fn array(&mut self) -> Result<Json, Stop> {
        let mut items = Vec::new();
        self.container(Open::Array, |parser| parser.item(&mut items))?;
        Ok(Json::Array(items))
    }

    /// Reads an object or an array; `read` reads one part and what follows it.
    fn container(
        &mut self,
        open: Open,
        mut read: impl FnMut(&mut Self) -> Result<Next, Stop>,
    ) -> Result<(), Stop> {
        self.bump_punctuation()?;
        self.enter(open)?;
        self.before_part(open)?;
        if !self.mode.repair && self.peek() == Some(open.closer()) {
            self.bump();
            self.open.pop();
            return Ok(());
        }
        loop {
            self.before_part(open)?;
            if self.mode.repair {
                while self.ellipsis()? || self.extra_comma()? {
                    self.trivia()?;
                }
                if self.closes(open)? {
                    break;
                }
            }
            if self.peek().is_none() {
                self.cut()?;
                break;
            }
            if let Next::End = read(self)? {
                break;
            }
        }
        self.open.pop();
        Ok(())
    }

    /// Returns true if the brace at `start` is no prose: a key in quotes and a colon follow it.
    fn is_certainly_object(&self, start: usize) -> bool {
        let brace = self.char_at(start).map_or(1, char::len_utf8);
        let key = self.skip_space(start + brace);
        self.mode.repair && self.is_quote_at(key) && self.is_certainly_key(key)
    }

    /// Goes to the next part of an object or an array.
    fn before_part(&mut self, open: Open) -> Result<(), Stop> {
        match open {
            Open::Array => self.before_value(&[',']),
            _ => self.trivia(),
        }
    }

    /// Reads one item and what follows it.
    fn item(&mut self, items: &mut Vec<Json>) -> Result<Next, Stop> {
        let start = self.pos;
        let before = self.repairs.count;
        let Some(value) = self.value(Role::Item)? else {
            if self.peek().is_some() {
                return self.invalid();
            }
            self.cut()?;
            return Ok(Next::End);
        };
        self.trivia()?;
        if self.punctuation() == Some(':')
            && self.parent() == Some(Open::Object)
            && matches!(value, Json::String(_))
        {
            // This is the next key of the object around an array that was not closed.
            self.pos = start;
            self.repairs.truncate(before);
            self.repair(RepairKind::MissingBracket, start)?;
            return Ok(Next::End);
        }
        items.push(value);
        self.after(Open::Array)
    }

    /// Reads one member and what follows it.
    fn member(&mut self, members: &mut IndexMap<String, Json>) -> Result<Next, Stop> {
        let start = self.pos;
        let Some(key) = self.key()? else {
            if !self.mode.repair || members.is_empty() {
                return self.invalid();
            }
            return self.end_before_text();
        };
        self.trivia()?;
        if self.peek().is_none() && self.mode.partial {
            self.cut()?;
            return Ok(Next::End);
        }
        self.colon()?;
        self.before_value(&[',', '}', ']'])?;
        let begin = self.pos;
        let before = self.repairs.count;
        let Some(mut value) = self.member_value()? else {
            return Ok(Next::End);
        };
        if let Some(end) = self.text_with_commas(begin, &value) {
            self.repairs.truncate(before);
            self.repair(RepairKind::UnquotedText, begin)?;
            value = Json::String(self.text[begin..end].to_owned());
            self.pos = end;
        }
        if members.insert(key, value).is_some() {
            self.repair(RepairKind::DuplicateKey, start)?;
        }
        self.trivia()?;
        self.after(Open::Object)
    }

    /// The value of a member; `None` if it is cut off and nothing is known of it.
    fn member_value(&mut self) -> Result<Option<Json>, Stop> {
        if let Some(value) = self.value(Role::Member)? {
            return Ok(Some(value));
        }
        match self.punctuation() {
            None if self.mode.partial => {
                self.cut()?;
                return Ok(None);
            }
            None => self.cut()?,
            Some(',' | '}' | ']') => self.repair(RepairKind::MissingValue, self.pos)?,
            Some(_) => return self.invalid(),
        }
        Ok(Some(Json::Null))
    }

    /// Goes past the comma or the end after an item or a member.
    fn after(&mut self, open: Open) -> Result<Next, Stop> {
        match self.punctuation() {
            None => {
                self.cut()?;
                Ok(Next::End)
            }
            Some(c) if c == open.closer() => {
                self.bump_punctuation()?;
                Ok(Next::End)
            }
            Some(',') => {
                let comma = self.pos;
                self.bump_punctuation()?;
                self.before_part(open)?;
                if matches!(self.punctuation(), Some(']' | '}')) {
                    self.repair(RepairKind::ExtraComma, comma)?;
                }
                Ok(Next::More)
            }
            Some(_) if !self.mode.repair => self.invalid(),
            Some(';') if open == Open::Object => {
                self.repair(RepairKind::Punctuation, self.pos)?;
                self.bump();
                Ok(Next::More)
            }
            Some(_) if self.closes(open)? => Ok(Next::End),
            Some('.' | '…') if open == Open::Object && self.ellipsis()? => Ok(Next::More),
            Some(_) if self.begins_part(open) => {
                self.repair(RepairKind::MissingComma, self.pos)?;
                Ok(Next::More)
            }
            Some('.' | '…') if self.ellipsis()? => Ok(Next::More),
            Some(_) => self.end_before_text(),
        }
    }

    /// Ends an object or array before text that is no part of it. Text with a closing bracket
    /// after it is not behind the value, but in it, and must not be lost.
    fn end_before_text(&mut self) -> Result<Next, Stop> {
        // Bytes, because this may be read after each of many brackets.
        let rest = &self.text.as_bytes()[self.pos..];
        let mut near = rest[..rest.len().min(MAX_STRAY)].iter();
        if !self.mode.partial && near.any(|byte| matches!(byte, b'}' | b']')) {
            return Err(Stop::Stray(self.pos));
        }
        self.repair(RepairKind::MissingBracket, self.pos)?;
        Ok(Next::End)
    }

    /// The end of the text without quotes that begins at `begin`, where `value` was read, and
    /// goes on behind it: `1,234`, `1 234`, `yes, or no`. `None` if `value` is the whole of it.
    fn text_with_commas(&self, begin: usize, value: &Json) -> Option<usize> {
        if !self.mode.repair || value.is_container() || self.is_quote_at(begin) {
            return None;
        }
        let mut end = self.pos;
        loop {
            let after = self.skip_space(end);
            let next = match self.punctuation_at(after) {
                Some(',') => self.skip_space(after + self.char_at(after).map_or(0, char::len_utf8)),
                _ => after,
            };
            let c = self.punctuation_at(next);
            let is_end = self.text[end..next].contains('\n')
                || self.is_comment(next)
                || matches!(c, None | Some(',' | ';' | '}' | ']' | ')' | '.' | '…'))
                || self.is_quote_at(next)
                || self
                    .bare_key_end(next)
                    .is_some_and(|end| end < self.text.len());
            if is_end {
                return (end > self.pos).then_some(end);
            }
            let stop = self.text_end(next);
            let is_number = self.text[next..].starts_with(|c: char| c.is_ascii_digit());
            if stop == next || stop == self.text.len() && (self.mode.partial || !is_number) {
                return None;
            }
            end = stop;
        }
    }

    fn begins_part(&self, open: Open) -> bool {
        match open {
            Open::Object => self.begins_key(self.pos),
            Open::Array | Open::Call => self.begins_item(),
        }
    }

    /// Goes past a comma that separates nothing.
    fn extra_comma(&mut self) -> Result<bool, Stop> {
        if self.punctuation() != Some(',') {
            return Ok(false);
        }
        self.repair(RepairKind::ExtraComma, self.pos)?;
        self.bump();
        Ok(true)
    }

    /// Goes past the end of the object or array, or finds that it is missing.
    fn closes(&mut self, open: Open) -> Result<bool, Stop> {
        let is_object = open == Open::Object;
        let other = if is_object { Open::Array } else { Open::Object };
        let Some(c) = self.punctuation() else {
            return Ok(false);
        };
        if c == open.closer() {
            self.bump_punctuation()?;
        } else if c == other.closer() && !self.is_within(other) {
            self.repair(RepairKind::ExtraBracket, self.pos)?;
            self.bump();
        } else if c == other.closer()
            || c == ')' && self.is_within(Open::Call)
            || c == '{' && is_object && self.parent() == Some(Open::Array)
        {
            self.repair(RepairKind::MissingBracket, self.pos)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads a key; `None` if there is none.
    fn key(&mut self) -> Result<Option<String>, Stop> {
        if self.mode.repair && self.is_escaped_quote() {
            return Err(Stop::Escaped);
        }
        if self.mode.repair
            && let Some((key, end)) = self.unclosed_key(self.pos)
        {
            self.repair(RepairKind::MissingQuote, end)?;
            self.pos = end;
            return Ok(Some(key.to_owned()));
        }
        if self.at_quote() {
            return self.strings(Role::Key).map(Some);
        }
        if !self.mode.repair {
            return self.invalid();
        }
        let Some(end) = self.bare_key_end(self.pos) else {
            return Ok(None);
        };
        let key = self.text[self.pos..end].trim_end_matches(is_space);
        self.repair(RepairKind::UnquotedKey, self.pos)?;
        self.pos += key.len();
        if self.punctuation() == Some('"') {
            // The quote at the beginning is missing.
            self.bump();
        }
        Ok(Some(key.to_owned()))
    }

    /// Goes past the colon after a key.
    fn colon(&mut self) -> Result<(), Stop> {
        if self.punctuation() == Some(':') {
            return self.bump_punctuation();
        }
        if !self.mode.repair {
            return if self.peek().is_none() {
                self.cut()
            } else {
                self.invalid()
            };
        }
        if self.text[self.pos..].starts_with('=') {
            self.repair(RepairKind::Punctuation, self.pos)?;
            let arrow = self.text[self.pos..].starts_with("=>");
            self.pos += 1 + usize::from(arrow);
            return Ok(());
        }
        match self.punctuation() {
            None => Ok(()),
            Some('{' | '[') => self.repair(RepairKind::MissingColon, self.pos),
            Some(_) if self.begins_value(self.pos) => {
                self.repair(RepairKind::MissingColon, self.pos)
            }
            Some(_) => self.invalid(),
        }
    }
}
