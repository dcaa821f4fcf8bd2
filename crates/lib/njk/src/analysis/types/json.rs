//! Whether a template can print JSON: its text is read as JSON with gaps for what it prints.

use super::checker::Checker;
use super::problem::{JsonFlaw, Problem};
use crate::error::Span;

/// Deeper lists and objects are not followed.
const MAX_OPEN: usize = 200;

/// What the last token outside a string was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Comma,
    Colon,
    /// A colon, after which a branch may have printed a value.
    Gap,
    /// The end of a value.
    Value,
    Other,
    /// One of several.
    Unknown,
}

/// The state between two characters of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Json {
    pub(super) string: bool,
    escaped: bool,
    pub(super) last: Last,
    /// The lists and objects that are open.
    open: Vec<char>,
    /// Nothing is known from here on.
    pub(super) lost: bool,
}

impl Json {
    pub(super) fn new() -> Self {
        Self {
            string: false,
            escaped: false,
            last: Last::Other,
            open: Vec::new(),
            lost: false,
        }
    }

    /// Reads text; returns the first flaw and its position.
    fn text(&mut self, text: &str) -> Option<(usize, JsonFlaw)> {
        let mut skip = 0;
        for (at, c) in text.char_indices() {
            if self.lost || at < skip {
                continue;
            }
            if self.string {
                if !self.in_string(c) {
                    return Some((at, JsonFlaw::Text));
                }
                continue;
            }
            match self.token(&text[at..], c) {
                Ok(length) => skip = at + length,
                Err(flaw) => return Some((at, flaw)),
            }
        }
        None
    }

    /// Reads a character of a string; false if JSON does not have it there.
    fn in_string(&mut self, c: char) -> bool {
        match c {
            _ if self.escaped => self.escaped = false,
            '\\' => self.escaped = true,
            '"' => {
                self.string = false;
                self.last = Last::Value;
            }
            '\n' => return false,
            _ => {}
        }
        true
    }

    /// Reads what begins with `c`, and returns its length.
    fn token(&mut self, rest: &str, c: char) -> Result<usize, JsonFlaw> {
        let before = self.last;
        let begins = matches!(c, '"' | '{' | '[');
        if begins && before == Last::Value {
            return Err(JsonFlaw::Text);
        }
        self.last = Last::Other;
        match c {
            ' ' | '\t' | '\r' | '\n' => self.last = before,
            '"' => self.string = true,
            '{' | '[' => {
                if self.open.len() > MAX_OPEN {
                    self.lost = true;
                }
                self.open.push(c);
            }
            ',' | '}' if matches!(before, Last::Colon | Last::Gap) => return Err(JsonFlaw::Text),
            ',' => self.last = Last::Comma,
            ':' => self.last = Last::Colon,
            '}' | ']' if before == Last::Comma => return Err(JsonFlaw::Comma),
            '}' | ']' => {
                let expected = if c == '}' { '{' } else { '[' };
                if self.open.pop() != Some(expected) {
                    return Err(JsonFlaw::Text);
                }
                self.last = Last::Value;
            }
            '0' if before != Last::Unknown
                && rest[1..].starts_with(|c: char| c.is_ascii_digit()) =>
            {
                return Err(JsonFlaw::Text);
            }
            '0'..='9' | '-' | '+' | '.' | 'E' | 'e' => {
                // A gap may add more digits.
                self.last = Last::Unknown;
            }
            _ => {
                let word = ["true", "false", "null"]
                    .into_iter()
                    .find(|word| rest.starts_with(word))
                    .ok_or(JsonFlaw::Text)?;
                self.last = Last::Value;
                return Ok(word.len());
            }
        }
        Ok(c.len_utf8())
    }

    /// Whether something is still open at the end.
    fn is_open(&self) -> bool {
        !self.lost && (self.string || !self.open.is_empty())
    }

    /// The state after one of several branches.
    pub(super) fn merge(states: Vec<Self>) -> Self {
        let mut states = states.into_iter();
        let Some(mut merged) = states.next() else {
            return Self::new();
        };
        for state in states {
            let differs = merged.string != state.string || merged.open != state.open;
            merged.lost |= state.lost || differs;
            merged.escaped |= state.escaped;
            merged.last = match (merged.last, state.last) {
                (one, other) if one == other => one,
                (Last::Colon, Last::Value) | (Last::Value, Last::Colon) => Last::Gap,
                _ => Last::Unknown,
            };
        }
        merged
    }

    /// The state after a loop over a body that began in `before`: what its last step leaves.
    pub(super) fn after_loop(self, before: &Self) -> Self {
        let comma = self.last == Last::Comma;
        let mut merged = Self::merge(vec![before.clone(), self]);
        if merged.last == Last::Gap {
            merged.last = Last::Unknown;
        }
        if comma {
            merged.last = Last::Comma;
        }
        merged
    }

    pub(super) fn lose(&mut self) {
        self.lost = true;
    }
}

impl Checker<'_> {
    /// Reads text of the template as JSON.
    pub(super) fn json_text(&mut self, text: &str) {
        let Some(mut json) = self.json.take() else {
            return;
        };
        if let Some((at, flaw)) = json.text(text) {
            json.lose();
            let span = self.locate_text(text, at);
            self.report(span, Problem::NotJson(flaw));
        }
        self.json = Some(json);
    }

    /// Reports a list, an object or a string that does not end.
    pub(super) fn json_end(&mut self) {
        if self.json.take().is_some_and(|json| json.is_open()) {
            let source = self.loaded[self.here].source.trim_end();
            let last = source.chars().next_back().map_or(0, char::len_utf8);
            let span = Span::new(source.len() - last, source.len());
            self.report(span, Problem::NotJson(JsonFlaw::Open));
        }
    }

    /// Where a character of a text is in the template: texts have no positions of their own.
    fn locate_text(&self, text: &str, at: usize) -> Span {
        let source = self.loaded[self.here].source.as_str();
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        let found = source
            .get(self.reached..)
            .and_then(|rest| rest.find(text))
            .map(|start| self.reached + start)
            .or_else(|| source.find(text));
        let start = found.unwrap_or_default();
        Span::new(start + at, start + end)
    }
}
