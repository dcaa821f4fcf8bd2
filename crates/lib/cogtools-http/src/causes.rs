//! What the errors of hyper and rustls mean.

use std::error::Error;
use std::io;

use hyper_util::client::legacy;
use rustls::CertificateError;

use crate::error::{Reason, TlsReason};

/// How much is shown of what a certificate says.
const MAX_TEXT_CHARS: usize = 300;

/// Why a request failed before a response arrived.
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

/// Why the rest of a body could not be read.
pub(crate) fn of_body(error: &hyper::Error) -> Reason {
    if error.is_parse() {
        Reason::Malformed(error.to_string())
    } else {
        Reason::Truncated
    }
}

/// Why a TCP connection failed.
pub(crate) fn of_connection(error: &(dyn Error + 'static)) -> Reason {
    match find::<Reason>(error) {
        Some(reason) => reason.clone(),
        None => Reason::Connect(chain(error)),
    }
}

/// Why a TLS connection failed.
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
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            TlsReason::Expired(text)
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsReason::WrongName(text)
        }
        _ => TlsReason::Certificate(text),
    }
}

/// The first error of this type among `error` and its causes.
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

/// An error and its causes, on one line.
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
