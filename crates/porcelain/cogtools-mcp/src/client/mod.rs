//! `cogtools-mcp-client`: lists the tools of one MCP server, or calls one of them.
//!
//! Discovery and single calls run it for sources of the kind `mcp`: it is a provider like any
//! other, so no other program has to link the protocol. It starts the server, or contacts its
//! URL, and stops what it started. `cogtools mcp` uses the same client without another process.

pub(crate) mod command;
pub(crate) mod declaration;
pub(crate) mod error;
pub(crate) mod exchange;
pub(crate) mod http;
pub(crate) mod listener;
mod manual;
mod message;
mod options;
pub(crate) mod process;
pub(crate) mod server;
pub(crate) mod session;
