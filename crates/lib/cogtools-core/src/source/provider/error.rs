//! The errors of a provider, each of which names it.

use std::io;
use std::time::Duration;

use crate::hint::{Command, Hint};
use crate::process::Output;
use crate::{Code, Diagnostic, Omission, OmissionReason};

/// Why a provider's tools are unavailable. The first field is its name.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The user has not approved it.
    #[error("the provider `{0}` is not approved yet")]
    NotApproved(String),
    /// It was approved, and its command has changed.
    #[error("the provider `{0}` has changed since it was approved")]
    ApprovalOutdated(String),
    /// Discovery of one of the project's providers is running, and has led back to it.
    #[error("the provider `{0}` is skipped: another provider of this project is being listed")]
    Recursive(String),
    /// Another error prevents it: the reason, and the error's diagnostic.
    #[error("the provider `{0}` cannot be run: {1}")]
    Unrunnable(String, String, Box<Diagnostic>),
    /// Its program does not exist.
    #[error("the provider `{0}` cannot be run: program `{1}` not found")]
    NotFound(String, String),
    /// Its program is a path relative to the project, in which it does not start.
    #[error(
        "the provider `{0}` cannot be run: `{1}` is a relative path, and providers in the user's own configuration do not start in the project"
    )]
    Relative(String, String),
    /// It speaks a transport that is not supported.
    #[error("the provider `{0}` has the type `sse`, a transport that is not supported")]
    Sse(String),
    /// The system cannot start it.
    #[error("the provider `{0}` cannot be started: {1}")]
    Start(String, io::Error),
    /// Its discovery timed out.
    #[error("the provider `{0}` timed out: it did not declare its tools within {1:?}")]
    TimedOut(String, Duration),
    /// It did not declare its tools in the moment that a list has.
    #[error("the provider `{0}` is left out for now: it has not declared its tools within {1:?}")]
    Late(String, Duration),
    /// It failed a moment ago, and was not asked again.
    #[error("{}", .1.message)]
    Remembered(String, Box<Diagnostic>),
    /// It declared more than is read.
    #[error("the provider `{0}` declares more than 10 MiB")]
    OutputLimit(String),
    /// Its discovery failed.
    #[error("the provider `{name}` failed to declare its tools: it {exit}")]
    Failed {
        /// Its name.
        name: String,
        /// The end of its process.
        exit: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// It is an MCP server, and its client reported this.
    #[error("{}", .1.message)]
    Server(String, Box<Diagnostic>),
    /// Its output is not a list of declarations.
    #[error("the provider `{0}` printed invalid declarations: {1}")]
    InvalidOutput(String, String),
    /// Its answer to this request is not a list.
    #[error("the MCP server `{0}` does not answer `{1}` with a list")]
    InvalidList(String, String),
    /// One of its declarations is invalid: which one, and why.
    #[error("the provider `{0}` has an invalid declaration: {message}", message = .1.message(.2))]
    Declaration(String, InvalidDeclaration, String),
    /// The configuration changes a tool in a way that it does not permit.
    #[error("`tools` of the source `{0}` {1}")]
    Changes(String, String),
    /// It declares a name twice; the first one counts.
    #[error("the provider `{0}` declares `{1}` more than once")]
    DuplicateTool(String, String),
    /// It declares names of files, which its tools do not take: which, and their names here.
    #[error("the provider `{0}` declares the name of a file: {1}")]
    NamesOfFiles(String, String),
    /// It declares names that an earlier source has: which, and their names here.
    #[error("the provider `{0}` declares the name of another tool: {1}")]
    NamesOfOthers(String, String),
    /// Its declarations had invisible characters: their code points.
    #[error("the provider `{0}` hides characters in its descriptions, which were removed: {1}")]
    Invisible(String, String),
}

/// Why a declaration is invalid. Each is about a declaration's number, or a tool and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidDeclaration {
    /// It has no name.
    Unnamed,
    /// The value of this key, which has its parameters, is not an object.
    SchemaKind(&'static str),
    /// This key describes something other than an object.
    SchemaType(&'static str),
}

/// The number of bytes at the end of its standard error that are shown.
const STDERR_TAIL: usize = 2 << 10;
/// The hint to a failure that is remembered.
const AGAIN: &str =
    "it is asked again a minute after it failed, or at once by `cogtools-discover --refresh`";

impl ProviderError {
    pub(super) fn failed(name: String, output: &Output) -> Self {
        let stderr = &output.stderr.bytes;
        let tail = &stderr[stderr.len().saturating_sub(STDERR_TAIL)..];
        Self::Failed {
            name,
            exit: output.exit.describe(),
            stderr: String::from_utf8_lossy(tail).trim().to_owned(),
        }
    }

    /// Returns true if it was not waited for.
    pub(super) const fn is_late(&self) -> bool {
        matches!(self, Self::Late(..))
    }

    /// Returns true if it concerns some declarations only, so that the others are available.
    pub const fn is_partial(&self) -> bool {
        matches!(
            self,
            Self::Declaration(..)
                | Self::Changes(..)
                | Self::DuplicateTool(..)
                | Self::NamesOfFiles(..)
                | Self::NamesOfOthers(..)
                | Self::Invisible(..)
        )
    }

    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let with = |code| Diagnostic::new(code, self.to_string());
        let (code, hint) = match self {
            Self::Server(_, diagnostic) => return diagnostic.as_ref().clone(),
            Self::Remembered(_, diagnostic) => return diagnostic.as_ref().clone().hint(AGAIN),
            Self::Unrunnable(.., cause) => {
                let mut diagnostic = with(cause.code);
                diagnostic.hints.clone_from(&cause.hints);
                return diagnostic;
            }
            Self::Failed { stderr, .. } => {
                return with(Code::ToolFailed).with_details(stderr.as_str());
            }
            Self::NotApproved(name) | Self::ApprovalOutdated(name) => {
                let before = "review what it runs, then approve it: ";
                let hint = Hint::run(before, Command::trust("provider", name), "");
                return with(Code::Denied).hint(hint);
            }
            Self::Recursive(_) => (
                Code::InvalidConfig,
                "remove the source that leads back here from `tool_sources`",
            ),
            Self::NotFound(..) => (
                Code::InvalidConfig,
                "install it, or correct `command` under `tool_sources`",
            ),
            Self::Relative(..) => (
                Code::InvalidConfig,
                "write its absolute path, or start it in the project with `cwd: project`",
            ),
            Self::Sse(_) => (
                Code::InvalidConfig,
                "name the URL of its streamable HTTP transport, which most servers have at `/mcp`, without `type`",
            ),
            Self::Start(..) => (
                Code::InvalidConfig,
                "check that it is an executable program",
            ),
            Self::Changes(..) => (
                Code::InvalidConfig,
                "correct it in the configuration; other tools are not affected",
            ),
            Self::TimedOut(..) => (
                Code::Timeout,
                "give it more time with `timeout` under `command`, or cache its declarations with `cache`",
            ),
            Self::Late(..) => (
                Code::Timeout,
                "a later list has them as soon as it has declared them; `cogtools-discover --refresh` waits for it",
            ),
            Self::OutputLimit(_) => (
                Code::ToolFailed,
                "hosts accept no more; make it declare less",
            ),
            Self::InvalidOutput(..) => (
                Code::ToolFailed,
                "it should print a JSON array of objects with name, description and parameters",
            ),
            Self::InvalidList(..) => (
                Code::ToolFailed,
                "everything else that it offers is there; report this to its author",
            ),
            Self::NamesOfFiles(..) => (
                Code::InvalidTool,
                "a file is never displaced; give the source a `prefix`, or rename the file",
            ),
            Self::NamesOfOthers(..) => (
                Code::InvalidTool,
                "the tool of an earlier source keeps its name; give this source a `prefix`",
            ),
            Self::Invisible(..) => (
                Code::InvalidTool,
                "a model would read what you do not see: ask its author why",
            ),
            Self::Declaration(..) | Self::DuplicateTool(..) => (
                Code::InvalidTool,
                "its other tools are not affected; report this to its author",
            ),
        };
        let mut diagnostic = with(code).hint(hint);
        diagnostic.omission = self.omission().map(Box::new);
        diagnostic
    }

    /// The tool that is left out, if it concerns one only.
    fn omission(&self) -> Option<Omission> {
        let (source, tool, reason) = match self {
            Self::Declaration(source, what, tool) => (source, tool, what.reason()),
            Self::DuplicateTool(source, tool) => (source, tool, OmissionReason::Duplicate),
            _ => return None,
        };
        Some(Omission {
            source: source.clone(),
            tool: tool.clone(),
            reason,
        })
    }
}

impl InvalidDeclaration {
    fn message(self, tool: &str) -> String {
        match self {
            Self::Unnamed => format!("declaration {tool} has no name"),
            Self::SchemaKind(key) => format!("`{key}` of `{tool}` is not an object"),
            Self::SchemaType(key) => format!("`{key}` of `{tool}` does not describe an object"),
        }
    }

    const fn reason(self) -> OmissionReason {
        match self {
            Self::Unnamed => OmissionReason::Unnamed,
            Self::SchemaKind(_) => OmissionReason::SchemaKind,
            Self::SchemaType(_) => OmissionReason::SchemaType,
        }
    }
}
