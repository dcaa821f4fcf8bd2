//! Which URLs may be asked, or opened in a browser, for the login to a server.
//!
//! The server itself is named by the user. What it names in turn must be reached over https, and
//! cannot be in this machine or in a private network, unless the server is there too.

use std::net::IpAddr;

use oauth2::url::{Host, Url};

use super::error::LoginError;
use super::fetch::shown;

/// The longest URL.
const MAX_URL_BYTES: usize = 4_096;

/// What a server may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Hosts of the internet.
    Public,
    /// Private networks, too.
    Private,
    /// This machine, too.
    Loopback,
}

impl Reach {
    /// What the server at `url` may point to.
    pub(crate) fn of(url: &Url) -> Self {
        match url.host() {
            Some(Host::Domain(name)) if is_local_name(name) => Self::Loopback,
            Some(Host::Ipv4(address)) => Self::of_address(address.into()),
            Some(Host::Ipv6(address)) => Self::of_address(address.into()),
            _ => Self::Public,
        }
    }

    fn of_address(address: IpAddr) -> Self {
        let address = address.to_canonical();
        if address.is_loopback() {
            return Self::Loopback;
        }
        let is_private = match address {
            IpAddr::V4(address) => {
                let [first, second, ..] = address.octets();
                address.is_private()
                    || address.is_link_local()
                    || address.is_multicast()
                    || address.is_broadcast()
                    || first == 0
                    || first == 100 && (64..128).contains(&second)
            }
            IpAddr::V6(address) => {
                address.is_unique_local()
                    || address.is_unicast_link_local()
                    || address.is_multicast()
                    || address.is_unspecified()
            }
        };
        if is_private {
            Self::Private
        } else {
            Self::Public
        }
    }

    /// The URL `text`, if it may be asked.
    pub(crate) fn check(self, text: &str) -> Result<Url, LoginError> {
        // What cannot be read may contain a password, too.
        let unreadable = |why| {
            let url = "the URL".to_owned();
            Err(LoginError::Place { url, why })
        };
        if text.len() > MAX_URL_BYTES {
            return unreadable("is too long");
        }
        let Ok(url) = Url::parse(text) else {
            return unreadable("is not a URL");
        };
        let refuse = |why| {
            let url = shown(&url);
            Err(LoginError::Place { url, why })
        };
        let reach = Self::of(&url);
        match url.scheme() {
            "https" => {}
            "http" if reach == Self::Loopback => {}
            "http" => {
                return refuse("is reached over http, so anyone on the network could read it");
            }
            _ => return refuse("is not an https:// URL"),
        }
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return refuse("has a user name or a fragment");
        }
        if reach > self {
            return refuse("is in a private network, and the server is not");
        }
        Ok(url)
    }
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether the user may be sent to `url`: a page over https, or on this machine.
pub(crate) fn may_be_opened(url: &Url) -> bool {
    may_have_token(url) && url.username().is_empty() && url.password().is_none()
}

/// Whether a token may be sent to `url`.
pub(crate) fn may_have_token(url: &Url) -> bool {
    match url.scheme() {
        "https" => true,
        "http" => Reach::of(url) == Reach::Loopback,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(server: &str, url: &str, expected: Option<&str>) {
        let server = Url::parse(server).expect("a URL");
        let refused = Reach::of(&server).check(url).err();
        let why = refused.map(|error| match error {
            LoginError::Place { why, .. } => why,
            other => panic!("{other}"),
        });
        assert_eq!(why, expected, "{url}");
    }

    #[test]
    fn a_public_server_points_to_public_places_only() {
        let private = Some("is in a private network, and the server is not");
        let plain = Some("is reached over http, so anyone on the network could read it");
        for (url, expected) in [
            ("https://auth.example/x", None),
            ("https://1.1.1.1/", None),
            ("http://auth.example/", plain),
            ("https://127.0.0.1/", private),
            ("http://localhost:3000/", private),
            ("https://a.LOCALHOST./", private),
            ("https://10.0.0.1/", private),
            ("https://169.254.169.254/latest", private),
            ("https://[::1]/", private),
            ("https://[::ffff:192.168.0.1]/", private),
            ("https://[fd00::1]/", private),
            ("https://2130706433/", private),
            ("https://0x7f.1/", private),
            ("file:///etc/passwd", Some("is not an https:// URL")),
            ("javascript:alert(1)", Some("is not an https:// URL")),
            (
                "https://u:p@auth.example/",
                Some("has a user name or a fragment"),
            ),
            (
                "https://auth.example/#x",
                Some("has a user name or a fragment"),
            ),
            ("nothing", Some("is not a URL")),
        ] {
            check("https://mcp.example/mcp", url, expected);
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let refused = Reach::Loopback.check("https://ada:s3cret@a.example/x?key=s3cret");
        assert_eq!(
            refused.err().map(|error| error.to_string()).as_deref(),
            Some("`https://a.example/x` has a user name or a fragment")
        );
    }

    #[test]
    fn a_server_on_this_machine_points_to_all() {
        for url in [
            "http://127.0.0.1:1/",
            "https://10.0.0.1/",
            "https://a.example/",
        ] {
            check("http://localhost:2/mcp", url, None);
        }
        check("https://10.0.0.2/", "https://10.0.0.1/", None);
        check(
            "https://10.0.0.2/",
            "http://127.0.0.1/",
            Some("is in a private network, and the server is not"),
        );
    }
}
