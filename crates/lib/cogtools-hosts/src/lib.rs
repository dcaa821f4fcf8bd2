//! The hosts that a program may reach, and the addresses that are not public.
//!
//! The rules are the same for tools that make requests and for the proxy of a sandbox.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host that may be reached: `HOST` or `*.HOST`, with `:PORT` or not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostRule {
    host: String,
    port: Option<u16>,
    is_wildcard: bool,
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

impl Display for HostRule {
    /// Writes it as [`HostRule::parse`] reads it.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_wildcard {
            f.write_str("*.")?;
        }
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)?;
        } else {
            f.write_str(&self.host)?;
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// Returns true if a rule names the host, in its canonical form, and the port.
pub fn is_named(rules: &[HostRule], host: &str, port: u16) -> bool {
    rules.iter().any(|rule| rule.matches(host, port))
}

/// Returns true if the host, in its canonical form, may be at the address `found`: it is public, or
/// the host has a rule of its own, which is the address itself if it is local to the link.
pub fn permits(rules: &[HostRule], host: &str, port: u16, found: IpAddr) -> bool {
    let mut exact = rules.iter().filter(|rule| !rule.is_wildcard);
    let is_literal = address(host) == Some(found.to_canonical());
    is_public(found)
        || exact.any(|rule| rule.matches(host, port)) && (!is_link_local(found) || is_literal)
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
    fn a_private_address_needs_a_rule_of_its_own() {
        let rules = ["*.a.example", "b.example", "169.254.1.1"].map(HostRule::parse);
        let rules: Vec<HostRule> = rules.into_iter().flatten().collect();
        for (host, found, expected) in [
            ("x.a.example", "1.1.1.1", true),
            ("x.a.example", "10.0.0.1", false),
            ("b.example", "10.0.0.1", true),
            ("b.example", "169.254.1.1", false),
            ("169.254.1.1", "169.254.1.1", true),
            ("c.example", "127.0.0.1", false),
        ] {
            let found = found.parse().expect(found);
            assert_eq!(
                permits(&rules, host, 443, found),
                expected,
                "{host} {found}"
            );
        }
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for text in ["a.example", "*.a.example:8443", "[::1]:80", "127.0.0.1"] {
            let rule = HostRule::parse(text).map(|rule| rule.to_string());
            assert_eq!(rule.as_deref(), Some(text));
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
