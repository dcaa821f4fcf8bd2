//! The names of entries, calls and sessions.

use std::fmt::{self, Display, Formatter};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::num::{NonZeroU64, ParseIntError};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An entry of a session: a number that grows from line to line, from 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Id(NonZeroU64);

impl Id {
    /// The first entry after the header.
    pub const FIRST: Self = Self(NonZeroU64::MIN);

    /// The next one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

impl Display for Id {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Id {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

/// A call of a tool: what the provider calls it, or what the agent does where the provider has
/// no name for it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct CallId(String);

impl CallId {
    /// The call of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The call that a provider names so, if people and shells can read that: the model may have
    /// chosen it.
    pub fn of_provider(name: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let fits = (1..=Self::MAX_CHARS).contains(&name.len()) && !name.starts_with('-');
        (fits && name.bytes().all(is_plain)).then(|| Self::new(name))
    }

    const MAX_CHARS: usize = 64;

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for CallId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A session, which is also the name of its file in a [`Store`](crate::Store).
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(inline, extend("pattern" = "^[0-9a-z][0-9a-z-]{0,63}$"))]
pub struct SessionId(String);

/// A text that does not name a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a session has 1 to 64 lower-case letters, digits and hyphens")]
pub struct SessionIdError;

impl SessionId {
    const MAX_CHARS: usize = 64;

    /// A new name, which no other session has.
    pub fn random() -> Self {
        // Each state has keys of its own, which the system made unpredictable.
        let number = RandomState::new().build_hasher().finish();
        Self(format!("{:010x}", number & 0xff_ffff_ffff))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = SessionIdError;

    fn from_str(text: &str) -> Result<Self, SessionIdError> {
        let is_allowed = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
        let bytes = text.as_bytes();
        let is_valid = bytes.len() <= Self::MAX_CHARS
            && bytes.first().is_some_and(|first| is_allowed(*first))
            && bytes.iter().all(|byte| is_allowed(*byte) || *byte == b'-');
        if is_valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(SessionIdError)
        }
    }
}

impl TryFrom<String> for SessionId {
    type Error = SessionIdError;

    fn try_from(text: String) -> Result<Self, SessionIdError> {
        text.parse()
    }
}

impl Display for SessionId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_session_is_the_name_of_a_file() {
        for valid in ["7f3a9c21be", "my-run", "0", &"a".repeat(64)] {
            assert_eq!(
                valid
                    .parse::<SessionId>()
                    .map(|id| id.to_string())
                    .as_deref(),
                Ok(valid)
            );
        }
        for invalid in ["", "-a", "A", "a.b", "../a", "a/b", "é", &"a".repeat(65)] {
            assert_eq!(
                invalid.parse::<SessionId>(),
                Err(SessionIdError),
                "{invalid}"
            );
        }
        assert_ne!(SessionId::random(), SessionId::random());
    }

    #[test]
    fn a_provider_names_calls_in_plain_words() {
        for plain in ["call-1", "call_00_aB", "0.1", &"a".repeat(64)] {
            assert_eq!(CallId::of_provider(plain), Some(CallId::new(plain)));
        }
        for name in [
            "",
            "-a",
            "--allow=*",
            "c1; touch x #",
            "a=b",
            "a:0",
            "é",
            "a\nb",
            &"a".repeat(65),
        ] {
            assert_eq!(CallId::of_provider(name), None, "{name}");
        }
    }

    #[test]
    fn an_entry_is_numbered_from_one() {
        assert!("0".parse::<Id>().is_err());
        assert_eq!(Id::FIRST.to_string(), "1");
        assert_eq!("41".parse::<Id>().map(Id::next).map(Id::get), Ok(42));
    }
}
