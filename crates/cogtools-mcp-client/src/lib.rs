//! `cogtools-mcp-client`: lists the tools of one MCP server, or calls one of them.
//!
//! Sources of the kind `mcp` run it: it is a provider like any other, so no other
//! program has to link the protocol. It starts the server, or contacts its URL, and
//! stops what it started. For a program that stays it keeps one session open.

mod auth;
mod command;
mod declaration;
mod error;
mod exchange;
mod host;
mod http;
mod http_error;
mod http_message;
mod http_response;
mod http_send;
mod input;
mod listener;
mod logging;
mod manual;
mod message;
mod negotiation;
mod options;
mod process;
mod requests;
mod server;
mod service;
mod session;
mod subscription;

pub use command::PROGRAM;
