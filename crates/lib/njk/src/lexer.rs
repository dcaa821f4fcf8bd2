//! Splits a template into tokens, on demand, by the rules of Nunjucks: inside a
//! tag almost every character can be part of a name, and `r/` begins a regular
//! expression.

use crate::error::{Error, ErrorKind, Failure, Span, fail};

const MARKS: [&str; 30] = [
    "===", "!==", "==", "!=", "<=", ">=", "//", "**", "(", ")", "[", "]", "{", "}", "%", "*", "-",
    "+", "~", "/", "#", ",", ":", "|", ".", "<", ">", "=", "!", "",
];

pub(crate) struct Lexer<'a> {
    source: &'a str,
    at: usize,
    in_code: bool,
}

/// The first byte that may begin a tag, or end a comment.
fn position(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| matches!(byte, b'{' | b'#'))
}

/// The white space of JavaScript's `\s`.
pub(crate) fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// The characters that end a name.
fn is_delimiter(c: char) -> bool {
    c.is_ascii_punctuation() && "()[]{}%*-+~/#,:|.<>=!".contains(c)
}

fn is_code_space(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '\r' | '\u{a0}')
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            in_code: false,
        }
    }

    /// The source from that byte on.
    pub(crate) fn source_from(&self, at: usize) -> &'a str {
        self.source.get(at..).unwrap_or_default()
    }

    /// The offset of what is next.
    pub(crate) const fn offset(&self) -> usize {
        self.at
    }

    /// Goes on at another offset, inside a tag or outside.
    pub(crate) const fn resume(&mut self, at: usize, in_code: bool) {
        self.at = at;
        self.in_code = in_code;
    }

    /// Returns true if a tag begins after white space.
    pub(crate) fn is_at_tag(&self) -> bool {
        let rest = self.rest().trim_start_matches(is_code_space);
        rest.starts_with("{{") || rest.starts_with("{%")
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn token(&self, kind: Kind, start: usize) -> Token {
        Token {
            kind,
            span: Span::new(start, self.at),
        }
    }

    pub(crate) fn next(&mut self) -> Result<Token, Failure> {
        if self.in_code {
            self.code()
        } else {
            self.text()
        }
    }

    fn text(&mut self) -> Result<Token, Failure> {
        let start = self.at;
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(self.token(Kind::End, start));
        }
        if rest.starts_with("{%") {
            if let Some(raw) = self.raw()? {
                return Ok(raw);
            }
            return Ok(self.open(Kind::BlockStart));
        }
        if rest.starts_with("{{") {
            return Ok(self.open(Kind::VariableStart));
        }
        if rest.starts_with("{#") {
            return self.comment();
        }
        let mut from = 0;
        while let Some(found) = position(&rest.as_bytes()[from..]) {
            let here = &rest[from + found..];
            if here.starts_with("#}") {
                let place = start + from + found;
                return fail("unexpected end of comment", Span::new(place, place + 2));
            }
            if here.starts_with("{%") || here.starts_with("{{") || here.starts_with("{#") {
                self.at = start + from + found;
                return Ok(self.token(Kind::Data(rest[..from + found].to_owned()), start));
            }
            from += found + 1;
        }
        self.at = self.source.len();
        Ok(self.token(Kind::Data(rest.to_owned()), start))
    }

    fn open(&mut self, kind: fn(bool) -> Kind) -> Token {
        let start = self.at;
        let dash = self.rest()[2..].starts_with('-');
        self.at += 2 + usize::from(dash);
        self.in_code = true;
        self.token(kind(dash), start)
    }

    fn comment(&mut self) -> Result<Token, Failure> {
        let start = self.at;
        let rest = self.rest();
        let Some(end) = rest[2..].find("#}") else {
            let error = Error::new(ErrorKind::Syntax, "the comment is never closed");
            let span = Span::new(start, start + 2);
            return Err((error.with_hint("end it with `#}`"), span));
        };
        let inner = &rest[2..2 + end];
        self.at += end + 4;
        let trim = Trim {
            before: inner.starts_with('-'),
            after: inner.ends_with('-') || inner.is_empty() && rest.starts_with("{#-#}"),
        };
        Ok(self.token(Kind::Comment(trim), start))
    }

    /// Reads a whole raw block if one begins here.
    fn raw(&mut self) -> Result<Option<Token>, Failure> {
        let (source, start) = (self.source, self.at);
        let tag = |name: &&'static str| raw_tag(&source[start..], name).map(|tag| (*name, tag));
        let Some((name, (open, open_trim))) = ["raw", "verbatim"].iter().find_map(tag) else {
            return Ok(None);
        };
        let end_name = format!("end{name}");
        let body = start + open;
        let (mut from, mut level) = (body, 1_u32);
        while let Some(found) = source[from..].find("{%") {
            let here = from + found;
            let rest = &source[here..];
            if let Some((close, close_trim)) = raw_tag(rest, &end_name) {
                level -= 1;
                if level == 0 {
                    let mut text = &source[body..here];
                    if close_trim.before {
                        text = text.trim_end_matches(is_space);
                    }
                    let text = text.to_owned();
                    let trim = Trim {
                        before: open_trim.before,
                        after: open_trim.after || close_trim.after,
                    };
                    self.at = here + close;
                    return Ok(Some(self.token(Kind::Raw { text, trim }, start)));
                }
            } else if raw_tag(rest, name).is_some() {
                level += 1;
            }
            from = here + 2;
        }
        let message = format!("`{name}` is never closed by `{end_name}`");
        let error = Error::new(ErrorKind::Syntax, message);
        let hint = format!("end it with `{{% {end_name} %}}`");
        Err((error.with_hint(hint), Span::new(start, body)))
    }

    fn code(&mut self) -> Result<Token, Failure> {
        self.at += self.rest().len() - self.rest().trim_start_matches(is_code_space).len();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(self.token(Kind::End, start));
        };
        if first == '"' || first == '\'' {
            return self.string(first);
        }
        if rest.starts_with("r/") {
            return self.regex();
        }
        if !is_delimiter(first) {
            return Ok(self.word());
        }
        let (end, dash) = strip_dash(rest);
        let kind = if end.starts_with("%}") {
            Kind::BlockEnd(dash)
        } else if end.starts_with("}}") {
            Kind::VariableEnd(dash)
        } else {
            let mut marks = MARKS.into_iter();
            let mark = marks.find(|mark| rest.starts_with(mark));
            let mark = mark.unwrap_or_default();
            self.at += mark.len();
            return Ok(self.token(Kind::Mark(mark), start));
        };
        self.at += 2 + usize::from(dash);
        self.in_code = false;
        Ok(self.token(kind, start))
    }

    fn string(&mut self, quote: char) -> Result<Token, Failure> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at += offset + 1;
                return Ok(self.token(Kind::Str(text), start));
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'r')) => text.push('\r'),
                Some((_, other)) => text.push(other),
                None => break,
            }
        }
        fail("the string is never closed", Span::new(start, start + 1))
    }

    fn regex(&mut self) -> Result<Token, Failure> {
        let start = self.at;
        let rest = &self.rest()[2..];
        let mut previous = '/';
        let Some((end, _)) = rest.char_indices().find(|(_, c)| {
            let ends = *c == '/' && previous != '\\';
            previous = *c;
            ends
        }) else {
            let span = Span::new(start, start + 2);
            return fail("the regular expression is never closed", span);
        };
        let tail = &rest[end + 1..];
        let flags = &tail[..tail.len() - tail.trim_start_matches(['g', 'i', 'm', 'y']).len()];
        self.at += 2 + end + 1 + flags.len();
        let kind = Kind::Regex {
            body: rest[..end].to_owned(),
            flags: flags.to_owned(),
        };
        Ok(self.token(kind, start))
    }

    fn word(&mut self) -> Token {
        let start = self.at;
        let rest = self.rest();
        let end = rest
            .find(|c| is_code_space(c) || is_delimiter(c))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        let kind = match word {
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "none" | "null" => Kind::Null,
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => return self.number(start),
            _ => Kind::Symbol(word.to_owned()),
        };
        self.token(kind, start)
    }

    fn number(&mut self, start: usize) -> Token {
        if let Some(fraction) = self.rest().strip_prefix('.') {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit);
            self.at += 1 + digits.count();
        }
        let value = self.source[start..self.at].parse().unwrap_or(f64::NAN);
        self.token(Kind::Number(value), start)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Text between tags.
    Data(String),
    /// `{% raw %}…{% endraw %}`, without the tags; `open` and `close` tell
    /// whether the tags trim what follows them.
    Raw {
        text: String,
        trim: Trim,
    },
    /// `{% ... `; true with a dash, which trims the text before.
    BlockStart(bool),
    /// ` ... %}`; true with a dash, which trims the text after.
    BlockEnd(bool),
    /// `{{`, like `BlockStart`.
    VariableStart(bool),
    /// `}}`, like `BlockEnd`.
    VariableEnd(bool),
    /// `{# … #}`; dashes at its start and end.
    Comment(Trim),
    Str(String),
    Number(f64),
    Bool(bool),
    Null,
    Regex {
        body: String,
        flags: String,
    },
    Symbol(String),
    /// Operators and punctuation.
    Mark(&'static str),
    End,
}

/// Which side of a tag pair has a dash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trim {
    pub(crate) before: bool,
    pub(crate) after: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

impl Token {
    /// The message about the token in the place of another.
    pub(crate) fn instead_of(&self, expected: &str) -> String {
        format!("expected {expected}, found {}", self.describe())
    }

    fn describe(&self) -> String {
        match &self.kind {
            Kind::Data(_) | Kind::Raw { .. } => "text".to_owned(),
            Kind::BlockStart(_) => "`{%`".to_owned(),
            Kind::BlockEnd(_) => "`%}`".to_owned(),
            Kind::VariableStart(_) => "`{{`".to_owned(),
            Kind::VariableEnd(_) => "`}}`".to_owned(),
            Kind::Comment(_) => "a comment".to_owned(),
            Kind::Str(_) => "a string".to_owned(),
            Kind::Number(_) => "a number".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Null => "`none`".to_owned(),
            Kind::Regex { .. } => "a regular expression".to_owned(),
            Kind::Symbol(name) => format!("`{name}`"),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end of the template".to_owned(),
        }
    }
}

/// The length and the dashes of the tag `{% name %}`, if it is at the start of `text`.
fn raw_tag(text: &str, name: &str) -> Option<(usize, Trim)> {
    let inner = text.strip_prefix("{%")?;
    let (inner, before) = strip_dash(inner);
    let inner = inner.trim_start_matches(is_space).strip_prefix(name)?;
    let (inner, after) = strip_dash(inner.trim_start_matches(is_space));
    let rest = inner.strip_prefix("%}")?;
    Some((text.len() - rest.len(), Trim { before, after }))
}

pub(crate) fn strip_dash(text: &str) -> (&str, bool) {
    text.strip_prefix('-')
        .map_or((text, false), |rest| (rest, true))
}
