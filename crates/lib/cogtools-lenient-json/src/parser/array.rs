//! Arrays.

use super::{Open, Parser, Role, Stop};
use crate::json::Json;
use crate::repair::RepairKind;

/// What follows an item.
enum Next {
    Item,
    End,
}

impl Parser<'_> {
    pub(super) fn array(&mut self) -> Result<Json, Stop> {
        self.bump_punctuation()?;
        self.enter(Open::Array)?;
        let mut items = Vec::new();
        self.trivia()?;
        if !self.mode.repair && self.peek() == Some(']') {
            self.bump();
        } else {
            while let Next::Item = self.item(&mut items)? {}
        }
        self.open.pop();
        Ok(Json::Array(items))
    }

    /// Reads one item and what follows it.
    fn item(&mut self, items: &mut Vec<Json>) -> Result<Next, Stop> {
        self.trivia()?;
        if self.mode.repair {
            while self.ellipsis()? || self.extra_comma()? {
                self.trivia()?;
            }
            if self.closes_array()? {
                return Ok(Next::End);
            }
        }
        if self.peek().is_none() {
            self.cut()?;
            return Ok(Next::End);
        }
        let start = self.pos;
        let before = self.repairs.count();
        let Some(value) = self.value(Role::Item)? else {
            return self.no_item();
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
        self.after_item()
    }

    /// There is neither an item nor the end of the array.
    fn no_item(&mut self) -> Result<Next, Stop> {
        if self.peek().is_none() {
            self.cut()?;
            return Ok(Next::End);
        }
        self.invalid()
    }

    fn after_item(&mut self) -> Result<Next, Stop> {
        match self.punctuation() {
            None => {
                self.cut()?;
                Ok(Next::End)
            }
            Some(']') => {
                self.bump_punctuation()?;
                Ok(Next::End)
            }
            Some(',') => {
                let comma = self.pos;
                self.bump_punctuation()?;
                self.trailing_comma(comma)?;
                Ok(Next::Item)
            }
            Some(_) if !self.mode.repair => self.invalid(),
            Some(_) if self.closes_array()? => Ok(Next::End),
            Some(_) if self.begins_item() => {
                self.repair(RepairKind::MissingComma, self.pos)?;
                Ok(Next::Item)
            }
            Some('.' | '…') if self.ellipsis()? => Ok(Next::Item),
            Some(_) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
                Ok(Next::End)
            }
        }
    }

    /// Records a comma that nothing follows.
    pub(super) fn trailing_comma(&mut self, comma: usize) -> Result<(), Stop> {
        self.trivia()?;
        match self.punctuation() {
            Some(']' | '}') => self.repair(RepairKind::ExtraComma, comma),
            _ => Ok(()),
        }
    }

    /// Goes past a comma that separates nothing.
    pub(super) fn extra_comma(&mut self) -> Result<bool, Stop> {
        if self.punctuation() != Some(',') {
            return Ok(false);
        }
        self.repair(RepairKind::ExtraComma, self.pos)?;
        self.bump();
        Ok(true)
    }

    /// Goes past the end of the array, or finds that it is missing.
    fn closes_array(&mut self) -> Result<bool, Stop> {
        match self.punctuation() {
            Some(']') => self.bump_punctuation()?,
            Some('}') if self.is_within(Open::Object) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
            }
            Some('}') => {
                self.repair(RepairKind::ExtraBracket, self.pos)?;
                self.bump();
            }
            Some(')') if self.is_within(Open::Call) => {
                self.repair(RepairKind::MissingBracket, self.pos)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
