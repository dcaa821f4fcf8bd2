//! A secret that must not be printed.

use std::fmt;

/// An API key or a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Keeps `secret`.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret, for the header of a request.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
