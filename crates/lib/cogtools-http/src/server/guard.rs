//! Checks the headers of a request before its body is read.

use http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};

use super::options::{Origins, ServerOptions};
use super::{Body, text};
use crate::target::Target;

/// The scheme of a token.
const SCHEME: &[u8] = b"Bearer";

/// Why a request is rejected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rejection {
    pub(super) status: StatusCode,
    pub(super) text: &'static str,
}

impl From<Rejection> for Response<Body> {
    fn from(rejection: Rejection) -> Self {
        let mut response = text(rejection.status, rejection.text);
        if rejection.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// Rejects a request that is not from this machine, or has no token.
pub(super) fn check(parts: &Parts, options: &ServerOptions, port: u16) -> Result<(), Rejection> {
    let reject = |status, text| Err(Rejection { status, text });
    // RFC 9112, 3.2.
    if parts.headers.get_all(HOST).iter().count() != 1 {
        return reject(StatusCode::BAD_REQUEST, "send one Host header\n");
    }
    if !has_local_host(parts) {
        return reject(
            StatusCode::FORBIDDEN,
            "the server is only for this machine\n",
        );
    }
    if !has_allowed_origin(&parts.headers, options.origins, port) {
        return reject(StatusCode::FORBIDDEN, "the page may not use this server\n");
    }
    let is_open = options.open_paths.contains(&parts.uri.path());
    match &options.token {
        Some(token) if !is_open && !has_token(&parts.headers, token) => {
            reject(StatusCode::UNAUTHORIZED, "send the token\n")
        }
        _ => Ok(()),
    }
}

/// The only value of a header; nothing if there are several.
fn only<'h>(headers: &'h HeaderMap, name: &http::HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// Whether the client has asked for a name of this machine: the name of a page that
/// was made to resolve to it is another.
fn has_local_host(parts: &Parts) -> bool {
    let named = parts.uri.authority().map(Authority::as_str);
    let host = only(&parts.headers, &HOST).and_then(|value| value.to_str().ok());
    let is_local = |authority: &str| {
        let url = format!("http://{authority}/").parse::<Uri>().ok();
        let target = url.and_then(|url| Target::new(&url).ok());
        target.is_some_and(|target| target.is_loopback() && target.authorization.is_none())
    };
    host.is_some_and(is_local) && named.is_none_or(is_local)
}

/// Whether a page that sends the request may do so. Programs send no origin.
fn has_allowed_origin(headers: &HeaderMap, origins: Origins, port: u16) -> bool {
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let origin = only(headers, &ORIGIN).and_then(|value| value.to_str().ok());
    let Some(target) = origin
        .and_then(|text| text.parse::<Uri>().ok())
        .and_then(|url| Target::new(&url).ok())
    else {
        return false;
    };
    let is_own = !target.is_https && target.port == port;
    target.is_loopback() && (is_own || origins == Origins::Loopback)
}

/// Whether the client has sent the token. The comparison takes constant time, so that
/// it does not reveal where a guess is wrong. The name of the scheme has no case (RFC 9110, 11.1).
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let sent = only(headers, &AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
    let Some((scheme, rest)) = sent.split_at_checked(SCHEME.len()) else {
        return false;
    };
    let sent = rest.trim_ascii_start();
    if !scheme.eq_ignore_ascii_case(SCHEME) || sent.len() == rest.len() {
        return false;
    }
    let difference = token.bytes().zip(sent).fold(0, |all, (a, b)| all | (a ^ b));
    difference == 0 && token.len() == sent.len()
}
