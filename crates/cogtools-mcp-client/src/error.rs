//! What can be wrong with a server, always said in its name.

use std::time::Duration;

use cogtools_core::{Code, Diagnostic, Hint};

use crate::obstacle::Obstacle;

/// Why a server did not answer. The first field is its name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("this is no description of a server: {0}")]
    Description(String),
    #[error("the MCP server `{0}` cannot be asked: a header needs the environment variable {1}")]
    Variable(String, String),
    #[error("the MCP server `{0}` cannot be asked: `{1}` is no header, or its value cannot be one")]
    Header(String, String),
    #[error("the MCP server `{0}` cannot be started: the program `{1}` is not found")]
    NotFound(String, String),
    #[error("the MCP server `{0}` cannot be started: {1}")]
    Start(String, std::io::Error),
    #[error("the MCP server `{0}` {1}")]
    Http(String, Obstacle),
    #[error("the MCP server `{0}` {1} before it answered `{2}`")]
    CapturedRun(String, String, &'static str),
    #[error("the MCP server `{0}` did not answer `{1}` within {2:?}")]
    Late(String, &'static str, Duration),
    #[error("the MCP server `{0}` refuses `{1}`: {2}")]
    Refused(String, &'static str, String),
    #[error("the MCP server `{0}` answers `{1}` with something else: {2}")]
    Form(String, &'static str, String),
    #[error("the MCP server `{0}` sends a message larger than {most} MiB", most = crate::wire::LONGEST >> 20)]
    TooLarge(String),
    #[error("the MCP server `{0}` prints something else than messages of MCP: {1}")]
    Noise(String, String),
    #[error("the MCP server `{0}` declares more than 10 MiB, or 1,000 pages, of tools")]
    Endless(String),
    #[error("the MCP server `{0}` has no tool `{1}` any more")]
    NoTool(String, String),
}

impl ClientError {
    /// The fault to show, with what the server said on standard error.
    pub(crate) fn diagnostic(&self, said: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string());
        diagnostic.details = said;
        diagnostic.hints.extend(self.hint().map(Hint::from));
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::Description(_) => Code::Usage,
            Self::Variable(..) | Self::Header(..) | Self::NotFound(..) | Self::Start(..) => {
                Code::InvalidConfig
            }
            Self::Late(..) => Code::Timeout,
            Self::NoTool(..) => Code::ToolNotFound,
            _ => Code::ToolFailed,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Description(_) => {
                r#"such as {"name": "other", "command": ["other-server", "--stdio"]}"#
            }
            Self::Variable(..) => "name it in `env` of the source, and set it",
            Self::Header(..) => "mend `headers` of the source",
            Self::NotFound(..) => "install it, or mend `command` of the source",
            Self::Start(..) => "check that it is an executable program",
            Self::Http(_, obstacle) => obstacle.hint(),
            Self::Late(..) => "give it more time with `timeout` of the source",
            Self::TooLarge(_) | Self::Endless(_) => "no host takes so much; ask it for less",
            Self::Noise(..) => "its standard output is for messages alone; tell its author",
            Self::NoTool(..) => "cogtools-discover asks it for its tools anew",
            Self::CapturedRun(..) | Self::Refused(..) | Self::Form(..) => return None,
        })
    }
}
