//! The target of a request: a URL that was checked.

use std::net::IpAddr;

use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderValue, Uri};

use crate::error::{HttpError, Reason};
use crate::proxy::basic;

/// The longest target of a redirect to show, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// The target of a request: a URL with `https:` or `http:` and a host.
#[derive(Clone, Debug)]
pub struct Target {
    /// The URL without user name and password.
    pub uri: Uri,
    /// The host and its port, for messages.
    pub name: String,
    /// The host in lower case, an IPv6 address without brackets.
    pub host: String,
    /// The port; the default of the scheme if the URL has none.
    pub port: u16,
    /// True if the scheme is `https:`.
    pub is_https: bool,
    /// The header for the user name and the password in the URL.
    pub authorization: Option<HeaderValue>,
}

impl Target {
    /// Checks a URL.
    ///
    /// # Errors
    /// [`Reason::InvalidUrl`] for another scheme, no host, or an invalid port.
    pub fn new(uri: &Uri) -> Result<Self, HttpError> {
        let invalid = |why| HttpError {
            host: uri.host().unwrap_or_default().to_owned(),
            reason: Reason::InvalidUrl(why),
        };
        let is_https = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(invalid("its URL must begin with https:// or http://")),
        };
        let authority = uri.authority().map_or("", Authority::as_str);
        let (userinfo, name) = match authority.rsplit_once('@') {
            Some((userinfo, rest)) => (Some(userinfo), rest),
            None => (None, authority),
        };
        let host = uri.host().unwrap_or_default();
        if host.is_empty() {
            return Err(invalid("its URL has no host"));
        }
        let default = if is_https { 443 } else { 80 };
        let port = match name.strip_prefix(host) {
            Some("" | ":") => default,
            _ => uri
                .port_u16()
                .filter(|port| *port > 0)
                .ok_or_else(|| invalid("its URL has an invalid port"))?,
        };
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let scheme = if is_https { "https" } else { "http" };
        let plain = Uri::builder()
            .scheme(scheme)
            .authority(name)
            .path_and_query(path)
            .build()
            .map_err(|_| invalid("its URL is invalid"))?;
        Ok(Self {
            uri: plain,
            name: name.to_owned(),
            host: host
                .trim_start_matches('[')
                .trim_end_matches(']')
                .to_ascii_lowercase(),
            port,
            is_https,
            authorization: userinfo.and_then(basic),
        })
    }

    /// Checks the URL in `text`; nothing if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::new(&text.parse().ok()?).ok()
    }

    /// Returns an error about it.
    pub(crate) fn error(&self, reason: Reason) -> HttpError {
        HttpError {
            host: self.name.clone(),
            reason,
        }
    }

    /// Returns true if it is on this machine.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        is_local_name(&self.host) || address.is_ok_and(|it| it.to_canonical().is_loopback())
    }

    /// Returns its URL without a path.
    pub fn origin(&self) -> Uri {
        let origin = self.with_path(PathAndQuery::from_static("/"));
        origin.unwrap_or_default()
    }

    fn with_path(&self, path: PathAndQuery) -> Option<Uri> {
        let mut parts = self.uri.clone().into_parts();
        parts.path_and_query = Some(path);
        Uri::from_parts(parts).ok()
    }

    /// Returns its URL without the query, for messages: at most 200 characters.
    pub fn place(&self) -> String {
        shown(&self.uri.to_string())
    }

    /// Returns true if `other` has its scheme, host and port.
    pub fn is_same_server(&self, other: &Self) -> bool {
        let key = |target: &Self| (target.is_https, target.port);
        key(self) == key(other) && self.host == other.host
    }

    /// Resolves `location`, a path or a URL; nothing if it is at another server.
    pub fn follow(&self, location: &str) -> Option<Uri> {
        let is_path = location.starts_with('/') && !location.starts_with("//");
        let uri = if is_path {
            self.with_path(location.parse().ok()?)?
        } else {
            location.parse().ok()?
        };
        let other = Self::new(&uri).ok()?;
        let is_same = self.is_same_server(&other) && other.authorization.is_none();
        is_same.then_some(other.uri)
    }
}

/// Returns a host as it is in a URL: an IPv6 address has brackets.
pub(crate) fn in_authority(host: String) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host
    }
}

/// Returns true if a URL is one of this machine, with any scheme for HTTP.
pub fn is_loopback(uri: &Uri) -> bool {
    Target::new(uri).is_ok_and(|target| target.is_loopback())
}

/// Returns true if a name always means this machine (RFC 6761).
pub(crate) fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// Returns a URL without the parts that may be secret, in at most 200 characters.
pub fn shown(location: &str) -> String {
    let without_query = location.split(['?', '#']).next().unwrap_or_default();
    let target = match without_query.split_once("//") {
        Some((scheme, rest)) => {
            let authority = rest.split('/').next().unwrap_or_default();
            let host_start = authority.rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}//{}", &rest[host_start..])
        }
        None => without_query.to_owned(),
    };
    target.chars().take(MAX_SHOWN_CHARS).collect()
}
