//! `cogtools-mcp-client`: asks one MCP server for its tools, or calls one of them.
//!
//! It is what a source of the kind `mcp` runs: a provider like any other, so that
//! no other program has to carry the protocol. It starts the server, or speaks to
//! its URL, and leaves nothing of it behind.

mod command;
mod declaration;
mod error;
mod http;
mod manual;
mod obstacle;
mod options;
mod roots;
mod server;
mod session;
mod wire;

pub use command::PROGRAM;
