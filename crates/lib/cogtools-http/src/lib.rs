//! `cogtools-http`: one client and one server, for everything that uses a network.
//!
//! Servers, proxies and pages are hostile: every message and every wait is bounded,
//! certificates are checked, secrets reach one host only, and no message shows them.
//! The caller passes the environment, never this process.

mod causes;
mod client;
mod connect;
mod error;
mod options;
mod proxy;
mod resolve;
mod response;
pub mod server;
pub mod sse;
mod stream;
mod target;
#[cfg(test)]
mod tests;
mod tls;
mod tunnel;

pub use client::Client;
pub use error::{HttpError, ProxyReason, Reason, TlsReason};
pub use http;
pub use hyper::body::Bytes;
pub use options::{ClientOptions, PlainHttp, VARIABLES, Vars};
pub use proxy::{Proxies, Proxy};
pub use response::Response;
pub use target::{Target, is_loopback, shown};
