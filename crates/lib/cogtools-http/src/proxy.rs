//! The proxies that the environment names, by the rules of curl.

use std::ffi::OsStr;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_process::http::{address, is_public};
use http::{HeaderValue, Uri};
use percent_encoding::percent_decode_str;

use crate::client::Vars;
use crate::error::{ProxyReason, Reason};
use crate::target::Target;

/// The proxies that hosts are reached through.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    http: Option<Setting>,
    https: Option<Setting>,
    exceptions: Vec<Exception>,
    /// True if a private address is reached directly, too.
    pub is_private_direct: bool,
}

/// A proxy for HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Its scheme, host and port.
    pub(crate) uri: Uri,
    /// Its host, for messages.
    pub(crate) name: String,
    /// The header `Proxy-Authorization`.
    pub(crate) authorization: Option<HeaderValue>,
}

/// The value of a variable: a proxy, or the name of the variable if it is invalid.
type Setting = Result<Proxy, &'static str>;

/// A host that is reached directly, of `NO_PROXY`.
#[derive(Clone, Debug)]
struct Exception {
    /// The host, also of all its subdomains; `*` for every host.
    host: String,
    /// The port; every port if there is none.
    port: Option<u16>,
}

impl Proxies {
    /// Reads the proxies of `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in
    /// lower case. `HTTP_PROXY` does not count: where a web server runs the program,
    /// it is a header of the request.
    pub fn from_vars(vars: &Vars) -> Self {
        let all = || setting(vars, ["all_proxy", "ALL_PROXY"]);
        Self {
            http: setting(vars, ["http_proxy"]).or_else(all),
            https: setting(vars, ["https_proxy", "HTTPS_PROXY"]).or_else(all),
            exceptions: value(vars, ["no_proxy", "NO_PROXY"])
                .map(|(_, text)| exceptions(&text))
                .unwrap_or_default(),
            is_private_direct: false,
        }
    }

    /// Returns the proxy for `target`; never one for this machine.
    pub(crate) fn find(&self, target: &Target) -> Result<Option<&Proxy>, Reason> {
        let is_private = self.is_private_direct
            && address(&target.host).is_some_and(|address| !is_public(address));
        let is_excepted = |exception: &Exception| exception.matches(&target.host, target.port);
        if is_private || target.is_loopback() || self.exceptions.iter().any(is_excepted) {
            return Ok(None);
        }
        let setting = if target.is_https {
            &self.https
        } else {
            &self.http
        };
        match setting {
            None => Ok(None),
            Some(Ok(proxy)) => Ok(Some(proxy)),
            Some(Err(variable)) => Err(Reason::Proxy {
                proxy: (*variable).to_owned(),
                reason: ProxyReason::Invalid,
            }),
        }
    }
}

impl Proxy {
    /// Reads the proxy at a URL, whose scheme may be absent.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let url = if text.contains("://") {
            text.to_owned()
        } else {
            format!("http://{text}")
        };
        let target = Target::parse(&url)?;
        Some(Self {
            uri: target.origin(),
            name: target.name,
            authorization: target.authorization,
        })
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Proxy").field(&self.uri).finish()
    }
}

/// Returns the header value for a user name and a password, as they are in a URL.
pub(crate) fn basic(userinfo: &str) -> Option<HeaderValue> {
    let decoded: Vec<u8> = percent_decode_str(userinfo).collect();
    let text = if decoded.contains(&b':') {
        STANDARD.encode(decoded)
    } else {
        STANDARD.encode([&decoded[..], b":"].concat())
    };
    let mut value = HeaderValue::try_from(format!("Basic {text}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl Exception {
    fn matches(&self, host: &str, port: u16) -> bool {
        if self.port.is_some_and(|own| own != port) {
            return false;
        }
        let host = host.trim_end_matches('.');
        self.host == "*"
            || host
                .strip_suffix(&self.host)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }
}

/// Returns the first of these variables that is set and not empty.
fn value<const N: usize>(vars: &Vars, names: [&'static str; N]) -> Option<(&'static str, String)> {
    names.into_iter().find_map(|name| {
        let text = vars.get(OsStr::new(name))?.to_string_lossy();
        (!text.trim().is_empty()).then(|| (name, text.into_owned()))
    })
}

fn setting<const N: usize>(vars: &Vars, names: [&'static str; N]) -> Option<Setting> {
    let (name, text) = value(vars, names)?;
    Some(Proxy::parse(&text).ok_or(name))
}

fn exceptions(text: &str) -> Vec<Exception> {
    let entries = text.split([',', ' ', '\t', '\n']);
    entries.filter_map(exception).collect()
}

fn exception(entry: &str) -> Option<Exception> {
    let entry = entry.trim().to_ascii_lowercase();
    // An address of IPv6 has colons, too.
    let (host, port) = match entry.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host.to_owned(), Some(port.parse().ok()?))
        }
        _ => (entry, None),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = match host {
        "*" => host,
        _ => host.trim_start_matches('*').trim_matches('.'),
    };
    (!host.is_empty()).then(|| Exception {
        host: host.to_owned(),
        port,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The URI of the proxy for `url`, with these variables.
    fn find(vars: &[(&str, &str)], url: &str) -> Option<String> {
        let vars = vars.iter().map(|(name, value)| (name.into(), value.into()));
        let proxies = Proxies::from_vars(&vars.collect());
        let target = Target::new(&url.parse().expect("a URL")).expect("a target");
        let proxy = proxies.find(&target).expect("valid proxies")?;
        Some(proxy.uri.to_string())
    }

    #[test]
    fn variables_are_those_of_curl() {
        const HTTP: &str = "http://a.example/";
        const HTTPS: &str = "https://a.example/";
        for (vars, url, expected) in [
            (&[("http_proxy", "p")][..], HTTP, Some("http://p/")),
            (&[("HTTP_PROXY", "p")], HTTP, None),
            (&[("http_proxy", "p")], HTTPS, None),
            (
                &[("HTTPS_PROXY", "https://p:1/")],
                HTTPS,
                Some("https://p:1/"),
            ),
            (
                &[("HTTPS_PROXY", "P"), ("https_proxy", "q")],
                HTTPS,
                Some("http://q/"),
            ),
            (
                &[("ALL_PROXY", "p"), ("https_proxy", "")],
                HTTPS,
                Some("http://p/"),
            ),
            (
                &[("all_proxy", " [::1]:3128 ")],
                HTTP,
                Some("http://[::1]:3128/"),
            ),
            (&[], HTTP, None),
        ] {
            assert_eq!(find(vars, url).as_deref(), expected, "{vars:?}");
        }
    }

    #[test]
    fn some_hosts_are_reached_directly() {
        for (exceptions, url, is_direct) in [
            ("a.example", "http://a.example/", true),
            ("a.example", "http://b.a.example:8080/", true),
            ("a.example", "http://ba.example/", false),
            (".a.example", "http://a.example/", true),
            ("*.a.example", "http://b.a.example/", true),
            ("x, A.example", "http://a.EXAMPLE./", true),
            ("a.example:8080", "http://a.example:8080/", true),
            ("a.example:8080", "http://a.example/", false),
            ("a.example:443", "https://a.example/", true),
            ("10.0.0.1", "http://10.0.0.1/", true),
            ("fd00::1", "http://[fd00::1]/", true),
            ("[fd00::1]:80", "http://[fd00::1]/", true),
            ("[fd00::1]:81", "http://[fd00::1]/", false),
            ("*", "https://a.example/", true),
            (" , .,:80", "http://a.example/", false),
            ("", "http://localhost:8080/", true),
            ("", "http://127.9.9.9/", true),
            ("", "http://[::1]/", true),
            ("", "http://[::ffff:127.0.0.1]/", true),
            ("", "http://localhost.example/", false),
        ] {
            let vars = [("ALL_PROXY", "proxy"), ("NO_PROXY", exceptions)];
            assert_eq!(
                find(&vars, url).is_none(),
                is_direct,
                "{exceptions:?} {url}"
            );
        }
    }
}
