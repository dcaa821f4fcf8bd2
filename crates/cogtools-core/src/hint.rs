//! What to do about a failure, as data.
//!
//! The core knows no command lines: where a command helps, the hint names it by
//! what it does, and each surface renders it its own way or leaves it out.

use std::borrow::Cow;

/// What to do next about a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Advice in words.
    Text(String),
    /// A command to run, and the words on either side of it.
    Run {
        /// What comes before the command.
        before: &'static str,
        /// The command.
        command: Command,
        /// What comes after it.
        after: &'static str,
    },
}

/// What a command does that a hint names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Lists the tools that can be called.
    Discover,
    /// Approves what the source of this name runs.
    Trust(String),
    /// Pins what the sources declare.
    Lock,
    /// Shows which file sets each key of the configuration.
    ConfigOrigins,
    /// Shows where the value of each environment variable comes from.
    EnvOrigins,
}

impl Hint {
    /// A hint that names a command, with the words on either side of it.
    pub const fn run(before: &'static str, command: Command, after: &'static str) -> Self {
        Self::Run {
            before,
            command,
            after,
        }
    }

    /// The hint in words, with its command as `line` writes it.
    pub fn render(&self, line: impl FnOnce(&Command) -> String) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Run {
                before,
                command,
                after,
            } => format!("{before}{}{after}", line(command)).into(),
        }
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
