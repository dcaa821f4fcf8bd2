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
mod sources;
mod stdio;
mod workspace;

pub use auth::token;
pub use client::PROGRAM as CLIENT;
pub use command::PROGRAM;
