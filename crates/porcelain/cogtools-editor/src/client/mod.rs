//! The editor around a terminal: its selection and its files.
//!
//! Editors are reached by Unix sockets that only their user can open: by the protocol in
//! `docs/reference/editor-protocol.md`, or by the server that Neovim has anyway. Nothing listens
//! on a port. An answer of an editor is checked, bounded, and read within a second.

mod answer;
mod edit;
#[cfg(unix)]
mod file;
#[cfg(not(unix))]
#[path = "file_unsupported.rs"]
mod file;
mod neovim;
#[cfg(unix)]
mod peer;
#[cfg(not(unix))]
#[path = "peer_unsupported.rs"]
mod peer;
mod protocol;
mod search;

pub use answer::{Answer, Diagnostic, Failure, OpenFile, OpenFiles, Position, Problems, Text};
pub use edit::{Edit, Refusal};
pub use protocol::Request;
pub use search::{Ambiguous, Attempt, Found, Place, Variables, find};
