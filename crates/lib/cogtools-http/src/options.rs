//! What a client may do, and how long.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use crate::proxy::Proxies;

/// Environment variables, as the caller has them.
pub type Vars = BTreeMap<OsString, OsString>;

/// The variables that [`ClientOptions::from_vars`] reads.
pub const VARIABLES: [&str; 9] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

/// To which hosts plain `http:` is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only this machine.
    #[default]
    Loopback,
    /// Any: the user has named the URL, such as that of a model in the local network.
    Any,
}

/// The options of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The limit for name, connection, proxy and TLS together.
    pub connect_timeout: Duration,
    /// The limit for the request until the headers of its response, and for each
    /// pause in its body.
    pub read_timeout: Duration,
    /// The limit for the body of a response.
    pub max_response_bytes: u64,
    /// The limit for the headers of a response; at least 8 KiB.
    pub max_header_bytes: usize,
    /// The header `User-Agent`.
    pub user_agent: String,
    /// The proxies.
    pub proxies: Proxies,
    /// To which hosts plain `http:` is allowed.
    pub plain_http: PlainHttp,
    /// The file with the certificates of trusted authorities.
    pub certificates: Option<PathBuf>,
    /// The directory with the certificates of trusted authorities.
    pub certificate_dir: Option<PathBuf>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_mins(1),
            max_response_bytes: 64 << 20,
            max_header_bytes: 64 << 10,
            user_agent: concat!("cogtools/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxies: Proxies::default(),
            plain_http: PlainHttp::default(),
            certificates: None,
            certificate_dir: None,
        }
    }
}

impl ClientOptions {
    /// The defaults with the proxies and the authorities of the user's environment.
    /// `vars` must not have variables that a project sets: it could read everything.
    pub fn from_vars(vars: &Vars) -> Self {
        let path = |name: &str| vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
        Self {
            proxies: Proxies::from_vars(vars),
            certificates: path("SSL_CERT_FILE").map(PathBuf::from),
            certificate_dir: path("SSL_CERT_DIR").map(PathBuf::from),
            ..Self::default()
        }
    }
}
