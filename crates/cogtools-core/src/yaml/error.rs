//! Why a text is not a document.

use crate::text::{Span, Text};
use crate::{Code, Fault};

/// What is wrong and where.
#[derive(Debug)]
pub struct YamlError {
    /// What is wrong.
    pub fault: YamlFault,
    /// Where.
    pub span: Span,
}

/// What can be wrong with a document.
#[derive(Debug, thiserror::Error)]
pub enum YamlFault {
    /// The parser's own words.
    #[error("{0}")]
    Syntax(String),
    /// A key stands twice in one mapping.
    #[error("duplicate key `{key}`, already on line {first}")]
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
    #[error("`{0}` has no place in JSON")]
    NotFinite(String),
    /// An integer that does not fit 64 bits.
    #[error("`{0}` does not fit 64 bits")]
    TooBig(String),
    /// A number such as `017`, which YAML 1.1 and 1.2 read differently.
    #[error("`{0}` is 8-based for some readers of YAML and 10-based for others")]
    LeadingZero(String),
    /// More than one document.
    #[error("a second document begins here")]
    SecondDocument,
    /// Collections nest deeper than [`super::MAX_DEPTH`].
    #[error("more than {} levels of nesting", super::MAX_DEPTH)]
    TooDeep,
    /// More nodes than [`super::MAX_NODES`].
    #[error("more than {} values, aliases counted in full", super::MAX_NODES)]
    TooMany,
    /// An alias inside of the very node that it names.
    #[error("this alias contains itself")]
    Recursive,
}

impl YamlFault {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Syntax(message) if message.contains("tab") => "indent with spaces",
            Self::Syntax(_) => return None,
            Self::DuplicateKey { .. } => "remove or rename one of the two",
            Self::KeyKind => "put it in quotes",
            Self::Merge => "write the keys out, or use an alias for a whole value",
            Self::Tag(_) => "leave the tag out; put the value in quotes to make it a string",
            Self::NotFinite(_) | Self::TooBig(_) => "put it in quotes to make it a string",
            Self::LeadingZero(value) => return Some(without_zeros(value)),
            Self::SecondDocument => "keep one document a file",
            Self::TooDeep | Self::TooMany => "simplify the document",
            Self::Recursive => "write the value out",
        };
        Some(hint.to_owned())
    }
}

impl YamlError {
    /// The fault to show for this error in `text`.
    pub fn fault(&self, code: Code, text: &Text) -> Fault {
        let mut fault = Fault::new(code, self.fault.to_string()).at(text.place(self.span));
        fault.hints.extend(self.fault.hint());
        fault
    }
}

/// The spellings of a number with leading zeros that every reader understands alike.
fn without_zeros(value: &str) -> String {
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
    fn numbers_are_offered_that_can_be_written() {
        for (value, expected) in [
            ("017", r#"write 17, 0o17 or "017""#),
            ("-017", r#"write -17, -0o17 or "-017""#),
            ("+09", r#"write 9 or "+09""#),
            ("00", r#"write 0 or "00""#),
        ] {
            let hint = YamlFault::LeadingZero(value.to_owned()).hint();
            assert_eq!(hint.as_deref(), Some(expected), "{value}");
        }
    }
}
