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
    mistake: Option<Mistake>,
    template: Option<String>,
    line: usize,
    column: usize,
    length: usize,
}

/// Why a template could not be compiled or rendered.
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            mistake: None,
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

    /// Adds a name that is meant perhaps.
    #[must_use]
    pub(crate) fn with_nearest(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => self.with_hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Adds a mistake and its hint, unless there is a hint already.
    #[must_use]
    pub(crate) fn with_mistake(mut self, mistake: impl Into<Option<Mistake>>) -> Self {
        if self.0.hint.is_none()
            && let Some(mistake) = mistake.into()
        {
            self.0.hint = Some(mistake.to_string());
            self.0.mistake = Some(mistake);
        }
        self
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

    /// The common mistake behind it, if it is one. [`Error::hint`] is its text.
    pub fn mistake(&self) -> Option<&Mistake> {
        self.0.mistake.as_ref()
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

/// A common mistake; its text is the hint.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    /// `a && b`.
    #[error("write `and`")]
    LogicalAnd,
    /// `a || b`.
    #[error("write `or`")]
    LogicalOr,
    /// `!a`.
    #[error("write `not`")]
    LogicalNot,
    /// `a <> b`.
    #[error("write `!=`")]
    Unequal,
    /// `a = b` where a comparison is meant.
    #[error("write `==` to compare, or `{{% set name = value %}}` to assign")]
    Assignment,
    /// `{% set a += 1 %}`.
    #[error("write `{{% set n = n + 1 %}}`")]
    CompoundAssignment,
    /// `{% set a.b = 1 %}`.
    #[error("only a variable can be set: make a new object")]
    MemberAssignment,
    /// `a ? b : c`.
    #[error("write `a if condition else b`")]
    Conditional,
    /// `a ?? b`.
    #[error("write `a | default(b)`")]
    Nullish,
    /// `x => x.name`.
    #[error("a function is a `macro`, which is passed by its name")]
    ArrowFunction,
    /// `{% else if %}`.
    #[error("write `elif`")]
    ElseIf,
    /// `{% for x of y %}`.
    #[error("write `in`")]
    ForOf,
    /// `items[1:3]`.
    #[error("write `.slice(start, end)`")]
    Slice,
    /// `x | join(',').trim()`.
    #[error("put the value and its filters in parentheses: `(a | b(c)).d`")]
    MemberOfFilter,
    /// `x | default 'a'`.
    #[error("put arguments in parentheses: `a | b(c)`")]
    FilterArguments,
    /// A `{{` or `{%` that is still open.
    #[error("the `{opener}` on line {line} is still open: end it with `{closer}`")]
    Open {
        /// The opening characters.
        opener: &'static str,
        /// The closing ones.
        closer: &'static str,
        /// The line of the opener, from 1.
        line: usize,
    },
    /// A tag whose end is missing, or another one.
    #[error("the `{tag}` on line {line} needs `{{% {end} %}}`")]
    Unclosed {
        /// The tag that is open.
        tag: String,
        /// Its line, from 1.
        line: usize,
        /// The tag that ends it.
        end: &'static str,
    },
    /// A tag of another language.
    #[error("{0}")]
    Tag(&'static Foreign),
    /// A filter of another language.
    #[error("{0}")]
    Filter(&'static Foreign),
    /// A method of another language.
    #[error("{0}")]
    Method(&'static Foreign),
    /// A function of another language.
    #[error("{0}")]
    Function(&'static Foreign),
    /// Arguments by name for a filter that takes them by position, and the right call, if known.
    #[error("{}", match .0 {
        Some(call) => format!("write `{call}`"),
        None => "pass arguments by position; only `sort` and `int` take them by name".to_owned(),
    })]
    KeywordArguments(Option<String>),
}

/// A name that another language has, and what stands for it here.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{instead}")]
pub struct Foreign {
    /// The name.
    pub name: &'static str,
    /// The replacement.
    pub instead: &'static str,
}

const fn foreign(name: &'static str, instead: &'static str) -> Foreign {
    Foreign { name, instead }
}

static TAGS: [Foreign; 17] = [
    foreign("break", "no loop ends early: put its body under `{% if %}`"),
    foreign(
        "continue",
        "put the rest of the loop's body under `{% if %}`",
    ),
    foreign(
        "while",
        "write `{% for i in range(10) %}`: there is no other loop",
    ),
    foreign("do", "write `{% set _ = … %}`"),
    foreign("with", "write `{% set name = value %}`"),
    foreign("let", "write `{% set name = value %}`"),
    foreign("const", "write `{% set name = value %}`"),
    foreign("var", "write `{% set name = value %}`"),
    foreign("assign", "write `{% set name = value %}`"),
    foreign("capture", "write `{% set name %}…{% endset %}`"),
    foreign("foreach", "write `{% for item in items %}`"),
    foreign("each", "write `{% for item in items %}`"),
    foreign("unless", "write `{% if not … %}`"),
    foreign("elsif", "write `{% elif … %}`"),
    foreign("comment", "write `{# … #}`"),
    foreign("autoescape", "write `| escape` or `| safe` after a value"),
    foreign("print", "write `{{ … }}`"),
];

static FILTERS: [Foreign; 16] = [
    foreign("map", "write `| join(', ', 'name')`, or a `for` loop"),
    foreign("tojson", "write `| dump`"),
    foreign("to_json", "write `| dump`"),
    foreign("json", "write `| dump`"),
    foreign("jsonify", "write `| dump`"),
    foreign("count", "write `| length`"),
    foreign("size", "write `| length`"),
    foreign("len", "write `| length`"),
    foreign("strip", "write `| trim`"),
    foreign("upcase", "write `| upper`"),
    foreign("downcase", "write `| lower`"),
    foreign("items", "write `{% for key, value in object %}`"),
    foreign("keys", "write `{% for key, value in object %}`"),
    foreign("split", "write `.split(',')`"),
    foreign("contains", "write `'x' in text`"),
    foreign(
        "format",
        "join values with `~`, and round a number with `.toFixed(2)`",
    ),
];

static METHODS: [Foreign; 20] = [
    foreign("items", "write `{% for key, value in object %}`"),
    foreign("keys", "write `{% for key, value in object %}`"),
    foreign("values", "write `{% for key, value in object %}`"),
    foreign("get", "write `object[key]`"),
    foreign("append", "write `.push(item)`"),
    foreign("extend", "write `.concat(items)`"),
    foreign("contains", "write `.includes(x)`"),
    foreign("index", "write `.indexOf(x)`"),
    foreign("startswith", "write `.startsWith(x)`"),
    foreign("endswith", "write `.endsWith(x)`"),
    foreign("upper", "write `| upper`"),
    foreign("lower", "write `| lower`"),
    foreign("title", "write `| title`"),
    foreign("capitalize", "write `| capitalize`"),
    foreign("strip", "write `.trim()`"),
    foreign("lstrip", "write `.trimStart()`"),
    foreign("rstrip", "write `.trimEnd()`"),
    foreign(
        "format",
        "join values with `~`, and round a number with `.toFixed(2)`",
    ),
    foreign("count", "write `.length`"),
    foreign("length", "write `.length`"),
];

static FUNCTIONS: [Foreign; 12] = [
    foreign(
        "namespace",
        "`{% set %}` in a loop changes a variable that was set before the loop",
    ),
    foreign("len", "write `| length`"),
    foreign("str", "write `| string`"),
    foreign("String", "write `| string`"),
    foreign("int", "write `| int`"),
    foreign("float", "write `| float`"),
    foreign("Number", "write `| float`"),
    foreign("sorted", "write `| sort`"),
    foreign("sum", "write `| sum`"),
    foreign("dict", "write `{key: value}`"),
    foreign("enumerate", "`loop.index0` is the position in a loop"),
    foreign("defined", "write `name is defined`"),
];

fn find(table: &'static [Foreign], name: &str) -> Option<&'static Foreign> {
    table.iter().find(|foreign| foreign.name == name)
}

impl Mistake {
    /// The line of the template, from 1, that the hint names, if it names one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Open { line, .. } | Self::Unclosed { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// The mistake with its line in the file that the template is part of.
    #[must_use]
    pub fn on_line(mut self, number: usize) -> Self {
        if let Self::Open { line, .. } | Self::Unclosed { line, .. } = &mut self {
            *line = number;
        }
        self
    }

    /// The tag of another language with that name.
    pub(crate) fn tag(name: &str) -> Option<Self> {
        find(&TAGS, name).map(Self::Tag)
    }

    /// The filter of another language with that name.
    pub(crate) fn filter(name: &str) -> Option<Self> {
        find(&FILTERS, name).map(Self::Filter)
    }

    /// The replacement of a method of another language.
    pub(crate) fn method(name: &str) -> Option<&'static Foreign> {
        find(&METHODS, name)
    }

    /// The replacement of a function of another language.
    pub(crate) fn function(name: &str) -> Option<&'static Foreign> {
        find(&FUNCTIONS, name)
    }

    /// The function, or the method if there is a dot before it, that the template calls.
    pub(crate) fn callee(callee: &str) -> Option<Self> {
        match callee.rsplit_once('.') {
            Some((_, name)) => find(&METHODS, name).map(Self::Method),
            None => find(&FUNCTIONS, callee).map(Self::Function),
        }
    }
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
    let left: Vec<char> = left.chars().take(64).flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right
        .chars()
        .take(64)
        .flat_map(char::to_lowercase)
        .collect();
    let mut older: Vec<usize> = Vec::new();
    let mut old: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut new = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (old[j] + usize::from(a != b))
                .min(old[j + 1] + 1)
                .min(new[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(older[j - 1] + 1);
            }
            new.push(best);
        }
        older = std::mem::replace(&mut old, new);
    }
    old.last().copied().unwrap_or_default()
}
