//! Where a server is: a URL without encryption, as on this machine.

use std::str::FromStr;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use hyper::Uri;

/// `http://HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address(String);

impl Address {
    /// The host and the port.
    pub(crate) fn authority(&self) -> &str {
        &self.0
    }
}

impl FromStr for Address {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let invalid = || {
            let diagnostic = Diagnostic::new(Code::Usage, "this is not http://HOST:PORT");
            diagnostic.with_subject(text)
        };
        let uri: Uri = text.parse().map_err(|_| invalid())?;
        let has_path = uri.path_and_query().is_some_and(|path| path != "/");
        match (uri.scheme_str(), uri.authority()) {
            (Some("http"), Some(authority))
                if !has_path && authority.port().is_some() && !text.contains('@') =>
            {
                Ok(Self(authority.to_string()))
            }
            (Some("https"), _) => Err(invalid()
                .hint("put a proxy on this machine in front of a server that is far away")
                .into()),
            _ => Err(invalid().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_host_and_a_port() {
        for (url, expected) in [
            ("http://127.0.0.1:8080", Some("127.0.0.1:8080")),
            ("http://[::1]:8080/", Some("[::1]:8080")),
            ("http://restate:8080", Some("restate:8080")),
            ("http://restate", None),
            ("https://restate:8080", None),
            ("http://user:secret@restate:8080", None),
            ("http://restate:8080/path", None),
            ("http://restate:8080/?query", None),
            ("restate:8080", None),
            ("", None),
        ] {
            let address = url.parse::<Address>().ok();
            assert_eq!(address.as_ref().map(Address::authority), expected, "{url}");
        }
    }
}
