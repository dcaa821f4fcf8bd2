//! Requests of tools: what `cogtools-http` is sent, what it answers, and the hosts it may reach.
//!
//! No client is linked here. A message is a line of JSON, and then the bytes of a body.

use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::environment::Vars;
use crate::{Cancel, Diagnostic};

/// The program that requests.
pub const PROGRAM: &str = "cogtools-http";

/// Makes requests within this process, whose connections then stay open for further calls.
pub trait Requests: Debug + Send + Sync {
    /// Makes the requests of `task`, the first one with this `body`. `vars` are the user's own.
    ///
    /// # Errors
    ///
    /// The diagnostic to show; without secrets. None if the call was cancelled.
    fn run(
        &self,
        task: HttpTask,
        body: Vec<u8>,
        vars: &Vars,
        cancel: &Cancel,
    ) -> Result<(HttpReply, Vec<u8>), Option<Box<Diagnostic>>>;
}

/// A call of a tool that makes requests: everything but the body of the first one.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct HttpTask {
    /// The method.
    pub method: String,
    /// The URL, without the part of `auth`.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The type of the body, if there is one.
    pub content_type: Option<String>,
    /// The credentials, all of which are sent.
    pub auth: Vec<HttpAuth>,
    /// The hosts that may be reached besides the one of `url`.
    pub hosts: Vec<HostRule>,
    /// True if arguments are a part of the host, so that `hosts` has to name it.
    pub is_host_rendered: bool,
    /// Statuses from 400 that are results.
    pub ok: Vec<u16>,
    /// Further attempts.
    pub retry: HttpRetry,
    /// The way to further pages.
    pub paginate: Option<HttpPages>,
    /// The kind of content that the result is made of.
    pub kind: Option<HttpKind>,
    /// The longest decoded body, in bytes.
    pub max_bytes: u64,
    /// The limit of the whole call, in seconds.
    pub seconds: f64,
    /// Recorded exchanges, which take the place of the network.
    pub replay: Option<Vec<Value>>,
    /// True if the answer has the exchanges.
    pub record: bool,
}

/// The credentials of a request.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpAuth {
    /// A token in the header `Authorization`.
    Bearer(String),
    /// A user name and a password.
    Basic(String, String),
    /// A header with its prefix and the key.
    Header(String, String, String),
    /// A parameter of the query with its prefix and the key.
    Query(String, String, String),
    /// Client credentials of OAuth: the URL of the token, the client's name and secret, the scope.
    Oauth(String, String, String, Option<String>),
    /// The stored login at a source.
    Login(String),
}

/// Further attempts after a failure that may pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HttpRetry {
    /// The number of further attempts.
    pub times: u32,
    /// The seconds before the second attempt.
    pub delay: f64,
    /// The factor by which each further delay is longer.
    pub backoff: f64,
}

/// The way to further pages, whose items become one array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HttpPages {
    /// The place of the next page.
    pub next: NextPage,
    /// The pointer to the array of a page.
    pub items: String,
    /// The largest number of pages.
    pub pages: u32,
}

/// The place of the next page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextPage {
    /// The header `Link` with `rel="next"`.
    Link,
    /// A pointer to a cursor, and its parameter of the query.
    Cursor(String, String),
    /// A pointer to a URL.
    Url(String),
    /// A parameter of the query with a number, and the first one.
    Page(String, i64),
}

/// The kind of content that a result is made of.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HttpKind {
    /// The body as text.
    Text,
    /// The body as JSON.
    Json,
    /// A picture.
    Image,
    /// The Markdown of a page in HTML.
    Markdown,
}

/// The last response of a call: everything but its body, which is UTF-8.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// The phrase of the status.
    pub reason: String,
    /// The headers by their names in lower case.
    pub headers: Map<String, Value>,
    /// True if there are further pages.
    pub more: bool,
    /// The media type of the body, without parameters.
    pub media_type: String,
    /// The size of the body, in bytes.
    pub size: u64,
    /// False if the body is not text; it is then Base64.
    pub is_text: bool,
    /// The exchanges, if they are recorded.
    pub exchanges: Vec<Value>,
}

/// A host that may be reached: `HOST` or `*.HOST`, with `:PORT` or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRule {
    host: String,
    port: Option<u16>,
    is_wildcard: bool,
}

impl Default for HttpRetry {
    /// A failure is final.
    fn default() -> Self {
        Self {
            times: 0,
            delay: 0.5,
            backoff: 2.0,
        }
    }
}

impl HostRule {
    /// Reads a rule as a tool file writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (is_wildcard, text) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (host, port) = split_port(text)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let inner = host
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'));
        let is_address = inner.is_some_and(|inner| address(inner).is_some());
        let is_valid = !host.is_empty() && host.chars().all(is_name) || is_address && !is_wildcard;
        is_valid.then(|| Self {
            host: canonical_host(host),
            port,
            is_wildcard,
        })
    }

    /// Returns true if every name below the host is named.
    pub const fn is_wildcard(&self) -> bool {
        self.is_wildcard
    }

    /// Returns true if the host, in its canonical form, may be reached at the port.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let is_port = self
            .port
            .map_or(port == 80 || port == 443, |own| own == port);
        let below = host.strip_suffix(&self.host);
        let is_below = below.is_some_and(|name| name.len() > 1 && name.ends_with('.'));
        is_port
            && if self.is_wildcard {
                is_below
            } else {
                self.host == host
            }
    }
}

/// Splits `HOST:PORT`; an address of IPv6 is in brackets.
pub fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let end = text.rfind(']').map_or(0, |end| end + 1);
    match text[end..].find(':') {
        None => Some((text, None)),
        Some(colon) => {
            let port = &text[end + colon + 1..];
            let is_number = port.chars().all(|c| c.is_ascii_digit());
            let port = port.parse().ok().filter(|port| is_number && *port > 0)?;
            Some((&text[..end + colon], Some(port)))
        }
    }
}

/// Returns the one form of a host: in lower case, without brackets and a last dot. An address of
/// IPv4 has four decimal numbers, whatever notation it was in (`127.1`, `0x7f000001`).
pub fn canonical_host(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    match address(&host) {
        Some(address) => address.to_string(),
        None => host,
    }
}

/// Reads an address in any notation that resolvers know. One of IPv4 within IPv6 is the former.
pub fn address(host: &str) -> Option<IpAddr> {
    if let Ok(address) = host.parse::<Ipv6Addr>() {
        return Some(IpAddr::V6(address).to_canonical());
    }
    let parts: Vec<&str> = host.split('.').collect();
    let numbers = parts.iter().map(|part| number(part));
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    let is_byte = |number: &u64| *number < 256;
    if first.len() > 3 || !first.iter().all(is_byte) || *last >= 1 << (8 * (4 - first.len())) {
        return None;
    }
    let head = first
        .iter()
        .zip([24, 16, 8])
        .map(|(number, shift)| number << shift);
    let all = u32::try_from(head.sum::<u64>() + last).ok()?;
    Some(Ipv4Addr::from(all).into())
}

/// Reads a number as `inet_aton` does: decimal, octal or hexadecimal.
fn number(part: &str) -> Option<u64> {
    let (digits, radix) = match part.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if part.len() > 1 && part.starts_with('0') => (&part[1..], 8),
        None => (part, 10),
    };
    if digits.is_empty() && radix == 16 {
        return Some(0);
    }
    let is_unsigned = digits.chars().all(|c| c.is_ascii_hexdigit());
    u64::from_str_radix(digits, radix)
        .ok()
        .filter(|_| is_unsigned)
}

/// Encodes all of `text` but the unreserved characters of RFC 3986.
pub fn percent_encode(text: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Returns true if every router on the internet would pass on packets to the address.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_documentation()
                || matches!((a, b, c), (0 | 224.., _, _) | (192, 0, 0) | (192, 88, 99))
                || a == 100 && (64..128).contains(&b)
                || a == 198 && (18..20).contains(&b))
        }
        IpAddr::V6(v6) => match v6.segments() {
            // Translated addresses of IPv4: NAT64, and 6to4.
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                is_public(v4_of(high, low))
            }
            // Teredo and other protocols, and examples.
            [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
            [0x3fff, second, ..] if second < 0x1000 => false,
            [first, ..] => first & 0xe000 == 0x2000,
        },
    }
}

fn v4_of(high: u16, low: u16) -> IpAddr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)).into()
}

/// Returns true if the address is local to the link, as cloud metadata is, or cloud metadata that
/// is not.
pub fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => match v6.segments() {
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                is_link_local(v4_of(high, low))
            }
            segments => {
                v6.is_unicast_link_local() || segments == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254]
            }
        },
    }
}

/// Makes a message of a line of JSON and the bytes of a body.
pub fn encode<T: Serialize>(head: &T, body: &[u8]) -> Vec<u8> {
    // Text and numbers can always be serialized.
    let mut bytes = serde_json::to_vec(head).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    bytes
}

/// Splits a message.
pub fn decode<T: DeserializeOwned>(message: &[u8]) -> Option<(T, &[u8])> {
    let end = message.iter().position(|byte| *byte == b'\n')?;
    Some((
        serde_json::from_slice(&message[..end]).ok()?,
        &message[end + 1..],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_of_an_address_is_one_host() {
        for (host, expected) in [
            ("127.1", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("0X7F.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0177.0.0.01", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("[::ffff:127.0.0.1]", "127.0.0.1"),
            ("[::FFFF:7f00:1]", "127.0.0.1"),
            ("[0:0::1]", "::1"),
            ("LocalHost.", "localhost"),
            ("256.1.1.1", "256.1.1.1"),
            ("1.2.3.4.5", "1.2.3.4.5"),
            ("08.1.1.1", "08.1.1.1"),
            ("a.example", "a.example"),
        ] {
            assert_eq!(canonical_host(host), expected, "{host}");
        }
    }

    #[test]
    fn addresses_that_are_not_public() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "127.0.0.1",
            "100.64.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.0.1",
            "192.0.0.1",
            "198.18.0.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "fec0::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
        ] {
            assert!(!is_public(text.parse().expect(text)), "{text}");
        }
        for text in [
            "1.1.1.1",
            "93.184.216.34",
            "2606:4700::1111",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(text.parse().expect(text)), "{text}");
        }
    }

    #[test]
    fn metadata_is_local_to_the_link_in_every_form() {
        for (text, expected) in [
            ("169.254.169.254", true),
            ("::ffff:169.254.169.254", true),
            ("64:ff9b::a9fe:a9fe", true),
            ("2002:a9fe:a9fe::", true),
            ("fe80::1", true),
            ("fd00:ec2::254", true),
            ("fd00:ec2::255", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(is_link_local(text.parse().expect(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_rule_names_hosts_and_ports() {
        let matches = |rule: &str, host: &str, port| {
            HostRule::parse(rule).is_some_and(|rule| rule.matches(&canonical_host(host), port))
        };
        assert!(matches("A.example", "a.example.", 443) && matches("a.example", "a.example", 80));
        assert!(
            !matches("a.example", "a.example", 8080) && !matches("a.example", "b.a.example", 80)
        );
        assert!(matches("*.a.example", "b.c.a.example", 443));
        assert!(
            !matches("*.a.example", "a.example", 443) && !matches("*.a.example", "ba.example", 443)
        );
        assert!(
            matches("127.0.0.1:8080", "127.1", 8080) && !matches("127.0.0.1:8080", "127.1", 80)
        );
        assert!(matches("[::1]:8080", "[0::1]", 8080));
        for invalid in [
            "",
            "*",
            "*.",
            "a:0",
            "a:b",
            "a:",
            "https://a",
            "a/b",
            "u@a",
            "a b",
            "[x]",
            "a:99999",
        ] {
            assert_eq!(HostRule::parse(invalid), None, "{invalid}");
        }
    }
}
