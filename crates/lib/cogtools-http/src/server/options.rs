//! Which requests a server accepts, and how long it waits.

use std::fmt;
use std::time::Duration;

/// The pages that may send requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origins {
    /// Only the pages of this server.
    #[default]
    Own,
    /// The pages of every server on this machine.
    Loopback,
}

/// The options of a server.
#[derive(Clone)]
pub struct ServerOptions {
    /// How many connections are served at a time, or half the limit of open files if that is
    /// less. For a further one, the oldest ends after its request.
    pub max_connections: usize,
    /// The limit for the headers of a request; at least 8 KiB.
    pub max_header_bytes: usize,
    /// The limit for the body of a request.
    pub max_request_bytes: usize,
    /// The limit for the headers of a request, and for a connection without requests.
    pub head_timeout: Duration,
    /// The limit for each pause in the body of a request.
    pub body_timeout: Duration,
    /// How long responses may take after the server is stopped.
    pub shutdown_grace: Duration,
    /// The pages that may send requests.
    pub origins: Origins,
    /// The token that clients must send as `Authorization: Bearer`.
    pub token: Option<String>,
    /// The paths for which no token is needed.
    pub open_paths: &'static [&'static str],
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_connections: 512,
            max_header_bytes: 64 << 10,
            max_request_bytes: 1 << 20,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            shutdown_grace: Duration::from_secs(2),
            origins: Origins::default(),
            token: None,
            open_paths: &[],
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("origins", &self.origins)
            .field("has_token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}
