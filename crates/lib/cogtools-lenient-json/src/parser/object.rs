//! Objects.

use indexmap::IndexMap;

use super::{Open, Parser, Role, Stop};
use crate::character::is_space;
use crate::json::Json;
use crate::repair::RepairKind;

/// The longest key without quotes, in bytes.
pub(super) const MAX_BARE_KEY: usize = 128;

/// What follows a member.
enum Next {
    Member,
    End,
}

impl Parser<'_> {
    pub(super) fn object(&mut self) -> Result<Json, Stop> {
        self.bump_punctuation()?;
        self.enter(Open::Object)?;
        let mut members = IndexMap::new();
        self.trivia()?;
        if !self.mode.repair && self.peek() == Some('}') {
            self.bump();
        } else {
            while let Next::Member = self.member(&mut members)? {}
        }
        self.open.pop();
        Ok(Json::Object(members))
    }

    /// Reads one member and what follows it.
    fn member(&mut self, members: &mut IndexMap<String, Json>) -> Result<Next, Stop> {
        self.trivia()?;
        if self.mode.repair {
            while self.ellipsis()? || self.extra_comma()? {
                self.trivia()?;
            }
            if self.closes_object()? {
                return Ok(Next::End);
            }
        }
        if self.peek().is_none() {
            self.cut()?;
            return Ok(Next::End);
        }
        let start = self.pos;
        let Some(key) = self.key()? else {
            if !self.mode.repair || members.is_empty() {
                return self.invalid();
            }
            self.repair(RepairKind::MissingBracket, self.pos)?;
            return Ok(Next::End);
        };
        self.trivia()?;
        if self.peek().is_none() && self.mode.partial {
            self.cut()?;
            return Ok(Next::End);
        }
        self.colon()?;
        self.trivia()?;
        let Some(value) = self.member_value()? else {
            return Ok(Next::End);
        };
        if members.insert(key, value).is_some() {
            self.repair(RepairKind::DuplicateKey, start)?;
        }
        self.trivia()?;
        self.after_member()
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

    fn after_member(&mut self) -> Result<Next, Stop> {
        match self.punctuation() {
            None => {
                self.cut()?;
                Ok(Next::End)
            }
            Some('}') => {
                self.bump_punctuation()?;
                Ok(Next::End)
            }
            Some(',') => {
                let comma = self.pos;
                self.bump_punctuation()?;
                self.trailing_comma(comma)?;
                Ok(Next::Member)
            }
            Some(_) if !self.mode.repair => self.invalid(),
            Some(';') => {
                self.repair(RepairKind::Punctuation, self.pos)?;
                self.bump();
                Ok(Next::Member)
            }
            Some(_) if self.closes_object()? => Ok(Next::End),
            Some('.' | '…') if self.ellipsis()? => Ok(Next::Member),
            Some(_) if self.begins_key(self.pos) => {
                self.repair(RepairKind::MissingComma, self.pos)?;
                Ok(Next::Member)
            }
            Some(_) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
                Ok(Next::End)
            }
        }
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

    /// Goes past the end of the object, or finds that it is missing.
    fn closes_object(&mut self) -> Result<bool, Stop> {
        match self.punctuation() {
            Some('}') => self.bump_punctuation()?,
            Some(']') if self.is_within(Open::Array) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
            }
            Some(']') => {
                self.repair(RepairKind::ExtraBracket, self.pos)?;
                self.bump();
            }
            Some('{') if self.parent() == Some(Open::Array) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
            }
            Some(')') if self.is_within(Open::Call) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
