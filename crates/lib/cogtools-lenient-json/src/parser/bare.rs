//! What has no quotes: numbers, keywords, calls such as `ObjectId(…)`, and text.

use super::keyword::{cut_keyword, json_keyword, other_keyword};
use super::number::{is_number, rewrite};
use super::{Open, Parser, Role, Stop};
use crate::character::{is_name, is_space, narrow};
use crate::json::{Json, Number};
use crate::repair::RepairKind;

/// The longest name of a call, in bytes.
const MAX_NAME: usize = 128;

impl Parser<'_> {
    /// Reads a value without quotes or brackets; `None` if there is none.
    pub(super) fn bare(&mut self, role: Role) -> Result<Option<Json>, Stop> {
        let start = self.pos;
        let word = &self.text[start..self.word_end(start)];
        if !self.mode.repair {
            return self.strict_word(word);
        }
        if word.is_empty() {
            return Ok(None);
        }
        if let Some(json) = self.call()? {
            return Ok(Some(json));
        }
        if self.ends_word(start + word.len())
            && let Some(json) = self.word(word)?
        {
            self.pos = start + word.len();
            return Ok(Some(json));
        }
        if self.pos == self.text.len() {
            // Nothing is certain of what was cut off.
            return Ok(None);
        }
        self.text_without_quotes(role)
    }

    fn strict_word(&mut self, word: &str) -> Result<Option<Json>, Stop> {
        let start = self.pos;
        let json = if is_number(word) {
            self.number(word)
        } else if let Some(json) = json_keyword(word) {
            json
        } else if self.mode.partial && start + word.len() == self.text.len() {
            return self.cut_word(word);
        } else {
            return self.invalid();
        };
        self.pos = start + word.len();
        Ok(Some(json))
    }

    /// The value of a word, valid or in another language.
    fn word(&mut self, word: &str) -> Result<Option<Json>, Stop> {
        let start = self.pos;
        if is_number(word) {
            return Ok(Some(self.number(word)));
        }
        if let Some(json) = json_keyword(word) {
            return Ok(Some(json));
        }
        if start + word.len() == self.text.len() {
            let json = self.cut_word(word)?;
            if json.is_some() || self.pos == self.text.len() {
                return Ok(json);
            }
        }
        if let Some(json) = other_keyword(word) {
            self.repair(RepairKind::Keyword, start)?;
            return Ok(Some(json));
        }
        if let Some(number) = rewrite(word) {
            self.repair(RepairKind::Number, start)?;
            return Ok(Some(self.number(&number)));
        }
        if word == "-" && !self.mode.prose {
            self.repair(RepairKind::MissingValue, start)?;
            return Ok(Some(Json::Null));
        }
        Ok(None)
    }

    /// The value of a word at the end of the text, as far as it is certain.
    fn cut_word(&mut self, word: &str) -> Result<Option<Json>, Stop> {
        if let Some(json) = cut_keyword(word) {
            self.cut()?;
            self.pos = self.text.len();
            return Ok(Some(json));
        }
        if !self.mode.partial {
            return Ok(None);
        }
        // `-`, `1.`, `1e` and `1e-` need a digit more.
        let certain = word.trim_end_matches(['.', 'e', 'E', '+', '-']);
        if certain.is_empty() || is_number(certain) {
            self.cut()?;
            self.pos = self.text.len();
        }
        if is_number(certain) {
            return Ok(Some(self.number(certain)));
        }
        if self.mode.repair || certain.is_empty() {
            return Ok(None);
        }
        self.invalid()
    }

    /// The number; one that is beyond a double is noted, and the rest is read.
    fn number(&mut self, text: &str) -> Json {
        if let Some(number) = Number::new(text) {
            return Json::Number(number);
        }
        self.out_of_range.get_or_insert(self.pos);
        Json::Null
    }

    /// Where a word at `at` ends: at white space, punctuation, or a comment.
    fn word_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let is_end = |c: char| {
            is_space(c)
                || matches!(
                    narrow(c),
                    ',' | ':' | '"' | '{' | '}' | '[' | ']' | ';' | ')'
                )
        };
        let end = rest.find(is_end).unwrap_or(rest.len());
        let word = &rest[..end];
        let comment = if self.mode.repair {
            word.find("/*").or_else(|| word.find("//"))
        } else {
            None
        };
        at + comment.unwrap_or(end)
    }

    /// Whether a number or keyword can end at `at`, or it only begins a text, as in `2 apples`.
    fn ends_word(&self, at: usize) -> bool {
        let next = self.skip_space(at);
        let has_line_end = self.text[at..next].contains('\n');
        match self.punctuation_at(next) {
            None | Some(',' | '}' | ']' | ')' | ';' | '{' | '[' | '"' | '\'' | '.' | '…') => true,
            Some('/' | '#') => self.is_comment(next),
            Some(c) => {
                has_line_end
                    || next > at && (c.is_ascii_digit() || c == '-')
                    || self.is_keyword(next)
            }
        }
    }

    /// Reads `NAME(VALUE)` and returns the value.
    fn call(&mut self) -> Result<Option<Json>, Stop> {
        let Some(argument) = self.argument(self.pos) else {
            return Ok(None);
        };
        self.repair(RepairKind::Call, self.pos)?;
        self.pos = argument;
        self.enter(Open::Call)?;
        self.trivia()?;
        let value = self.value(Role::Argument)?;
        self.trivia()?;
        match self.punctuation() {
            Some(')') => self.bump_punctuation()?,
            None => self.cut()?,
            Some(_) => return self.invalid(),
        }
        self.open.pop();
        Ok(value)
    }

    /// Where the argument of a call at `at` begins. It must be JSON, not text.
    fn argument(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let rest = rest.strip_prefix("new ").unwrap_or(rest);
        if !rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')) {
            return None;
        }
        let end = rest.find(|c: char| !is_name(c) && c != '.')?;
        if end > MAX_NAME {
            return None;
        }
        let begin = self.skip_space(self.text.len() - rest.len() + end);
        if self.char_at(begin) != Some('(') {
            return None;
        }
        let argument = self.skip_space(begin + 1);
        self.begins_value(argument).then_some(argument)
    }

    /// Reads text up to the end of the line, or what ends a value.
    fn text_without_quotes(&mut self, role: Role) -> Result<Option<Json>, Stop> {
        let start = self.pos;
        let text = &self.text[start..self.text_end(start)];
        let is_prose = role == Role::Item && self.is_prose(text);
        if text.is_empty() || matches!(role, Role::Root | Role::Argument) || is_prose {
            return self.invalid();
        }
        self.repair(RepairKind::UnquotedText, start)?;
        self.pos += text.len();
        if self.punctuation() == Some('"') {
            self.bump();
        }
        Ok(Some(Json::String(text.to_owned())))
    }

    /// Whether an item is a word in brackets rather than an item: `[-x]`, `[see {"a": 1}]`.
    fn is_prose(&self, text: &str) -> bool {
        let after = self.punctuation_at(self.skip_space(self.pos + text.len()));
        self.mode.prose && !self.is_in_object()
            || text.contains(is_space) && matches!(after, Some('{' | '['))
    }

    /// Where text without quotes ends that begins at `at`, without white space after it.
    pub(super) fn text_end(&self, at: usize) -> usize {
        let mut end = at;
        let mut after_space = false;
        for (offset, c) in self.text[at..].char_indices() {
            let here = at + offset;
            match narrow(c) {
                ',' | '}' | ']' | '"' | '\n' | '{' | '[' => break,
                '/' | '#' if after_space && self.is_comment(here) => break,
                _ => {}
            }
            after_space = is_space(c);
            if !after_space {
                end = here + c.len_utf8();
            }
        }
        end
    }
}
