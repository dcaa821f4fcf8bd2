//! Why a request failed.
//!
//! A message names the host and nothing that was sent: that may be a secret.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;
use hyper_util::client::legacy;
use rustls::CertificateError;

/// A request that failed: the host, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` {reason}")]
pub struct HttpError {
    /// The host with its port, if the URL has one; never a user name or a path.
    pub host: String,
    /// Why it failed.
    pub reason: Reason,
}

/// Why a request failed. The text continues a sentence that begins with the server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A URL that cannot be requested.
    #[error("cannot be reached: {0}")]
    InvalidUrl(&'static str),
    /// `http:` to another machine, which the options do not allow.
    #[error("cannot be reached: over http, anyone on the network can read what is sent")]
    PlainHttp,
    /// Its name has no address.
    #[error("cannot be reached: its name cannot be resolved: {0}")]
    Resolve(String),
    /// It has this address, which the options do not permit.
    #[error("is at {0}, which is not a public address")]
    Forbidden(IpAddr),
    /// No connection.
    #[error("cannot be reached: {0}")]
    Connect(String),
    /// No connection in time, including TLS and a proxy.
    #[error("cannot be reached: no connection within {0:?}")]
    ConnectTimeout(Duration),
    /// No secure connection.
    #[error("cannot be reached: {0}")]
    Tls(TlsReason),
    /// The proxy that the environment names did not connect it.
    #[error("cannot be reached through the proxy `{proxy}`: {reason}")]
    Proxy {
        /// The host of the proxy; or the variable, if its value is invalid.
        proxy: String,
        /// Why it did not.
        reason: ProxyReason,
    },
    /// The connection closed before a response began.
    #[error("cannot be reached: {0}")]
    Reset(String),
    /// Nothing arrived for this long.
    #[error("sent nothing for {0:?}")]
    ReadTimeout(Duration),
    /// The connection closed in the middle of a response.
    #[error("closed the connection in the middle of a response")]
    Truncated,
    /// The body of a response exceeds this many bytes.
    #[error("sent a response larger than {0} bytes")]
    TooLarge(u64),
    /// The headers of a response exceed the limit.
    #[error("sent a response with too many headers")]
    TooManyHeaders,
    /// Not HTTP.
    #[error("sent a response that is not valid HTTP: {0}")]
    Malformed(String),
    /// Compressed, although that was not asked for.
    #[error("sent a compressed response, which was not asked for")]
    Compressed,
    /// A redirect that is not followed: a secret could reach another server.
    #[error("responded with HTTP {status}, a redirect to `{to}`")]
    Redirect {
        /// The status.
        status: StatusCode,
        /// Where to, without the parts that may be secret.
        to: String,
    },
}

/// Why there is no secure connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsReason {
    /// Signed by an authority that is not trusted.
    #[error("its certificate is not signed by a trusted authority")]
    UnknownIssuer,
    /// Invalid, such as expired, or the certificate of another host.
    #[error("its certificate is invalid: {0}")]
    Certificate(String),
    /// It does not use TLS.
    #[error("it does not use TLS, which https:// requires")]
    NotTls,
    /// There are no authorities to trust.
    #[error("no root certificates can be read: {0}")]
    NoRoots(String),
    /// The two sides did not agree.
    #[error("TLS failed: {0}")]
    Handshake(String),
}

/// Why a proxy did not connect a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyReason {
    /// The variable is not the URL of a proxy for HTTP.
    #[error("it is not an http:// or https:// URL")]
    Invalid,
    /// The proxy itself cannot be reached.
    #[error("{0}")]
    Connect(String),
    /// It asks for a user name and a password, or rejects them.
    #[error("it requires authentication")]
    Authentication,
    /// It rejects the host.
    #[error("it responded with HTTP {0}")]
    Status(StatusCode),
    /// It closed the connection, or does not speak HTTP.
    #[error("it did not respond as a proxy")]
    Malformed,
}

impl HttpError {
    /// Returns true if the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match &self.reason {
            Reason::Connect(_)
            | Reason::ConnectTimeout(_)
            | Reason::Reset(_)
            | Reason::ReadTimeout(_)
            | Reason::Truncated => true,
            Reason::Proxy { reason, .. } => match reason {
                ProxyReason::Connect(_) | ProxyReason::Malformed => true,
                ProxyReason::Status(status) => status.is_server_error(),
                ProxyReason::Invalid | ProxyReason::Authentication => false,
            },
            _ => false,
        }
    }
}

/// The part of the text of a certificate that is shown.
const MAX_TEXT_CHARS: usize = 300;

/// Returns why a request failed before a response arrived.
pub(crate) fn of_request(error: &legacy::Error) -> Reason {
    let cause: &(dyn Error + 'static) = error.source().unwrap_or(error);
    if let Some(reason) = find::<Reason>(cause) {
        return reason.clone();
    }
    if let Some(error) = find::<hyper::Error>(cause) {
        if error.is_parse_too_large() {
            return Reason::TooManyHeaders;
        }
        if error.is_parse() {
            return Reason::Malformed(error.to_string());
        }
    }
    Reason::Reset(chain(cause))
}

/// Returns why the rest of a body could not be read.
pub(crate) fn of_body(error: &hyper::Error) -> Reason {
    if error.is_parse() {
        Reason::Malformed(error.to_string())
    } else {
        Reason::Truncated
    }
}

/// Returns why a TCP connection failed.
pub(crate) fn of_connection(error: &(dyn Error + 'static)) -> Reason {
    match find::<Reason>(error) {
        Some(reason) => reason.clone(),
        None => Reason::Connect(chain(error)),
    }
}

/// Returns why a TLS connection failed.
pub(crate) fn of_tls(error: &io::Error) -> Reason {
    let reason = match find::<rustls::Error>(error) {
        Some(rustls::Error::InvalidCertificate(error)) => of_certificate(error),
        Some(rustls::Error::InvalidMessage(_)) => TlsReason::NotTls,
        Some(error) => TlsReason::Handshake(error.to_string()),
        None => return Reason::Connect(chain(error)),
    };
    Reason::Tls(reason)
}

fn of_certificate(error: &CertificateError) -> TlsReason {
    // A certificate may list thousands of names.
    let text = error.to_string().chars().take(MAX_TEXT_CHARS).collect();
    match error {
        CertificateError::UnknownIssuer => TlsReason::UnknownIssuer,
        _ => TlsReason::Certificate(text),
    }
}

/// Returns the first error of this type among `error` and its causes.
fn find<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An I/O error does not return the error it wraps as its source.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

/// Joins an error and its causes, on one line.
fn chain(error: &dyn Error) -> String {
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
