//! `cogtools-http`: one client and one server, for everything that uses a network.
//!
//! Servers, proxies and pages are hostile: every message and every wait is bounded,
//! certificates are checked, secrets reach one host only, and no message shows them.
//! The caller passes the environment, never this process.

mod client;
mod connect;
mod connections;
mod error;
mod exchange;
mod html;
mod proxy;
mod secrets;
pub mod server;
pub mod sse;
mod target;
#[cfg(test)]
mod tests;

pub use client::{Client, ClientOptions, PlainHttp, Response, VARIABLES, Vars};
pub use connections::{Clients, Connections, cancelled, runtime};
pub use error::{HttpError, ProxyReason, Reason, TlsReason};
pub use exchange::{retry_after, run};
pub use http;
pub use hyper::body::Bytes;
pub use proxy::{Proxies, Proxy};
pub use target::{Target, is_loopback, shown};
