//! The errors of a server at a URL, and what to do about them.

use std::borrow::Cow;

use cogtools_http::http::StatusCode;
use cogtools_http::{Reason, TlsReason};
use cogtools_program::call::quote;

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
    /// What to do about it, if it is of the source `name`.
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
