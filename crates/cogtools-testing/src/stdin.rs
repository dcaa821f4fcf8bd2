//! What a program finds on its standard input.
//!
//! Each variant is a situation that programs get wrong in its own way, so a
//! test names the one it means.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;

/// What a program finds on its standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// `/dev/null`, as under a service manager.
    #[default]
    Null,
    /// A pipe that holds these bytes and then ends.
    Bytes(Vec<u8>),
    /// No file descriptor 0 at all, as after `<&-`.
    Closed,
    /// A pipe that stays open and is never written to.
    Open,
    /// This file, opened for reading.
    File(PathBuf),
}

impl Stdin {
    pub(crate) fn stdio(&self) -> Stdio {
        match self {
            Self::Null | Self::Closed => Stdio::null(),
            Self::Bytes(_) | Self::Open => Stdio::piped(),
            Self::File(path) => File::open(path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                .into(),
        }
    }
}

impl From<&str> for Stdin {
    fn from(text: &str) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<String> for Stdin {
    fn from(text: String) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<&String> for Stdin {
    fn from(text: &String) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Stdin {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Stdin {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<const N: usize> From<&[u8; N]> for Stdin {
    fn from(bytes: &[u8; N]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<&serde_json::Value> for Stdin {
    fn from(value: &serde_json::Value) -> Self {
        Self::Bytes(value.to_string().into())
    }
}

impl From<serde_json::Value> for Stdin {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}
