//! A text, or a part of it, that is one value.

use crate::character::{is_space, narrow};
use crate::json::Json;
use crate::parser::{Mode, Parser, Role, Stop};
use crate::repair::{RepairKind, Repairs};
use crate::search::{Candidate, Found, Modes, NoJson, Values};

/// One attempt to read a value.
pub(crate) struct Attempt {
    /// The value, or why there is none.
    pub(crate) result: Result<Candidate, Stop>,
    /// Where it ended.
    pub(crate) end: usize,
}

/// The value that is the whole text, if it is valid or begins with a bracket.
pub(crate) fn value(text: &str, modes: Modes) -> Result<Option<Candidate>, NoJson> {
    let (start, end) = trim(text, 0, text.len());
    let is_container = text[start..].starts_with(|c| matches!(narrow(c), '{' | '['));
    for mode in modes.all(false) {
        if (is_container || !mode.repair)
            && let Some(found) = part(text, start, end, mode)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The scalar that is the whole text after repairs.
pub(crate) fn scalar(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let (start, end) = trim(text, 0, text.len());
    let Some(mode) = modes.all(false).find(|mode| mode.repair) else {
        return Ok(());
    };
    match part(text, start, end, mode)? {
        Some(Ok(found)) if !is_prose(text, &found) => values.add(Ok(found)),
        Some(Err(error)) => values.add(Err(error)),
        _ => Ok(()),
    }
}

/// Returns true if what looks like a string that was cut off is rather prose that begins with a
/// quotation or an apostrophe.
fn is_prose(text: &str, found: &Found) -> bool {
    let has = |kind| {
        found
            .repairs
            .listed
            .iter()
            .any(|repair| repair.kind == kind)
    };
    let is_plain = text[found.span.start..].starts_with(['"', '\\']);
    let has_space = matches!(&found.value, Json::String(text) if text.contains(is_space));
    has(RepairKind::Cut) && (has(RepairKind::InnerQuote) || has_space && !is_plain)
}

/// The value that `text[start..end]` is, without anything else.
pub(crate) fn part(
    text: &str,
    start: usize,
    end: usize,
    mode: Mode,
) -> Result<Option<Candidate>, NoJson> {
    let attempt = attempt(text, start, end, mode, true);
    match attempt.result {
        Ok(found) => Ok(Some(found)),
        Err(Stop::TooMany) => Err(NoJson::TooMany),
        Err(_) => Ok(None),
    }
}

/// Reads a value at `start` and, if it is `alone`, what may be left up to `end`.
pub(crate) fn attempt(text: &str, start: usize, end: usize, mode: Mode, alone: bool) -> Attempt {
    let mut parser = Parser::new(&text[..end], start, mode);
    let result = read(&mut parser, alone);
    if result != Err(Stop::Escaped) {
        let (end, repairs) = (parser.pos, std::mem::take(&mut parser.repairs));
        let result = result.map(|json| candidate(json, repairs, start, end, parser.out_of_range));
        return Attempt { result, end };
    }
    let source = &text[start..end];
    let plain = unescape(source);
    let mut parser = Parser::new(&plain, 0, mode);
    let result = read(&mut parser, alone);
    let mut offsets = Offsets::new(source);
    let mut repairs = Repairs::default();
    repairs.add(RepairKind::EscapedJson, start);
    parser.repairs.sort();
    parser.repairs.map(|offset| start + offsets.of(offset));
    repairs.extend(&parser.repairs);
    let end = start + Offsets::new(source).of(parser.pos);
    let result = result.map_err(|stop| match stop {
        Stop::Stray(_) => Stop::Stray(start),
        stop => stop,
    });
    let result = result.map(|json| {
        candidate(
            json,
            repairs,
            start,
            end,
            parser.out_of_range.map(|_| start),
        )
    });
    Attempt { result, end }
}

fn candidate(
    value: Json,
    mut repairs: Repairs,
    start: usize,
    end: usize,
    out_of_range: Option<usize>,
) -> Candidate {
    repairs.sort();
    match out_of_range {
        Some(offset) => Err(NoJson::NumberRange(offset)),
        None => Ok(Found {
            value,
            repairs,
            span: start..end,
        }),
    }
}

fn read(parser: &mut Parser<'_>, alone: bool) -> Result<Json, Stop> {
    parser.trivia()?;
    let Some(value) = parser.value(Role::Root)? else {
        return parser.invalid();
    };
    if alone {
        rest(parser)?;
    }
    Ok(value)
}

/// Goes past what may follow a value that is alone.
fn rest(parser: &mut Parser<'_>) -> Result<(), Stop> {
    loop {
        parser.trivia()?;
        match parser.punctuation() {
            None => return Ok(()),
            Some(',' | ';') => parser.repair(RepairKind::ExtraComma, parser.pos)?,
            Some('}' | ']' | ')') => parser.repair(RepairKind::ExtraBracket, parser.pos)?,
            Some(_) => return parser.invalid(),
        }
        parser.bump();
    }
}

/// The bounds of `text[start..end]` without white space around it.
pub(crate) fn trim(text: &str, start: usize, end: usize) -> (usize, usize) {
    let part = &text[start..end];
    let left = part.trim_start_matches(is_space);
    let begin = end - left.len();
    (begin, begin + left.trim_end_matches(is_space).len())
}

/// The text without one level of escapes, up to a quote that is not escaped. A quote inside
/// a string often has two backslashes instead of three.
fn unescape(source: &str) -> String {
    let mut plain = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' if !plain.ends_with('\\') => break,
            '\\' => plain.push(unescaped(&mut chars)),
            c => plain.push(c),
        }
    }
    plain
}

/// The character that the escape stands for which `chars` continues.
fn unescaped(chars: &mut std::str::Chars<'_>) -> char {
    let mut rest = chars.clone();
    let c = match rest.next() {
        Some(c @ ('"' | '\\' | '/')) => c,
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        _ => return '\\',
    };
    *chars = rest;
    c
}

/// Maps offsets in unescaped text, in ascending order, to those in its source.
struct Offsets<'s> {
    chars: std::str::Chars<'s>,
    source: &'s str,
    plain: usize,
}

impl<'s> Offsets<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            chars: source.chars(),
            source,
            plain: 0,
        }
    }

    fn of(&mut self, offset: usize) -> usize {
        while self.plain < offset {
            let Some(c) = self.chars.next() else {
                break;
            };
            let c = if c == '\\' {
                unescaped(&mut self.chars)
            } else {
                c
            };
            self.plain += c.len_utf8();
        }
        self.source.len() - self.chars.as_str().len()
    }
}
