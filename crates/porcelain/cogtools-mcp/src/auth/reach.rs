//! The URLs that may be asked, or opened in a browser, for the login to a server.
//!
//! The server itself is named by the user. A place that it names in turn must be reached over
//! https, and cannot be in this machine or in a private network, unless the server is there too.

use std::net::{IpAddr, Ipv4Addr};

use cogtools_http::http::Uri;
use cogtools_http::{Target, shown};

use super::LoginError;

/// The longest URL.
const MAX_URL_BYTES: usize = 4_096;

/// The networks that a server may point to; each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Hosts of the internet.
    Public,
    /// Private networks.
    Private,
    /// This machine.
    Loopback,
}

impl Reach {
    /// Returns the networks that the server at `target` may point to.
    pub(crate) fn of(target: &Target) -> Self {
        let host = target.host.trim_end_matches('.');
        let address = host.parse().ok();
        match address.or_else(|| numeric(host).map(IpAddr::V4)) {
            _ if target.is_loopback() => Self::Loopback,
            Some(address) => Self::of_address(address.to_canonical()),
            None => Self::Public,
        }
    }

    fn of_address(address: IpAddr) -> Self {
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
        match is_private {
            _ if address.is_loopback() => Self::Loopback,
            true => Self::Private,
            false => Self::Public,
        }
    }

    /// Reads the URL `text`, if it may be asked.
    pub(crate) fn check(self, text: &str) -> Result<Target, LoginError> {
        let refuse = |url: String, why| Err(LoginError::Place { url, why });
        // Text that cannot be read may contain a password, too.
        let unreadable = |why| refuse("the URL".to_owned(), why);
        if text.len() > MAX_URL_BYTES {
            return unreadable("is too long");
        }
        let Some((scheme, _)) = text.split_once(':') else {
            return unreadable("is not a URL");
        };
        if !["https", "http"].contains(&scheme.to_ascii_lowercase().as_str()) {
            let text: String = text.chars().filter(char::is_ascii_graphic).collect();
            return refuse(shown(&text), "is not an https:// URL");
        }
        let Some(target) = read(text) else {
            return unreadable("is not a URL");
        };
        let reach = Self::of(&target);
        let url = target.place();
        if !target.is_https && reach != Self::Loopback {
            return refuse(
                url,
                "is reached over http, so anyone on the network could read it",
            );
        }
        if target.authorization.is_some() || text.contains('#') {
            return refuse(url, "has a user name or a fragment");
        }
        if reach > self {
            return refuse(url, "is in a private network, and the server is not");
        }
        Ok(target)
    }
}

/// Reads a URL whose host is a name or an address.
fn read(text: &str) -> Option<Target> {
    let target = Target::new(&text.parse::<Uri>().ok()?).ok()?;
    let is_address = target.host.contains([':', '%']);
    (!is_address || target.host.parse::<IpAddr>().is_ok()).then_some(target)
}

/// Reads the address that the resolver of the system takes a numeric name for (`inet_aton(3)`).
fn numeric(host: &str) -> Option<Ipv4Addr> {
    let part = |part: &str| {
        let part = part.to_ascii_lowercase();
        match part.strip_prefix("0x") {
            Some("") => Some(0),
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None if part.len() > 1 && part.starts_with('0') => u32::from_str_radix(&part, 8).ok(),
            None => part.parse().ok(),
        }
    };
    let parts: Vec<u32> = host.split('.').map(part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    let bits = 32_u32.checked_sub(8 * u32::try_from(first.len()).ok()?)?;
    let is_valid = first.iter().all(|byte| *byte < 256) && u64::from(*last) < 1 << bits;
    let address = first
        .iter()
        .rev()
        .zip(0..)
        .fold(*last, |address, (byte, at)| {
            address | byte.checked_shl(bits + 8 * at).unwrap_or_default()
        });
    (is_valid && bits > 0).then(|| Ipv4Addr::from(address))
}

/// Returns true if the user may be sent to `url`: a page over https, or on this machine.
pub(crate) fn may_be_opened(url: &str) -> bool {
    read(url).is_some_and(|target| target.authorization.is_none()) && may_have_token(url)
}

/// Returns true if a token may be sent to `url`.
pub(crate) fn may_have_token(url: &str) -> bool {
    read(url).is_some_and(|target| target.is_https || Reach::of(&target) == Reach::Loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(server: &str, url: &str, expected: Option<&str>) {
        let server = read(server).expect("a URL");
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
            ("https://1.1.1.1.example/", None),
            ("http://auth.example/", plain),
            ("https://127.0.0.1/", private),
            ("http://localhost:3000/", private),
            ("https://a.LOCALHOST./", private),
            ("https://10.0.0.1/", private),
            ("https://10.0.0.1./", private),
            ("https://169.254.169.254/latest", private),
            ("https://[::1]/", private),
            ("https://[::ffff:192.168.0.1]/", private),
            ("https://[fd00::1]/", private),
            ("https://[fe80::1%25eth0]/", Some("is not a URL")),
            ("https://2130706433/", private),
            ("https://0x7f.1/", private),
            ("https://012.0.0.1/", private),
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
    fn numeric_names_are_addresses() {
        for (name, expected) in [
            ("2130706433", Some([127, 0, 0, 1])),
            ("0x7f.1", Some([127, 0, 0, 1])),
            ("192.0xa8.1", Some([192, 168, 0, 1])),
            ("1.2.3.4", Some([1, 2, 3, 4])),
            ("1.2.3.256", None),
            ("256.1", None),
            ("1.2.3.4.5", None),
            ("a.1", None),
        ] {
            assert_eq!(numeric(name), expected.map(Ipv4Addr::from), "{name}");
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
