//! The client against servers on this machine that do everything wrong.

mod connection;
mod faults;
mod guard;
mod peer;
mod proxies;
mod redirects;
mod secrets;
mod serving;
mod tls;
