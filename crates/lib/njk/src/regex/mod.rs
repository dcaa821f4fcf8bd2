//! Regular expressions of JavaScript, run by `fancy-regex`, which stops after a
//! limited number of steps instead of backtracking forever.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::iter::Peekable;
use std::rc::Rc;
use std::str::Chars;

use fancy_regex::{Captures, RegexBuilder};

use crate::error::{Error, ErrorKind};
use crate::runtime::Runtime;

/// The maximum number of steps of one search in an expression that backtracks.
const BACKTRACKS: usize = 50_000;

/// The cost of such a search, regardless of the steps it takes.
const HARD_COST: usize = 500;

/// The maximum size of a compiled expression.
const SIZE: usize = 1 << 20;

/// The maximum size of the source of an expression.
const MAX_SOURCE: usize = 2_000;

#[derive(Debug)]
struct Compiled {
    body: String,
    flags: String,
    regex: fancy_regex::Regex,
    /// It has look-around or back-references, and so has to backtrack.
    hard: bool,
}

/// An expression as a value.
#[derive(Debug)]
pub(crate) struct Regex {
    compiled: Rc<Compiled>,
    /// Where a global or sticky search continues, in bytes.
    pub(crate) last: Cell<usize>,
}

impl Compiled {
    fn new(body: &str, flags: &str) -> Result<Self, Error> {
        let invalid = |reason: String| {
            let message = format!("invalid regular expression `/{body}/{flags}`: {reason}");
            Error::new(ErrorKind::BadValue, message)
        };
        if body.len() > MAX_SOURCE {
            return Err(invalid(format!("more than {MAX_SOURCE} bytes")));
        }
        if flags
            .char_indices()
            .any(|(at, flag)| flags[..at].contains(flag))
        {
            return Err(invalid("a flag is given twice".to_owned()));
        }
        let (source, hard) = translate(body, flags);
        let regex = RegexBuilder::new(&source)
            .backtrack_limit(BACKTRACKS)
            .delegate_size_limit(SIZE)
            .delegate_dfa_size_limit(SIZE)
            .build()
            .map_err(|error| invalid(error.to_string().to_lowercase()))?;
        Ok(Self {
            body: body.to_owned(),
            flags: flags.to_owned(),
            regex,
            hard,
        })
    }
}

impl Regex {
    pub(crate) fn source(&self) -> &str {
        &self.compiled.body
    }

    pub(crate) fn flags(&self) -> &str {
        &self.compiled.flags
    }

    pub(crate) fn is_global(&self) -> bool {
        self.compiled.flags.contains('g')
    }

    pub(crate) fn is_sticky(&self) -> bool {
        self.compiled.flags.contains('y')
    }

    /// The first match at or after the byte `from`; of a sticky expression, only one there.
    pub(crate) fn find_at<'t>(
        &self,
        text: &'t str,
        from: usize,
        runtime: &Runtime,
    ) -> Result<Option<Captures<'t, str>>, Error> {
        let found = self.search(text, from, runtime)?;
        Ok(found.filter(|found| {
            !self.is_sticky() || found.get(0).is_some_and(|all| all.start() == from)
        }))
    }

    /// The first match at or after the byte `from`, sticky or not.
    pub(crate) fn search<'t>(
        &self,
        text: &'t str,
        from: usize,
        runtime: &Runtime,
    ) -> Result<Option<Captures<'t, str>>, Error> {
        let cost = 1 + text.len().saturating_sub(from) / 512;
        runtime.spend(if self.compiled.hard {
            cost + HARD_COST
        } else {
            cost
        })?;
        let result = self.compiled.regex.captures_from_pos(text, from);
        result.map_err(|error| {
            let message = format!(
                "`{self}` takes too long: {}",
                error.to_string().to_lowercase()
            );
            Error::new(ErrorKind::OutOfFuel, message)
        })
    }

    /// The next match, as in `exec`: a global expression continues where the
    /// last match ended.
    pub(crate) fn exec<'t>(
        &self,
        text: &'t str,
        runtime: &Runtime,
    ) -> Result<Option<Captures<'t, str>>, Error> {
        let continues = self.is_global() || self.is_sticky();
        let from = if continues { self.last.get() } else { 0 };
        if from > text.len() || !text.is_char_boundary(from) {
            self.last.set(0);
            return Ok(None);
        }
        let found = self.find_at(text, from, runtime)?;
        if continues {
            let end = found.as_ref().and_then(|found| found.get(0));
            self.last.set(end.map_or(0, |all| all.end()));
        }
        Ok(found)
    }

    /// All matches, in order.
    pub(crate) fn find_all<'t>(
        &self,
        text: &'t str,
        runtime: &Runtime,
    ) -> Result<Vec<Captures<'t, str>>, Error> {
        let mut all = Vec::new();
        let mut from = 0;
        while from <= text.len() {
            let Some(found) = self.find_at(text, from, runtime)? else {
                break;
            };
            let Some(whole) = found.get(0) else {
                break;
            };
            from = if whole.end() > whole.start() {
                whole.end()
            } else {
                next_char(text, whole.end())
            };
            runtime.grow(64)?;
            all.push(found);
        }
        Ok(all)
    }

    /// The names of the groups, empty for those without.
    pub(crate) fn group_names(&self) -> Vec<&str> {
        let names = self.compiled.regex.capture_names();
        names.map(Option::unwrap_or_default).collect()
    }
}

/// The start of the character after the byte `at`; past the end if there is
/// none.
pub(crate) fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.source(), self.flags())
    }
}

/// The bytes that one is charged for, and with them the steps; few take as many.
const BYTES: usize = 1 << 18;

#[derive(Debug, Default)]
pub(crate) struct Regexes(RefCell<HashMap<String, Rc<Compiled>>>);

impl Regexes {
    /// A new value of an expression.
    pub(crate) fn get(
        &self,
        body: &str,
        flags: &str,
        runtime: &Runtime,
    ) -> Result<Rc<Regex>, Error> {
        // No flag is a slash.
        let key = format!("{flags}/{body}");
        let known = self.0.borrow().get(&key).cloned();
        let compiled = if let Some(compiled) = known {
            compiled
        } else {
            runtime.grow(BYTES)?;
            let compiled = Rc::new(Compiled::new(body, flags)?);
            self.0.borrow_mut().insert(key, Rc::clone(&compiled));
            compiled
        };
        let last = Cell::new(0);
        Ok(Rc::new(Regex { compiled, last }))
    }
}

/// A match with the text around it, for its replacement.
pub(crate) struct Found<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The groups after the whole match; empty if one did not participate.
    pub(crate) groups: Vec<&'a str>,
    pub(crate) names: Vec<&'a str>,
}

/// Appends `replacement` with its `$` patterns expanded.
pub(crate) fn expand(replacement: &str, found: &Found<'_>, out: &mut String) {
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let expanded = match tail.chars().next() {
            Some('$') => Some((1, "$")),
            Some('&') => Some((1, &found.text[found.start..found.end])),
            Some('`') => Some((1, &found.text[..found.start])),
            Some('\'') => Some((1, &found.text[found.end..])),
            Some('0'..='9') => number(tail, found),
            Some('<') => name(tail, found),
            _ => None,
        };
        let (used, text) = expanded.unwrap_or((0, "$"));
        out.push_str(text);
        rest = &tail[used..];
    }
    out.push_str(rest);
}

/// `$1` or `$12`, whichever group exists: the number of bytes consumed, and the text.
fn number<'a>(tail: &str, found: &Found<'a>) -> Option<(usize, &'a str)> {
    [2, 1].into_iter().find_map(|len| {
        let group: usize = tail.get(..len)?.parse().ok()?;
        Some((len, *found.groups.get(group.checked_sub(1)?)?))
    })
}

/// `$<name>`, if the expression has named groups: the number of bytes consumed, and the text.
fn name<'a>(tail: &str, found: &Found<'a>) -> Option<(usize, &'a str)> {
    if found.names.iter().all(|name| name.is_empty()) {
        return None;
    }
    let end = tail.find('>')?;
    let wanted = &tail[1..end];
    let group = found.names.iter().position(|name| *name == wanted);
    let text = group.and_then(|group| found.groups.get(group).copied());
    Some((end + 1, text.unwrap_or_default()))
}

const WORD: &str = "A-Za-z0-9_";
const DIGIT: &str = "0-9";
const SPACE: &str = r"\t\n\x0B\x0C\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    hard: bool,
}

/// An expression in the syntax of `fancy-regex`, and true if it has to backtrack.
fn translate(body: &str, flags: &str) -> (String, bool) {
    let mut translator = Translator {
        rest: body.chars().peekable(),
        out: String::new(),
        hard: false,
    };
    let flags: String = flags
        .chars()
        .filter(|flag| matches!(flag, 'i' | 'm'))
        .collect();
    if !flags.is_empty() {
        translator.out = format!("(?{flags})");
    }
    translator.pattern();
    (translator.out, translator.hard)
}

impl Translator<'_> {
    fn pattern(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false),
                '[' => self.class(),
                '.' => self.out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
                '(' => self.group(),
                '{' => self.braces(),
                '}' | ']' => self.literal(c),
                _ => self.out.push(c),
            }
        }
    }

    fn literal(&mut self, c: char) {
        if !c.is_alphanumeric() && c.is_ascii() && !c.is_ascii_whitespace() && c != '_' {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn group(&mut self) {
        self.out.push('(');
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('?') {
            return;
        }
        match (ahead.next(), ahead.next()) {
            (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => self.hard = true,
            _ => {}
        }
    }

    /// `{` begins a count only if a valid one follows; otherwise it is literal.
    fn braces(&mut self) {
        let count: String = self
            .rest
            .clone()
            .take_while(|c| *c != '}')
            .take(16)
            .collect();
        let closed = self.rest.clone().nth(count.chars().count()) == Some('}');
        let (low, high) = count.split_once(',').unwrap_or((&count, "0"));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let legal = closed && !low.is_empty() && digits(low) && digits(high);
        self.out.push_str(if legal { "{" } else { r"\{" });
        if legal {
            for _ in 0..=count.chars().count() {
                self.out.extend(self.rest.next());
            }
        }
    }

    fn class(&mut self) {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            self.out
                .push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
            return;
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        while let Some(c) = self.rest.next() {
            match c {
                ']' => break,
                '\\' => self.escape(true),
                '-' if self.rest.peek() == Some(&']') => self.out.push_str(r"\-"),
                '[' | '&' | '~' | '^' => self.literal(c),
                '-' if self.out.ends_with(['[', '^']) => self.out.push_str(r"\-"),
                _ => self.out.push(c),
            }
        }
        self.out.push(']');
    }

    fn escape(&mut self, in_class: bool) {
        let Some(c) = self.rest.next() else {
            self.out.push('\\');
            return;
        };
        match c {
            'd' => self.set(DIGIT, false, in_class),
            'D' => self.set(DIGIT, true, in_class),
            'w' => self.set(WORD, false, in_class),
            'W' => self.set(WORD, true, in_class),
            's' => self.set(SPACE, false, in_class),
            'S' => self.set(SPACE, true, in_class),
            'b' if in_class => self.out.push_str(r"\x08"),
            'b' | 'B' | 'n' | 'r' | 't' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'f' => self.out.push_str(r"\x0C"),
            'v' => self.out.push_str(r"\x0B"),
            '0' => self.out.push_str(r"\x00"),
            'x' => self.code(2, c),
            'u' => self.code(4, c),
            'k' if !in_class && self.rest.peek() == Some(&'<') => {
                self.hard = true;
                self.out.push_str(r"\k");
            }
            '1'..='9' if !in_class => {
                self.hard = true;
                self.out.push('\\');
                self.out.push(c);
            }
            _ => self.literal(c),
        }
    }

    fn set(&mut self, set: &str, negated: bool, in_class: bool) {
        if in_class && !negated {
            self.out.push_str(set);
            return;
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        self.out.push_str(set);
        self.out.push(']');
    }

    /// `\xHH` or `\uHHHH`; without the digits it is the literal letter.
    fn code(&mut self, digits: usize, letter: char) {
        let code: String = self.rest.clone().take(digits).collect();
        let legal = code.chars().count() == digits && code.chars().all(|c| c.is_ascii_hexdigit());
        let number = u32::from_str_radix(&code, 16).unwrap_or_default();
        if !legal || char::from_u32(number).is_none() {
            self.out.push(letter);
            return;
        }
        self.rest.nth(digits - 1);
        self.out.extend([r"\x{", &code, "}"]);
    }
}
