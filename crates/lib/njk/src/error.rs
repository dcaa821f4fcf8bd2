//! Errors and their positions: every error names the template, the line and the
//! column, and has a hint if there is a remedy.

use std::fmt;

/// The kinds of errors, for hosts that handle them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The template does not parse.
    Syntax,
    /// A filter that does not exist was applied.
    UnknownFilter,
    /// A test that does not exist was applied.
    UnknownTest,
    /// Something that is not a function was called.
    NotCallable,
    /// A value is not valid for the operation, filter or method.
    BadValue,
    /// An included, imported or extended template is not available.
    TemplateNotFound,
    /// The template exceeded its limit of steps.
    OutOfFuel,
    /// Macros, templates or data are nested too deeply.
    TooDeep,
    /// The template exceeded its limit of bytes, printed or in values.
    TooLarge,
    /// A bug in this crate; please report it.
    Internal,
}

/// A part of a template's source, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            len: u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX),
        }
    }

    pub(crate) fn end(self) -> usize {
        self.start as usize + self.len as usize
    }

    /// From the start of this span to the end of `other`.
    pub(crate) fn to(self, other: Self) -> Self {
        Self::new(self.start as usize, other.end().max(self.end()))
    }
}

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    hint_line: Option<usize>,
    meant: Option<[String; 2]>,
    template: Option<String>,
    line: usize,
    column: usize,
    length: usize,
}

/// Why a template could not be compiled or rendered.
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

/// An error of a template that is not compiled yet, and its position.
pub(crate) type Failure = (Error, Span);

/// Fails with a syntax error.
pub(crate) fn fail<T>(message: &str, span: Span) -> Result<T, Failure> {
    Err((Error::new(ErrorKind::Syntax, message), span))
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            hint_line: None,
            meant: None,
            template: None,
            line: 0,
            column: 0,
            length: 0,
        }))
    }

    pub(crate) fn bad_value(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadValue, message)
    }

    pub(crate) fn internal(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, format!("internal fault: {message}"))
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds the name that is meant perhaps where `name` is written.
    #[must_use]
    pub(crate) fn with_nearest(mut self, name: &str, near: Option<&str>) -> Self {
        let Some(near) = near else {
            return self;
        };
        self.0.meant = Some([name.to_owned(), near.to_owned()]);
        self.with_hint(format!("did you mean `{near}`?"))
    }

    /// Adds a hint that names the `line`.
    #[must_use]
    pub(crate) fn with_hint_on(mut self, line: usize, hint: String) -> Self {
        self.0.hint_line = Some(line);
        self.with_hint(hint)
    }

    /// Fills in the position of the error, unless it is known already.
    #[must_use]
    pub(crate) fn at(mut self, template: &str, source: &str, span: Span) -> Self {
        if self.0.template.is_some() {
            return self;
        }
        let (line, column) = position(source, span.start as usize);
        let text = source
            .get(span.start as usize..span.end())
            .unwrap_or_default();
        self.0.template = Some(template.to_owned());
        self.0.line = line;
        self.0.column = column;
        self.0.length = text.lines().next().unwrap_or_default().chars().count();
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message: lower case, no full stop, names in back-quotes.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The hint, if there is one.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// An unknown name, and the one that is meant perhaps.
    pub fn meant(&self) -> Option<[&str; 2]> {
        let [name, near] = self.0.meant.as_ref()?;
        Some([name, near])
    }

    /// The line of the template, from 1, that the hint names, if it names one.
    pub fn hint_line(&self) -> Option<usize> {
        self.0.hint_line
    }

    /// The hint with `line` of the file that the template is part of, in place of its own line.
    pub fn hint_on(&self, line: usize) -> Option<String> {
        let (hint, own) = (self.hint()?, self.0.hint_line?);
        Some(hint.replacen(&format!(" line {own} "), &format!(" line {line} "), 1))
    }

    /// The name of the template; empty if there is none.
    pub fn template(&self) -> &str {
        self.0.template.as_deref().unwrap_or_default()
    }

    /// The line in that template, from 1; 0 if there is none.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in that line, from 1 and in characters; 0 if there is none.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The number of characters from there that are invalid; may be 0.
    pub fn length(&self) -> usize {
        self.0.length
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        match &inner.template {
            Some(name) if !name.is_empty() => {
                write!(
                    f,
                    "{name}:{}:{}: {}",
                    inner.line, inner.column, inner.message
                )
            }
            Some(_) => write!(f, "{}:{}: {}", inner.line, inner.column, inner.message),
            None => f.write_str(&inner.message),
        }
    }
}

impl std::error::Error for Error {}

/// The positions of bytes in a source, which are asked for mostly in their order: all of them
/// together cost one pass.
pub(crate) struct Positions<'s> {
    source: &'s str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'s> Positions<'s> {
    pub(crate) const fn new(source: &'s str) -> Self {
        Self {
            source,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    pub(crate) const fn source(&self) -> &'s str {
        self.source
    }

    /// The line and the column, both from 1, of the byte at `offset`.
    pub(crate) fn at(&mut self, offset: usize) -> (usize, usize) {
        let end = self.source.floor_char_boundary(offset);
        if end < self.offset {
            *self = Self::new(self.source);
        }
        let passed = &self.source[self.offset..end];
        if let Some(newline) = passed.rfind('\n') {
            self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
            self.column = 1 + passed[newline + 1..].chars().count();
        } else {
            self.column += passed.chars().count();
        }
        self.offset = end;
        (self.line, self.column)
    }
}

/// The line and the column, both from 1, of a byte in a source.
pub(crate) fn position(source: &str, offset: usize) -> (usize, usize) {
    Positions::new(source).at(offset)
}

/// A name that another language has, and what to write here.
pub(crate) type Instead = (&'static str, &'static str);

/// The tags of other languages.
pub(crate) static TAGS: [Instead; 17] = [
    ("break", "no loop ends early: put its body under `{% if %}`"),
    (
        "continue",
        "put the rest of the loop's body under `{% if %}`",
    ),
    (
        "while",
        "write `{% for i in range(10) %}`: there is no other loop",
    ),
    ("do", "write `{% set _ = … %}`"),
    ("with", "write `{% set name = value %}`"),
    ("let", "write `{% set name = value %}`"),
    ("const", "write `{% set name = value %}`"),
    ("var", "write `{% set name = value %}`"),
    ("assign", "write `{% set name = value %}`"),
    ("capture", "write `{% set name %}…{% endset %}`"),
    ("foreach", "write `{% for item in items %}`"),
    ("each", "write `{% for item in items %}`"),
    ("unless", "write `{% if not … %}`"),
    ("elsif", "write `{% elif … %}`"),
    ("comment", "write `{# … #}`"),
    ("autoescape", "write `| escape` or `| safe` after a value"),
    ("print", "write `{{ … }}`"),
];

/// The filters of other languages.
pub(crate) static FILTERS: [Instead; 16] = [
    ("map", "write `| join(', ', 'name')`, or a `for` loop"),
    ("tojson", "write `| dump`"),
    ("to_json", "write `| dump`"),
    ("json", "write `| dump`"),
    ("jsonify", "write `| dump`"),
    ("count", "write `| length`"),
    ("size", "write `| length`"),
    ("len", "write `| length`"),
    ("strip", "write `| trim`"),
    ("upcase", "write `| upper`"),
    ("downcase", "write `| lower`"),
    ("items", "write `{% for key, value in object %}`"),
    ("keys", "write `{% for key, value in object %}`"),
    ("split", "write `.split(',')`"),
    ("contains", "write `'x' in text`"),
    (
        "format",
        "join values with `~`, and round a number with `.toFixed(2)`",
    ),
];

/// The methods of other languages.
pub(crate) static METHODS: [Instead; 20] = [
    ("items", "write `{% for key, value in object %}`"),
    ("keys", "write `{% for key, value in object %}`"),
    ("values", "write `{% for key, value in object %}`"),
    ("get", "write `object[key]`"),
    ("append", "write `.push(item)`"),
    ("extend", "write `.concat(items)`"),
    ("contains", "write `.includes(x)`"),
    ("index", "write `.indexOf(x)`"),
    ("startswith", "write `.startsWith(x)`"),
    ("endswith", "write `.endsWith(x)`"),
    ("upper", "write `| upper`"),
    ("lower", "write `| lower`"),
    ("title", "write `| title`"),
    ("capitalize", "write `| capitalize`"),
    ("strip", "write `.trim()`"),
    ("lstrip", "write `.trimStart()`"),
    ("rstrip", "write `.trimEnd()`"),
    (
        "format",
        "join values with `~`, and round a number with `.toFixed(2)`",
    ),
    ("count", "write `.length`"),
    ("length", "write `.length`"),
];

/// The functions of other languages.
pub(crate) static FUNCTIONS: [Instead; 12] = [
    (
        "namespace",
        "`{% set %}` in a loop changes a variable that was set before the loop",
    ),
    ("len", "write `| length`"),
    ("str", "write `| string`"),
    ("String", "write `| string`"),
    ("int", "write `| int`"),
    ("float", "write `| float`"),
    ("Number", "write `| float`"),
    ("sorted", "write `| sort`"),
    ("sum", "write `| sum`"),
    ("dict", "write `{key: value}`"),
    ("enumerate", "`loop.index0` is the position in a loop"),
    ("defined", "write `name is defined`"),
];

/// Returns the words that stand for `name` of another language here.
pub(crate) fn instead(table: &[Instead], name: &str) -> Option<&'static str> {
    table.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// The name most similar to `wrong`, if one is similar enough.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = match wrong.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(distance, name)| *distance <= limit && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(left: &str, right: &str) -> usize {
    let [left, right] =
        [left, right].map(|it| it.chars().take(64).collect::<String>().to_lowercase());
    strsim::osa_distance(&left, &right)
}
