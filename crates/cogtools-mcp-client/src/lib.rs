//! `cogtools-mcp-client`: lists the tools of one MCP server, or calls one of them.
//!
//! Sources of the kind `mcp` run it: it is a provider like any other, so no other
//! program has to link the protocol. It starts the server, or contacts its URL, and
//! stops what it started.

mod command;
mod declaration;
mod error;
mod http;
mod http_error;
mod manual;
mod options;
mod process;
mod server;
mod session;

pub use command::PROGRAM;
