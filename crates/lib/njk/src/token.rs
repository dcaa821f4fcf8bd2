//! The tokens of a template, each with its position.

use crate::error::Span;

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
    /// The token in a message.
    pub(crate) fn describe(&self) -> String {
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
