//! Certificates for TLS on this machine, made once with openssl: two authorities, and servers
//! whose certificates the first has signed, with one key, from 1975 to 4096.
//!
//! The key is for tests alone: nothing trusts the authorities.

/// The authority that has signed all certificates of servers.
pub const AUTHORITY: &str = include_str!("certificates/ca.pem");
/// Another authority.
pub const OTHER_AUTHORITY: &str = include_str!("certificates/other.pem");
/// The private key of all servers.
pub const KEY: &str = include_str!("certificates/key.pem");
/// A certificate for `a.example` that expired in 2020.
pub const EXPIRED: &str = include_str!("certificates/expired.pem");

/// Returns the certificate of the server `name`.
pub fn of(name: &str) -> &'static str {
    match name {
        "a.example" => include_str!("certificates/a.example.pem"),
        "b.example" => include_str!("certificates/b.example.pem"),
        "elsewhere.example" => include_str!("certificates/elsewhere.example.pem"),
        "gemini.example" => include_str!("certificates/gemini.example.pem"),
        "127.0.0.1" => include_str!("certificates/127.0.0.1.pem"),
        _ => panic!("there is no certificate for `{name}`"),
    }
}
