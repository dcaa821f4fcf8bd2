//! What can be wrong with a provider, always said in its name.

use std::io;
use std::time::Duration;

use crate::digest::DigestError;
use crate::environment::EnvError;
use crate::hint::{Command, Hint};
use crate::process::Output;
use crate::trust::RecordError;
use crate::{Code, Diagnostic};

/// Why a provider's tools cannot be had. The first field is its name.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// Nobody has allowed it.
    #[error("the provider `{0}` is not allowed to run yet")]
    NotApproved(String),
    /// It was allowed, and its command has changed.
    #[error("the provider `{0}` has changed since it was allowed to run")]
    ApprovalOutdated(String),
    /// One of the project's providers is being asked, and has led back to it.
    #[error(
        "the provider `{0}` is not asked: another provider of this project asks it for its tools"
    )]
    Recursive(String),
    /// What is allowed cannot be read.
    #[error("the provider `{0}` cannot be run: {1}")]
    Record(String, RecordError),
    /// What it is cannot be told.
    #[error("the provider `{0}` cannot be run: {1}")]
    Content(String, DigestError),
    /// The variables that it declares are not there.
    #[error("the provider `{0}` cannot be run: {1}")]
    Env(String, EnvError),
    /// Its program is nowhere.
    #[error("the provider `{0}` cannot be run: the program `{1}` is not found")]
    NotFound(String, String),
    /// The system does not start it.
    #[error("the provider `{0}` cannot be started: {1}")]
    Start(String, io::Error),
    /// It took too long to declare.
    #[error("the provider `{0}` did not declare its tools within {1:?}")]
    TimedOut(String, Duration),
    /// It declared more than is read.
    #[error("the provider `{0}` declares more than 10 MiB")]
    OutputLimit(String),
    /// It failed to declare.
    #[error("the provider `{name}` failed to declare its tools: it {end}")]
    Failed {
        /// Its name.
        name: String,
        /// How it ended.
        end: String,
        /// The end of what it said.
        said: String,
    },
    /// It is an MCP server, and this is wrong with it.
    #[error("{}", .1.message)]
    Server(String, Box<Diagnostic>),
    /// What it printed are no declarations.
    #[error("the provider `{0}` does not print declarations: {1}")]
    InvalidOutput(String, String),
    /// One of its declarations is not one.
    #[error("the provider `{0}` declares something that is no tool: {1}")]
    Declaration(String, String),
    /// It declares a name twice; the first one counts.
    #[error("the provider `{0}` declares `{1}` more than once")]
    DuplicateTool(String, String),
}

/// How much of what it said is told, in bytes: the end.
const STDERR_TAIL: usize = 2 << 10;

impl ProviderError {
    pub(super) fn failed(name: String, output: &Output) -> Self {
        let said = &output.stderr.bytes;
        let said = &said[said.len().saturating_sub(STDERR_TAIL)..];
        Self::Failed {
            name,
            end: output.exit.describe(),
            said: String::from_utf8_lossy(said).trim().to_owned(),
        }
    }

    /// The provider's name.
    pub fn provider(&self) -> &str {
        match self {
            Self::NotApproved(name)
            | Self::ApprovalOutdated(name)
            | Self::Recursive(name)
            | Self::Record(name, _)
            | Self::Content(name, _)
            | Self::Env(name, _)
            | Self::NotFound(name, _)
            | Self::Start(name, _)
            | Self::TimedOut(name, _)
            | Self::OutputLimit(name)
            | Self::Failed { name, .. }
            | Self::InvalidOutput(name, _)
            | Self::Declaration(name, _)
            | Self::DuplicateTool(name, _)
            | Self::Server(name, _) => name,
        }
    }

    /// Whether it is about one declaration, and the others can be had.
    pub const fn is_partial(&self) -> bool {
        matches!(self, Self::Declaration(..) | Self::DuplicateTool(..))
    }

    /// The fault to show.
    pub fn diagnostic(&self) -> Diagnostic {
        if let Self::Server(_, diagnostic) = self {
            return diagnostic.as_ref().clone();
        }
        if let Some(cause) = self.cause() {
            let mut diagnostic = Diagnostic::new(cause.code, self.to_string());
            diagnostic.hints = cause.hints;
            return diagnostic;
        }
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string());
        if let Self::Failed { said, .. } = self {
            diagnostic.details.clone_from(said);
        }
        diagnostic.hints.extend(self.hint());
        diagnostic
    }

    /// What somebody else has to say about it.
    fn cause(&self) -> Option<Diagnostic> {
        match self {
            Self::Record(_, error) => Some(error.diagnostic()),
            Self::Content(_, error) => Some(error.diagnostic()),
            Self::Env(_, error) => Some(error.diagnostic()),
            _ => None,
        }
    }

    const fn code(&self) -> Code {
        match self {
            Self::NotApproved(_) | Self::ApprovalOutdated(_) => Code::Denied,
            Self::Recursive(_)
            | Self::Record(..)
            | Self::Content(..)
            | Self::Env(..)
            | Self::NotFound(..)
            | Self::Start(..) => Code::InvalidConfig,
            Self::TimedOut(..) => Code::Timeout,
            Self::OutputLimit(_) | Self::Failed { .. } | Self::InvalidOutput(..) => {
                Code::ToolFailed
            }
            Self::Server(_, diagnostic) => diagnostic.code,
            Self::Declaration(..) | Self::DuplicateTool(..) => Code::InvalidTool,
        }
    }

    fn hint(&self) -> Option<Hint> {
        let text = match self {
            Self::NotApproved(name) | Self::ApprovalOutdated(name) => {
                let before = "look at what it runs, then allow it: ";
                return Some(Hint::run(before, Command::Trust(name.clone()), ""));
            }
            Self::Recursive(_) => "leave the source that leads back here out of `tool_sources`",
            Self::NotFound(..) => "install it, or mend `command` under `tool_sources`",
            Self::Start(..) => "check that it is an executable program",
            Self::TimedOut(..) => {
                "give it more time with `timeout` under `command`, or keep what it declares with `cache`"
            }
            Self::OutputLimit(_) => "no host takes so much; ask it for less",
            Self::Record(..)
            | Self::Content(..)
            | Self::Env(..)
            | Self::Failed { .. }
            | Self::Server(..) => return None,
            Self::InvalidOutput(..) => {
                "it should print a JSON array of objects with name, description and parameters"
            }
            Self::Declaration(..) | Self::DuplicateTool(..) => {
                "the others of its tools are not affected; tell its author"
            }
        };
        Some(text.into())
    }
}
