//! Tool names that every host accepts.

use std::fmt;

/// A portable tool name: `^[a-zA-Z_][a-zA-Z0-9_-]{0,46}$`.
///
/// Hosts accept 64 characters; Gemini CLI adds the prefix `discovered_tool_` (16
/// characters, and one that it reserves). Some hosts reject dots or colons.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(String);

/// Why a name is not portable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It is empty.
    #[error("a name cannot be empty")]
    Empty,
    /// It is longer than [`Name::MAX_LENGTH`].
    #[error("a name has at most {most} characters, not {0}", most = Name::MAX_LENGTH)]
    TooLong(usize),
    /// Its first character is not a letter or an underscore.
    #[error("a name must begin with a letter from a to z or an underscore, not with {0:?}")]
    Start(char),
    /// A character that not all hosts accept.
    #[error("a name may only contain letters from a to z, digits, `_` and `-`, not {0:?}")]
    Character(char),
    /// The name of a built-in tool.
    #[error("cogtools has a built-in tool of that name")]
    Reserved,
}

impl Name {
    /// The maximum length, in characters.
    pub const MAX_LENGTH: usize = 47;
    /// The names of the built-in tools.
    pub const RESERVED: [&'static str; 2] = [Self::FIND, Self::CALL];
    /// The tool that finds tools.
    pub const FIND: &'static str = "find_tool";
    /// The tool that calls one.
    pub const CALL: &'static str = "call_tool";

    /// Parses a name, if it is portable.
    pub fn new(name: &str) -> Result<Self, NameError> {
        let first = name.chars().next().ok_or(NameError::Empty)?;
        let length = name.chars().count();
        if length > Self::MAX_LENGTH {
            return Err(NameError::TooLong(length));
        }
        if !(first.is_ascii_alphabetic() || first == '_') {
            return Err(NameError::Start(first));
        }
        let portable = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        match name.chars().find(|c| !portable(c)) {
            Some(other) => Err(NameError::Character(other)),
            None if Self::RESERVED.contains(&name) => Err(NameError::Reserved),
            None => Ok(Self(name.to_owned())),
        }
    }

    /// The name of a tool of cogtools itself, also one of [`Name::RESERVED`].
    pub(crate) fn built_in(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_portable_names_are_accepted() {
        let long = "a".repeat(48);
        for (name, expected) in [
            ("facepalm", None),
            ("_a-1", None),
            (&long[1..], None),
            ("", Some(NameError::Empty)),
            (&long, Some(NameError::TooLong(48))),
            ("1a", Some(NameError::Start('1'))),
            ("../a", Some(NameError::Start('.'))),
            ("a/b", Some(NameError::Character('/'))),
            ("a\0", Some(NameError::Character('\0'))),
            ("ä", Some(NameError::Start('ä'))),
            ("a.b", Some(NameError::Character('.'))),
            ("find_tool", Some(NameError::Reserved)),
            ("Find_tool", None),
        ] {
            assert_eq!(Name::new(name).err(), expected, "{name:?}");
        }
    }
}
