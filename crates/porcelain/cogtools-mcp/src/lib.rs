//! `cogtools-mcp`: serves the tools of a project to clients of the Model Context
//! Protocol.
//!
//! It is the only program that keeps running: over its standard streams until its
//! client is gone, or over HTTP on this machine. `cogtools-core` defines tools, their arguments
//! and their results, as for every program.

mod auth;
mod call;
mod catalogue;
mod client;
mod code;
mod command;
#[cfg(unix)]
mod daemon;
#[cfg(not(unix))]
mod daemon {
    //! No daemon: it needs sockets with a file, and owners of files.

    use std::ffi::OsString;
    use std::time::Duration;

    use cogtools_program::{Failure, Io};

    pub(crate) fn serve_through(
        _: &[OsString],
        _: Duration,
        _: &mut Io<'_>,
    ) -> Result<Result<(), Failure>, String> {
        Err("this system has none".to_owned())
    }
}
mod declarations;
mod forward;
mod link;
mod manage;
mod observe;
mod offers;
mod page;
mod prompt;
mod questions;
mod serve;
mod server;
mod slots;
mod sources;
mod stdio;
mod workspace;

pub use auth::token;
pub use client::PROGRAM as CLIENT;
pub use command::PROGRAM;
pub use sources::sessions;
