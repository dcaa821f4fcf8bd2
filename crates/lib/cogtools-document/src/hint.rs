//! Hints: what to do about a failure, as data.
//!
//! The core does not know command lines: where a command helps, the hint names it by
//! its purpose, and each user interface renders it or omits it.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::suggest::Suggestion;

/// The next step after a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Advice as text.
    Text(String),
    /// Names that were probably meant.
    Names(Suggestion),
    /// A command to run, with the text around it.
    Run {
        /// The text before the command.
        before: &'static str,
        /// The command.
        command: Command,
        /// The text after the command.
        after: &'static str,
    },
}

/// The commands that a hint can name, by purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Lists the tools that can be called.
    Discover,
    /// Lists the tools for people.
    List,
    /// Calls the tool of this name with these words as its arguments.
    Run(String, Vec<String>),
    /// Calls a tool with arguments on standard input.
    Call {
        /// The tool.
        callee: Callee,
        /// The input to send; without it, the user has it.
        input: Option<String>,
        /// True if the input is YAML.
        yaml: bool,
    },
    /// Checks the tool files.
    Lint,
    /// Checks the installation and the host.
    Doctor,
    /// Compares the tools' answers with the expected ones.
    Test,
    /// Shows the manual of a program or a topic.
    Help(&'static str),
    /// Lists every program that was found.
    HelpAll,
    /// Sets up the project.
    Init,
    /// Creates a tool.
    New,
    /// Approves the programs of the source with this name; see [`Command::trust`].
    Trust(String),
    /// Trusts the project in this folder; the current one if there is none.
    TrustProject(Option<PathBuf>),
    /// Pins the declarations of all sources.
    Lock,
    /// Shows which file sets each key of the configuration.
    ConfigOrigins,
    /// Shows where the value of each environment variable comes from.
    EnvOrigins,
    /// Explains which editor answers.
    EditorStatus,
}

impl Command {
    /// Approves the programs of the source `name`, a provider, specification or package as `noun`
    /// says: `.` alone is the project.
    pub fn trust(noun: &str, name: &str) -> Self {
        Self::Trust(match name {
            "." => format!("{noun}:."),
            name => name.to_owned(),
        })
    }
}

/// A tool as a command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A tool of the project, by name.
    Tool(String),
    /// A tool file.
    File(PathBuf),
}

impl Hint {
    /// A hint that names a command, with the text around it.
    pub const fn run(before: &'static str, command: Command, after: &'static str) -> Self {
        Self::Run {
            before,
            command,
            after,
        }
    }

    /// The text of advice, for models and files; commands are for people.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Names(suggestion) => Some(suggestion.as_str()),
            Self::Run { .. } => None,
        }
    }

    /// The text of the hint, with its command rendered by `line`.
    pub fn render(&self, line: impl FnOnce(&Command) -> String) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Names(suggestion) => suggestion.as_str().into(),
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

impl From<Suggestion> for Hint {
    fn from(suggestion: Suggestion) -> Self {
        Self::Names(suggestion)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
