//! Whether a template can print JSON: its text is read as JSON with gaps for what it prints.

use super::checker::Checker;
use super::lattice::{Absent, Any, Type};
use super::literal::Strings;
use super::problem::{JsonFlaw, Problem};
use crate::ast::{Binary, Expression, Kind};
use crate::error::Span;

/// Deeper lists and objects are not followed.
const MAX_OPEN: usize = 200;

/// The filters after which a text can still have any characters.
const PASSING: [&str; 14] = [
    "trim",
    "upper",
    "lower",
    "title",
    "capitalize",
    "truncate",
    "default",
    "d",
    "string",
    "indent",
    "join",
    "first",
    "last",
    "center",
];

/// What the last token outside a string was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Comma,
    /// The end of a value.
    Value,
    Other,
    /// One of several.
    Unknown,
}

/// The state between two characters of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Json {
    string: bool,
    escaped: bool,
    last: Last,
    /// The lists and objects that are open.
    open: Vec<char>,
    /// Nothing is known from here on.
    lost: bool,
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
            ',' => self.last = Last::Comma,
            ':' => {}
            '}' | ']' if before == Last::Comma => return Err(JsonFlaw::Comma),
            '}' | ']' => {
                let expected = if c == '}' { '{' } else { '[' };
                if self.open.pop() != Some(expected) {
                    return Err(JsonFlaw::Text);
                }
                self.last = Last::Value;
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
            if merged.last != state.last {
                merged.last = Last::Unknown;
            }
        }
        merged
    }

    /// The state after a loop over a body that began in `before`: what its last step leaves.
    pub(super) fn after_loop(self, before: &Self) -> Self {
        let comma = self.last == Last::Comma;
        let mut merged = Self::merge(vec![before.clone(), self]);
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

    /// Reads a printed value as part of JSON.
    pub(super) fn json_value(&mut self, value: &Expression, ty: &Type) {
        let Some(mut json) = self.json.take() else {
            return;
        };
        if !json.lost {
            let flaw = if json.string {
                self.quoted(value, ty)
            } else {
                json.last = match dumped(value) {
                    Some(_) if ty.absent == Absent::Never => Last::Value,
                    _ => Last::Unknown,
                };
                self.unquoted(value, ty)
            };
            if let Some(flaw) = flaw {
                self.report(value.span, Problem::NotJson(flaw));
            }
        }
        self.json = Some(json);
    }

    fn quoted(&mut self, value: &Expression, ty: &Type) -> Option<JsonFlaw> {
        if let Some(target) = dumped(value) {
            let inner = self.quietly(|this| this.expression(target));
            let quotes = inner.string.is_some() || inner.object.is_some();
            return (inner.any == Any::No && quotes).then_some(JsonFlaw::DumpInQuotes);
        }
        self.is_free_text(value, ty).then_some(JsonFlaw::Quoted)
    }

    fn unquoted(&mut self, value: &Expression, ty: &Type) -> Option<JsonFlaw> {
        if dumped(value).is_some() {
            return None;
        }
        let is_text = ty.is_scalar() && ty.string.is_some();
        let of_texts = ty
            .list
            .as_ref()
            .is_some_and(|item| ty.is_only_list() && item.is_scalar() && item.string.is_some());
        let known = ty.string.as_ref().and_then(Strings::of_enum);
        let is_json = known.is_some_and(|known| known.iter().all(|text| is_json(text)));
        let wrong = (is_text && !is_json) || of_texts;
        (wrong && self.is_of_argument(value)).then_some(JsonFlaw::Unquoted)
    }

    /// Whether the value is a text with any characters, as an argument has it.
    fn is_free_text(&mut self, value: &Expression, ty: &Type) -> bool {
        let free = |strings: &Strings| !strings.plain && strings.known.is_none();
        let item = ty.list.as_ref().filter(|_| ty.is_only_list());
        let strings = item.map_or(&ty.string, |item| &item.string);
        ty.any == Any::No && strings.as_ref().is_some_and(free) && self.is_of_argument(value)
    }

    /// Whether the value is that of an argument, perhaps filtered.
    fn is_of_argument(&mut self, value: &Expression) -> bool {
        match &value.kind {
            Kind::Group(items) if items.len() == 1 => self.is_of_argument(&items[0]),
            Kind::Filter(target, name, _) if PASSING.contains(&name.text.as_str()) => {
                let inner = self.quietly(|this| this.expression(target));
                let plain = inner.string.as_ref().is_some_and(|it| it.plain);
                let item = inner.list.as_deref().unwrap_or(&inner);
                let number = item.any == Any::No && item.string.is_none();
                !plain && !number && self.is_of_argument(target)
            }
            Kind::Binary(Binary::Or, left, _) => self.is_of_argument(left),
            Kind::Member(target, _) | Kind::Index(target, _) => self.is_of_argument(target),
            Kind::Name(name) => !self.assigned.contains(name) && self.scope.get(name).is_some(),
            _ => false,
        }
    }
}

fn dumped(value: &Expression) -> Option<&Expression> {
    match &value.kind {
        Kind::Group(items) if items.len() == 1 => dumped(&items[0]),
        Kind::Filter(target, name, _) if name.text == "dump" => Some(target),
        Kind::Filter(target, name, _) if matches!(name.text.as_str(), "safe" | "trim") => {
            dumped(target)
        }
        _ => None,
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}
