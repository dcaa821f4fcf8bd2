//! Errors in a YAML document.

use crate::text::{Span, Text};
use crate::{Code, Diagnostic, Hint};

/// An error and its location.
#[derive(Debug)]
pub struct YamlError {
    /// The mistake.
    pub kind: YamlErrorKind,
    /// Its place in the text.
    pub span: Span,
}

/// The kind of an error in a document.
#[derive(Debug, thiserror::Error)]
pub enum YamlErrorKind {
    /// The parser's message.
    #[error("{0}")]
    Syntax(String),
    /// A mistake of an author that the parser noticed: message and hint.
    #[error("{0}")]
    Slip(String, String),
    /// A key appears twice in one mapping.
    #[error("duplicate key `{key}`, first used on line {first}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of its first use, from 1.
        first: usize,
    },
    /// A mapping key that is not a string.
    #[error("a key must be a string")]
    KeyKind,
    /// `<<`, which YAML 1.2 does not have.
    #[error("`<<` merges are not supported")]
    Merge,
    /// A tag such as `!!set`.
    #[error("tags such as `{0}` are not supported")]
    Tag(String),
    /// `.inf` or `.nan`.
    #[error("`{0}` cannot be represented in JSON")]
    NotFinite(String),
    /// An integer that does not fit in 64 bits.
    #[error("`{0}` does not fit in 64 bits")]
    TooBig(String),
    /// A number such as `017`, which YAML 1.1 and 1.2 read differently.
    #[error("`{0}` is octal for some YAML parsers and decimal for others")]
    LeadingZero(String),
    /// A line of a flow collection that is indented no deeper than the block around it.
    #[error("a line of a `[…]` or `{{…}}` must be indented deeper than the block around it")]
    FlowIndent {
        /// The smallest valid indentation, in spaces.
        least: usize,
    },
    /// More than one document.
    #[error("a second document begins here")]
    SecondDocument,
    /// Collections nest deeper than [`super::MAX_DEPTH`].
    #[error("more than {} levels of nesting", super::MAX_DEPTH)]
    TooDeep,
    /// More nodes than [`super::MAX_NODES`].
    #[error("more than {} values, aliases counted in full", super::MAX_NODES)]
    TooMany,
    /// More text than [`super::MAX_TEXT`].
    #[error("more than {} MiB of text, aliases counted in full", super::MAX_TEXT >> 20)]
    TooLong,
    /// An alias inside the node that it refers to.
    #[error("this alias contains itself")]
    Recursive,
}

impl YamlErrorKind {
    pub(super) const fn at(self, span: Span) -> YamlError {
        YamlError { kind: self, span }
    }

    /// A message of the parser: in lower case, and without a full stop.
    pub(super) fn syntax(message: &str) -> Self {
        let mut message = message.trim_end_matches('.').to_owned();
        message.get_mut(..1).map(str::make_ascii_lowercase);
        Self::Syntax(message)
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Syntax(message) => return syntax_hint(message).map(str::to_owned),
            Self::Slip(_, hint) => return Some(hint.clone()),
            Self::DuplicateKey { .. } => "remove or rename one of the two",
            Self::KeyKind => "put it in quotes",
            Self::Merge => "write the keys out, or use an alias for a whole value",
            Self::Tag(_) => "leave the tag out; put the value in quotes to make it a string",
            Self::NotFinite(_) | Self::TooBig(_) => "put it in quotes to make it a string",
            Self::LeadingZero(value) => return Some(leading_zero_hint(value)),
            Self::FlowIndent { least } => {
                return Some(format!(
                    "indent it by {} or more",
                    crate::pluralize(*least, "space")
                ));
            }
            Self::SecondDocument => "write one document per file",
            Self::TooDeep | Self::TooMany | Self::TooLong => "simplify the document",
            Self::Recursive => "write the value out",
        };
        Some(hint.to_owned())
    }
}

/// The hint for an error of the parser. Its errors have no kinds, so only their
/// wording distinguishes them; tests pin it.
fn syntax_hint(message: &str) -> Option<&'static str> {
    const HINTS: [(&str, &str); 7] = [
        ("tabs", "indent with spaces"),
        (
            "comments must be",
            "put a space before `#`, as in `| # njk`",
        ),
        (
            "unknown anchor",
            "put text that begins with `*` in quotes; an alias needs its `&` before it",
        ),
        (
            "unexpected character",
            "put text that begins with a special character in quotes",
        ),
        (
            "unknown escape",
            "write `\\\\` for a backslash, or use single quotes",
        ),
        (
            "after single-quoted",
            "write `''` for a quote inside single quotes",
        ),
        (
            "after double-quoted",
            "write `\\\"` for a quote inside double quotes",
        ),
    ];
    HINTS
        .iter()
        .find(|(phrase, _)| message.contains(phrase))
        .map(|(_, hint)| *hint)
}

impl YamlError {
    /// The diagnostic for this error in `text`.
    pub fn diagnostic(&self, code: Code, text: &Text) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::new(code, self.kind.to_string()).at(text.location(self.span));
        diagnostic.hints.extend(self.kind.hint().map(Hint::from));
        diagnostic
    }
}

/// Suggests a spelling of a number with leading zeros that every parser reads alike.
fn leading_zero_hint(value: &str) -> String {
    let digits = value.trim_start_matches(['-', '+']);
    let sign = if value.starts_with('-') { "-" } else { "" };
    match digits.trim_start_matches('0') {
        "" => format!("write 0 or \"{value}\""),
        plain if plain.contains(['8', '9']) => format!("write {sign}{plain} or \"{value}\""),
        plain => format!("write {sign}{plain}, {sign}0o{plain} or \"{value}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_leading_zeros_names_valid_numbers() {
        for (value, expected) in [
            ("017", r#"write 17, 0o17 or "017""#),
            ("-017", r#"write -17, -0o17 or "-017""#),
            ("+09", r#"write 9 or "+09""#),
            ("00", r#"write 0 or "00""#),
        ] {
            let hint = YamlErrorKind::LeadingZero(value.to_owned()).hint();
            assert_eq!(hint.as_deref(), Some(expected), "{value}");
        }
    }
}
