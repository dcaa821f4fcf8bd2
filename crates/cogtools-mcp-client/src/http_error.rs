//! The errors of a request over HTTP, and what to do about them.
//!
//! No message repeats what was sent: it may be a secret.

use std::error::Error;

use ::http::StatusCode;
use hyper_util::client::legacy;
use rustls::CertificateError;

/// The longest target of a redirect to show, in characters.
const MAX_TARGET_CHARS: usize = 200;

/// Why a server at a URL did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("cannot be reached: {0}")]
    Connection(String),
    #[error("cannot be reached: its certificate is not signed by a trusted authority")]
    UnknownIssuer,
    #[error("cannot be reached: its certificate is invalid: {0}")]
    Certificate(String),
    #[error("cannot be reached: no root certificates can be read: {0}")]
    RootCerts(String),
    #[error("responded with HTTP {0}")]
    Status(StatusCode),
    #[error("responded with HTTP {0}, a redirect to `{1}`")]
    Redirect(StatusCode, String),
    #[error("sent a response that is not an MCP message")]
    NotMcp,
    #[error("closed the connection in the middle of a response")]
    Truncated,
    /// A message above the limit.
    #[error("sent a message that is too large")]
    TooLarge,
}

impl HttpError {
    /// Why a request failed before a response arrived.
    pub(crate) fn of_request(error: &legacy::Error) -> Self {
        if error.is_connect() {
            return of_connection(error.source().unwrap_or(error));
        }
        Self::Connection(causes(error.source().unwrap_or(error)))
    }

    /// Why the body of a response could not be read.
    pub(crate) fn of_body(error: &(dyn Error + 'static)) -> Self {
        if error.is::<http_body_util::LengthLimitError>() {
            Self::TooLarge
        } else {
            Self::Truncated
        }
    }

    /// A redirect; its target is shown without the parts that may be secret.
    pub(crate) fn redirect(status: StatusCode, location: &str) -> Self {
        let without_query = location.split(['?', '#']).next().unwrap_or_default();
        let target = match without_query.split_once("://") {
            Some((scheme, rest)) => {
                let authority = rest.split('/').next().unwrap_or_default();
                let host_start = authority.rfind('@').map_or(0, |at| at + 1);
                format!("{scheme}://{}", &rest[host_start..])
            }
            None => without_query.to_owned(),
        };
        Self::Redirect(status, target.chars().take(MAX_TARGET_CHARS).collect())
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Connection(_) => "check that it is running, and check `url` of the source",
            Self::UnknownIssuer => {
                "if the authority is your own, set the environment variable SSL_CERT_FILE to the \
                 file with its certificate"
            }
            Self::Certificate(_) => "report this to its operator, or fix `url` of the source",
            Self::RootCerts(_) => {
                "if SSL_CERT_FILE is set, check the file that it names; otherwise install the \
                 system's certificates (ca-certificates)"
            }
            Self::Status(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                "check `headers` of the source, and the variables that they refer to"
            }
            Self::Status(status) if status.is_server_error() => {
                "the server failed; try again later, or report this to its operator"
            }
            Self::Status(StatusCode::TOO_MANY_REQUESTS) => "try again later",
            Self::Status(_) | Self::NotMcp => "check `url` of the source, including its path",
            Self::Redirect(..) => {
                "set `url` of the source to the new location: redirects are not followed, because \
                 they could send secrets to another server"
            }
            Self::Truncated => "try again; if it happens again, report this to its operator",
            Self::TooLarge => "the result exceeds what hosts accept; request less",
        }
    }
}

fn of_connection(error: &(dyn Error + 'static)) -> HttpError {
    match tls_error(error) {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            HttpError::UnknownIssuer
        }
        Some(rustls::Error::InvalidCertificate(error)) => HttpError::Certificate(error.to_string()),
        Some(rustls::Error::InvalidMessage(_)) => {
            HttpError::Connection("it does not use TLS, which https:// requires".to_owned())
        }
        _ => HttpError::Connection(causes(error)),
    }
}

/// The TLS error among the causes of an error.
fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An I/O error does not return the error it wraps as its source.
        let wrapped = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

/// An error and its causes, on one line.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_is_shown_without_secrets() {
        for (location, expected) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            (
                "https://u:p@a.example/x@y?token=1#f",
                "https://a.example/x@y",
            ),
            ("/mcp/?token=1", "/mcp/"),
            ("", ""),
        ] {
            let HttpError::Redirect(_, target) = HttpError::redirect(StatusCode::FOUND, location)
            else {
                panic!("not a redirect");
            };
            assert_eq!(target, expected);
        }
    }
}
