//! Mistakes of authors who know another language of templates, or JavaScript, and what to write
//! instead. A mistake is a value, which hosts can match; its hint is derived from it.

use std::fmt;

/// A common mistake, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    /// `a && b`.
    LogicalAnd,
    /// `a || b`.
    LogicalOr,
    /// `!a`.
    LogicalNot,
    /// `a <> b`.
    Unequal,
    /// `a = b` where a comparison is meant.
    Assignment,
    /// `{% set a += 1 %}`.
    CompoundAssignment,
    /// `{% set a.b = 1 %}`.
    MemberAssignment,
    /// `a ? b : c`.
    Conditional,
    /// `a ?? b`.
    Nullish,
    /// `x => x.name`.
    ArrowFunction,
    /// `{% else if %}`.
    ElseIf,
    /// `{% for x of y %}`.
    ForOf,
    /// `items[1:3]`.
    Slice,
    /// `x | join(',').trim()`.
    MemberOfFilter,
    /// `x | default 'a'`.
    FilterArguments,
    /// A `{{` or `{%` that is still open.
    Open {
        /// The opening characters.
        opener: &'static str,
        /// The closing ones.
        closer: &'static str,
        /// The line of the opener, from 1.
        line: usize,
    },
    /// A tag whose end is missing, or another one.
    Unclosed {
        /// The tag that is open.
        tag: String,
        /// Its line, from 1.
        line: usize,
        /// The tag that ends it.
        end: &'static str,
    },
    /// A tag of another language.
    Tag(&'static Foreign),
    /// A filter of another language.
    Filter(&'static Foreign),
    /// A method of another language.
    Method(&'static Foreign),
    /// A function of another language.
    Function(&'static Foreign),
    /// Arguments by name for a filter that takes them by position, and the right call, if known.
    KeywordArguments(Option<String>),
}

/// A name that another language has, and what stands for it here.
#[derive(Debug, PartialEq, Eq)]
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

/// The hint.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LogicalAnd => "write `and`",
            Self::LogicalOr => "write `or`",
            Self::LogicalNot => "write `not`",
            Self::Unequal => "write `!=`",
            Self::Assignment => "write `==` to compare, or `{% set name = value %}` to assign",
            Self::CompoundAssignment => "write `{% set n = n + 1 %}`",
            Self::MemberAssignment => "only a variable can be set: make a new object",
            Self::Conditional => "write `a if condition else b`",
            Self::Nullish => "write `a | default(b)`",
            Self::ArrowFunction => "a function is a `macro`, which is passed by its name",
            Self::ElseIf => "write `elif`",
            Self::ForOf => "write `in`",
            Self::Slice => "write `.slice(start, end)`",
            Self::MemberOfFilter => "put the value and its filters in parentheses: `(a | b(c)).d`",
            Self::FilterArguments => "put arguments in parentheses: `a | b(c)`",
            Self::Open {
                opener,
                closer,
                line,
            } => {
                return write!(
                    f,
                    "the `{opener}` on line {line} is still open: end it with `{closer}`"
                );
            }
            Self::Unclosed { tag, line, end } => {
                return write!(f, "the `{tag}` on line {line} needs `{{% {end} %}}`");
            }
            Self::Tag(foreign)
            | Self::Filter(foreign)
            | Self::Method(foreign)
            | Self::Function(foreign) => foreign.instead,
            Self::KeywordArguments(Some(call)) => return write!(f, "write `{call}`"),
            Self::KeywordArguments(None) => {
                "pass arguments by position; only `sort` and `int` take them by name"
            }
        })
    }
}
