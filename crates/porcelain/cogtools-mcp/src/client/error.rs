//! Errors of a request to a server, and the hint for each; every message names the server.

use std::borrow::Cow;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic, Hint};
use cogtools_http::http::StatusCode;
use cogtools_http::{Reason, TlsReason};
use cogtools_program::call::quote;

/// Why a server did not answer. The first field is its name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("invalid server description: {0}")]
    Description(String),
    #[error(
        "the MCP server `{0}` cannot be contacted: a header needs the environment variable {1}"
    )]
    Variable(String, String),
    #[error(
        "the MCP server `{0}` cannot be contacted: `{1}` is not a valid header, or its value is not"
    )]
    Header(String, String),
    #[error("the MCP server `{0}` cannot be started: the program `{1}` is not found")]
    NotFound(String, String),
    #[error("the MCP server `{0}` cannot be started: {1}")]
    Start(String, std::io::Error),
    #[error("the MCP server `{0}` {1}")]
    Http(String, HttpError),
    #[error("the MCP server `{0}` {1} before it answered `{2}`")]
    Exited(String, String, &'static str),
    #[error("the MCP server `{0}` did not answer `{1}` within {2:?}")]
    TimedOut(String, &'static str, Duration),
    #[error("the MCP server `{0}` rejected `{1}`: {2}")]
    Rejected(String, &'static str, String),
    #[error("the MCP server `{0}` sent an unexpected response to `{1}`: {2}")]
    UnexpectedResponse(String, &'static str, String),
    #[error(
        "the MCP server `{0}` sent a message larger than {max} MiB",
        max = crate::client::process::MAX_MESSAGE_BYTES >> 20
    )]
    TooLarge(String),
    #[error("the MCP server `{0}` writes non-MCP output to stdout: {1}")]
    StrayOutput(String, String),
    #[error("the MCP server `{0}` declares more than 10 MiB, or 1,000 pages, of tools")]
    TooManyTools(String),
    #[error("the MCP server `{0}` now declares the tool `{1}` differently, so it was not called")]
    Changed(String, String),
    #[error("the MCP server `{0}` no longer has the tool `{1}`")]
    ToolNotFound(String, String),
}

impl ClientError {
    /// Returns the diagnostic to show, with the server's standard error.
    pub(crate) fn diagnostic(&self, stderr: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string());
        diagnostic.details = stderr;
        let hint = self.hint().map(Cow::into_owned);
        diagnostic.hints.extend(hint.map(Hint::from));
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::Description(_) => Code::Usage,
            Self::Variable(..) | Self::Header(..) | Self::NotFound(..) | Self::Start(..) => {
                Code::InvalidConfig
            }
            Self::TimedOut(..) => Code::Timeout,
            Self::Changed(..) => Code::Denied,
            Self::ToolNotFound(..) => Code::ToolNotFound,
            _ => Code::ToolFailed,
        }
    }

    fn hint(&self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Self::Description(_) => {
                r#"such as {"name": "other", "command": ["other-server", "--stdio"]}"#
            }
            Self::Variable(..) => "list it in `env` of the source, and set it",
            Self::Header(..) => "fix `headers` of the source",
            Self::NotFound(..) => "install it, or fix `command` of the source",
            Self::Start(..) => "check that it is an executable program",
            Self::Http(name, error) => return Some(error.hint(name)),
            Self::TimedOut(..) => "give it more time with `timeout` of the source",
            Self::TooLarge(_) | Self::TooManyTools(_) => {
                "the result exceeds what hosts accept; request less"
            }
            Self::StrayOutput(..) => {
                "servers must write only messages to stdout; report this to its author"
            }
            Self::Changed(..) => "read its new declaration before the next call: cogtools-discover",
            Self::ToolNotFound(..) => "cogtools-discover lists its current tools",
            Self::Exited(..) | Self::Rejected(..) | Self::UnexpectedResponse(..) => return None,
        }))
    }
}

/// Returns the diagnostic of a tool's own error, whose text is for the program that asked.
pub(crate) fn tool_error(text: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Code::ToolFailed, "the tool reported an error");
    diagnostic.details = text;
    diagnostic
}

/// Why a server at a URL did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("{0}")]
    Request(Reason),
    #[error("responded with HTTP {0}")]
    Status(StatusCode),
    #[error("requires a login (HTTP 401 Unauthorized)")]
    LoginRequired,
    #[error("requires a login for more than the last one gave: {scopes}", scopes = .0.join(" "))]
    ScopesRequired(Vec<String>),
    #[error("sent a response that is not an MCP message")]
    NotMcp,
}

impl HttpError {
    /// Returns the next step for the user of the source `name`.
    pub(crate) fn hint(&self, name: &str) -> Cow<'static, str> {
        let login = || format!("cogtools mcp-client login {}", quote(name));
        Cow::Borrowed(match self {
            Self::LoginRequired => return Cow::Owned(format!("log in: {}", login())),
            Self::ScopesRequired(scopes) => {
                let scopes = quote(&scopes.join(" "));
                return Cow::Owned(format!("log in: {} --scope {scopes}", login()));
            }
            Self::Request(reason) => of_request(reason),
            Self::Status(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                "check `headers` of the source, and the variables that they refer to"
            }
            Self::Status(status) if status.is_server_error() => {
                "the server failed; try again later, or report this to its operator"
            }
            Self::Status(StatusCode::TOO_MANY_REQUESTS) => "try again later",
            Self::Status(_) | Self::NotMcp => "check `url` of the source, including its path",
        })
    }
}

fn of_request(reason: &Reason) -> &'static str {
    match reason {
        Reason::Tls(TlsReason::UnknownIssuer) => {
            "if the authority is your own, set the environment variable SSL_CERT_FILE to the \
             file with its certificate"
        }
        Reason::Tls(TlsReason::NoRoots(_)) => {
            "if SSL_CERT_FILE is set, check the file that it names; otherwise install the \
             system's certificates (ca-certificates)"
        }
        Reason::Tls(
            TlsReason::Expired(_) | TlsReason::WrongName(_) | TlsReason::Certificate(_),
        ) => "report this to its operator, or fix `url` of the source",
        Reason::Proxy { .. } => {
            "check the environment variables HTTPS_PROXY, http_proxy and ALL_PROXY, or list the \
             host in NO_PROXY"
        }
        Reason::Redirect { .. } => {
            "set `url` of the source to the new location: redirects are not followed, because \
             they could send secrets to another server"
        }
        Reason::Truncated | Reason::Malformed(_) | Reason::Compressed => {
            "try again; if it happens again, report this to its operator"
        }
        Reason::TooLarge(_) | Reason::TooManyHeaders => {
            "the result exceeds what hosts accept; request less"
        }
        _ => "check that it is running, and check `url` of the source",
    }
}
