//! What stands between us and a server behind a URL, and what to do about it.
//!
//! Nothing here tells what was sent, for that may be a secret.

use std::error::Error;

use ::http::StatusCode;
use hyper_util::client::legacy;
use rustls::CertificateError;

/// Why a server behind a URL has not answered.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Obstacle {
    #[error("cannot be reached: {0}")]
    Connection(String),
    #[error("cannot be reached: no authority that is trusted here has signed its certificate")]
    Issuer,
    #[error("cannot be reached: its certificate is not good: {0}")]
    Certificate(String),
    #[error("cannot be reached: no certificates of authorities can be read: {0}")]
    Roots(String),
    #[error("answers with HTTP {0}")]
    Status(StatusCode),
    #[error("answers with HTTP {0}, a redirect to `{1}`")]
    Moved(StatusCode, String),
    #[error("answers with something that is no message of MCP")]
    Foreign,
    #[error("stops in the middle of an answer")]
    Cut,
    /// A message longer than is read.
    #[error("sends too much")]
    TooLarge,
}

impl Obstacle {
    /// Why a request has got no answer.
    pub(crate) fn of_request(error: &legacy::Error) -> Self {
        if error.is_connect() {
            return of_connection(error.source().unwrap_or(error));
        }
        Self::Connection(causes(error.source().unwrap_or(error)))
    }

    /// Why the rest of an answer does not come.
    pub(crate) fn of_body(error: &(dyn Error + 'static)) -> Self {
        if error.is::<http_body_util::LengthLimitError>() {
            Self::TooLarge
        } else {
            Self::Cut
        }
    }

    /// A redirect; of where it leads only what cannot be a secret is told.
    pub(crate) fn moved(status: StatusCode, location: &str) -> Self {
        let place = location.split(['?', '#']).next().unwrap_or_default();
        let place = match place.split_once("://") {
            Some((scheme, rest)) => {
                let host = rest.split('/').next().unwrap_or_default();
                let user = host.rfind('@').map_or(0, |at| at + 1);
                format!("{scheme}://{}", &rest[user..])
            }
            None => place.to_owned(),
        };
        Self::Moved(status, place.chars().take(200).collect())
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Connection(_) => "check that it runs, and `url` of the source",
            Self::Issuer => {
                "if the authority is one of your own, name the file with its certificate in the \
                 environment variable SSL_CERT_FILE"
            }
            Self::Certificate(_) => "tell whoever runs it, or mend `url` of the source",
            Self::Roots(_) => {
                "SSL_CERT_FILE names the file with them, if it is set; otherwise install the \
                 system's (ca-certificates)"
            }
            Self::Status(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                "check `headers` of the source, and the variables that they name"
            }
            Self::Status(status) if status.is_server_error() => {
                "that is for whoever runs it to mend; ask again later"
            }
            Self::Status(StatusCode::TOO_MANY_REQUESTS) => "ask again later",
            Self::Status(_) | Self::Foreign => "check `url` of the source, and the path in it",
            Self::Moved(..) => {
                "put the place where it is now into `url` of the source: a redirect is not \
                 followed, as it could carry secrets to others"
            }
            Self::Cut => "ask again; if it stops again, tell whoever runs it",
            Self::TooLarge => "no host takes so much; ask it for less",
        }
    }
}

fn of_connection(error: &(dyn Error + 'static)) -> Obstacle {
    match tls(error) {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            Obstacle::Issuer
        }
        Some(rustls::Error::InvalidCertificate(error)) => Obstacle::Certificate(error.to_string()),
        Some(rustls::Error::InvalidMessage(_)) => {
            Obstacle::Connection("it does not speak TLS, which https:// asks for".to_owned())
        }
        _ => Obstacle::Connection(causes(error)),
    }
}

/// What TLS says, wherever it is wrapped.
fn tls<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An I/O error does not count what it wraps as its source.
        let wrapped = error.downcast_ref::<std::io::Error>();
        let wrapped = wrapped.and_then(std::io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

/// An error and what caused it, on one line.
fn causes(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let more = cause.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        next = cause.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_tells_no_secret() {
        for (location, expected) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            (
                "https://u:p@a.example/x@y?token=1#f",
                "https://a.example/x@y",
            ),
            ("/mcp/?token=1", "/mcp/"),
            ("", ""),
        ] {
            let Obstacle::Moved(_, place) = Obstacle::moved(StatusCode::FOUND, location) else {
                panic!("a redirect is one");
            };
            assert_eq!(place, expected);
        }
    }
}
