//! Values without quotes: numbers, keywords, calls such as `ObjectId(…)`, and text.

use std::borrow::Cow;

use serde::de::IgnoredAny;

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
            self.repair(RepairKind::LoneMinus, start)?;
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
    pub(super) fn word_end(&self, at: usize) -> usize {
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
        let comment = word.find("/*").or_else(|| word.find("//"));
        // At the begin it is text, or `before_value` would have gone past it.
        let comment = comment.filter(|at| self.mode.repair && *at > 0);
        at + comment.unwrap_or(end)
    }

    /// Returns true if a number or keyword can end at `at`, or it only begins a text, as in `2
    /// apples`.
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
            if !self.ends_string(role, self.pos, 1) {
                return Err(Stop::Stray(self.pos));
            }
            self.bump();
        }
        Ok(Some(Json::String(text.to_owned())))
    }

    /// Returns true if an item is a word in brackets rather than an item: `[-x]`, `[see {"a": 1}]`.
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

/// The words of JSON.
const JSON: [(&str, Json); 3] = [
    ("true", Json::Bool(true)),
    ("false", Json::Bool(false)),
    ("null", Json::Null),
];

/// Words of other languages. What is no number becomes `null`, as `JSON.stringify` writes it.
const OTHERS: [(&str, Json); 13] = [
    ("True", Json::Bool(true)),
    ("TRUE", Json::Bool(true)),
    ("False", Json::Bool(false)),
    ("FALSE", Json::Bool(false)),
    ("None", Json::Null),
    ("Null", Json::Null),
    ("NULL", Json::Null),
    ("nil", Json::Null),
    ("undefined", Json::Null),
    ("NaN", Json::Null),
    ("Infinity", Json::Null),
    ("-Infinity", Json::Null),
    ("+Infinity", Json::Null),
];

/// The value of `word` in JSON.
pub(crate) fn json_keyword(word: &str) -> Option<Json> {
    value(&JSON, word)
}

/// The value of `word` in another language.
pub(crate) fn other_keyword(word: &str) -> Option<Json> {
    value(&OTHERS, word)
}

/// The only keyword of JSON that begins with `word`.
pub(super) fn cut_keyword(word: &str) -> Option<Json> {
    let mut found = JSON
        .iter()
        .filter(|(keyword, _)| !word.is_empty() && keyword.starts_with(word));
    found.next().map(|(_, value)| value.clone())
}

fn value(table: &[(&str, Json)], word: &str) -> Option<Json> {
    let found = table.iter().find(|(keyword, _)| *keyword == word);
    found.map(|(_, value)| value.clone())
}

impl Parser<'_> {
    /// Returns true if a keyword is at `at`.
    pub(super) fn is_keyword(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        let is_whole = |keyword: &str| {
            let after = rest.strip_prefix(keyword);
            after.is_some_and(|after| !after.starts_with(is_name))
        };
        JSON.iter()
            .chain(&OTHERS)
            .any(|(keyword, _)| is_whole(keyword))
    }
}

/// Returns true if `text` is a number of RFC 8259, perhaps beyond a double.
pub(crate) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The number of RFC 8259 that `text` is in another notation: `+1`, `.5`, `1.`, `1_000`,
/// `0xff`, `1n`, and `2e`, which was cut off. Leading zeros are not among them: what has
/// them is an identifier as often as a number.
pub(super) fn rewrite(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let number = u64::from_str_radix(hex, 16).ok()?;
        return Some(format!("{sign}{number}"));
    }
    let rest = rest.strip_suffix('n').unwrap_or(rest);
    let mut rest = without_separators(rest)?.into_owned();
    if rest.starts_with('.') {
        rest.insert(0, '0');
    }
    if rest.ends_with(['.', 'e', 'E', '+', '-']) {
        rest.push('0');
    } else if let Some(at) = rest.find(".e").or_else(|| rest.find(".E")) {
        rest.insert(at + 1, '0');
    }
    let number = format!("{sign}{rest}");
    is_number(&number).then_some(number)
}

/// `1_000` as `1000`, if each underscore is between digits.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(text.into());
    }
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split('_');
    parts
        .clone()
        .all(is_digits)
        .then(|| parts.by_ref().collect::<String>().into())
}

#[cfg(test)]
mod number_tests {
    use super::*;

    #[test]
    fn only_numbers_of_json_are_numbers() {
        for text in ["0", "-0", "10", "0.0", "1e5", "1E+5", "-1.5e-3"] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "", "-", "01", "-01", ".5", "1.", "1e", "1e+", "+1", "0x1", "1 ", "1.e1", "١",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn other_notations_are_rewritten() {
        for (text, expected) in [
            ("+1", Some("1")),
            (".5", Some("0.5")),
            ("-.5", Some("-0.5")),
            ("1.", Some("1.0")),
            ("1.e3", Some("1.0e3")),
            ("2e", Some("2e0")),
            ("2e+", Some("2e+0")),
            ("1_000", Some("1000")),
            ("0xFF", Some("255")),
            ("-0x10", Some("-16")),
            ("12n", Some("12")),
            ("01", None),
            ("0789", None),
            ("1__0", None),
            ("_1", None),
            ("1_", None),
            ("0x", None),
            ("-", None),
            (".", None),
            ("...", None),
            ("0.0.1", None),
            ("12-34", None),
            ("2e3.4", None),
            ("5n1", None),
        ] {
            assert_eq!(rewrite(text).as_deref(), expected, "{text}");
        }
    }
}
