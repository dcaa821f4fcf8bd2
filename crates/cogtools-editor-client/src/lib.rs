//! The editor around a terminal, asked for what it shows.
//!
//! Editors are reached by Unix sockets that only their user can open: by the protocol in
//! `docs/reference/editor-protocol.md`, or by what Neovim and Emacs have anyway. Nothing listens
//! on a port. What an editor answers is checked, bounded, and read within a second.

mod answer;
mod discovery;
mod emacs;
mod failure;
#[cfg(unix)]
mod file;
#[cfg(not(unix))]
#[path = "file_unsupported.rs"]
mod file;
mod msgpack;
mod neovim;
#[cfg(unix)]
mod peer;
#[cfg(not(unix))]
#[path = "peer_unsupported.rs"]
mod peer;
mod place;
mod protocol;
mod request;
mod search;
mod snapshot;

pub use answer::{Answer, Diagnostic, Edit, OpenFile, OpenFiles, Position, Problems, Text};
pub use failure::Failure;
pub use place::{Place, Variables};
pub use request::Request;
pub use search::{Ambiguous, Attempt, Found, find};
