//! The client side of OAuth 2.1 for servers at a URL, as MCP's revision 2026-07-28 describes it.
//!
//! Only `login` starts it, never a call. A token is kept for one URL, and sent to no other. A
//! server and its authorization server are hostile: each place that they name is checked before
//! it is fetched or shown.

mod command;
mod grant;
mod keyring;
mod login;
mod metadata;
mod reach;
mod store;

use cogtools_core::{Code, Diagnostic};
use cogtools_http::HttpError;

pub(crate) use command::{LoginArgs, SERVER_HELP, SourceArg, login, logout};
pub(crate) use grant::Bearer;
pub(crate) use metadata::Challenge;
pub(crate) use reach::may_be_opened;
pub(crate) use store::Store;

/// Why a login failed. The text continues a sentence that begins with the login, and shows no
/// secret.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum LoginError {
    #[error("`{url}` {why}")]
    Place { url: String, why: &'static str },
    #[error("{0}")]
    Http(#[from] HttpError),
    #[error("`{0}` responded with HTTP {1}")]
    Status(String, u16),
    #[error("`{0}` sent no valid {1}: {2}")]
    Document(String, &'static str, String),
    #[error("the server asks for no login")]
    NotNeeded,
    #[error("the server publishes no metadata about its logins")]
    NoResourceMetadata,
    #[error("the metadata is of `{0}`, which is another server")]
    OtherResource(String),
    #[error("the server names no authorization server")]
    NoAuthority,
    #[error("the authorization server `{0}` publishes no metadata")]
    NoAuthorityMetadata(String),
    #[error("the metadata of the authorization server `{0}` is of `{1}`")]
    OtherIssuer(String, String),
    #[error("the authorization server `{0}` does not support PKCE with S256")]
    NoPkce(String),
    #[error("the authorization server `{0}` does not register clients by itself")]
    NoRegistration(String),
    #[error("the authorization server rejected the registration of the client: {0}")]
    Registration(String),
    #[error("the answer is not of the authorization server that was asked")]
    Issuer,
    #[error("the authorization server rejected the login: {0}")]
    Rejected(String),
    #[error("the authorization server gave no token: {0}")]
    Token(String),
    #[error("there was no answer within {0} minutes")]
    TimedOut(u64),
    #[error("the login was cancelled")]
    Cancelled,
    #[error("the token cannot be kept: {0}")]
    Store(String),
    #[error("cannot listen for the answer: {0}")]
    Listen(String),
    #[error("the system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl LoginError {
    /// Returns the diagnostic about the login to `server`.
    pub(crate) fn diagnostic(&self, server: &str) -> Diagnostic {
        let message = format!("cannot log in to the MCP server `{server}`: {self}");
        let mut diagnostic = Diagnostic::new(self.code(), message);
        diagnostic.hints.extend(self.hint().map(Into::into));
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::Http(_) | Self::Status(..) => Code::Unavailable,
            Self::TimedOut(_) => Code::Timeout,
            Self::Store(_) | Self::Listen(_) | Self::Random(_) => Code::IoFailed,
            Self::Cancelled | Self::Rejected(_) => Code::Denied,
            Self::NotNeeded => Code::InvalidConfig,
            _ => Code::ToolFailed,
        }
    }

    const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotNeeded => "use it without a login, or check `url` of the source",
            Self::NoResourceMetadata | Self::NoAuthority | Self::NoAuthorityMetadata(_) => {
                "it may not use OAuth: pass a token in `headers` of the source"
            }
            Self::NoRegistration(_) => {
                "register a client with its operator, and pass it with --client-id"
            }
            Self::Registration(_) => {
                "register a client with its operator, and pass it with --client-id; report this to \
                 the operator"
            }
            Self::Place { .. }
            | Self::OtherResource(_)
            | Self::OtherIssuer(..)
            | Self::NoPkce(_)
            | Self::Document(..) => "do not trust it before its operator has explained this",
            Self::Issuer => "log in again, and use the newest URL only",
            Self::TimedOut(_) => "log in again, and open the URL in a browser on this machine",
            _ => return None,
        })
    }
}

/// Joins an error of an authorization server and its description to one short line.
fn said(error: &str, description: Option<&str>) -> String {
    let description = description.map(|text| format!(": {text}"));
    let text = format!("{error}{}", description.unwrap_or_default());
    let text = text.chars().filter(|char| !char.is_control());
    text.take(300).collect()
}
