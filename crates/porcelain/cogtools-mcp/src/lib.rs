//! `cogtools-mcp`: serves the tools of a project to clients of the Model Context
//! Protocol.
//!
//! It is the only program that keeps running: over its standard streams until its
//! client is gone, or over HTTP on this machine. What a tool is, what it accepts and
//! what it returns is defined by `cogtools-core`, as for every program.

mod answer;
mod auth;
mod cache;
mod call;
mod capabilities;
mod catalogue;
mod change;
mod client;
mod client_arguments;
mod command;
mod completion;
mod document;
mod fingerprint;
mod folders;
mod http;
mod in_flight;
mod instructions;
mod logging;
mod malformed;
mod manual;
mod metrics;
mod observe;
mod output;
mod progress;
mod prompt;
mod published_tool;
mod raw_arguments;
mod raw_list;
mod request_log;
mod serve;
mod server;
mod shutdown;
mod sources;
mod stdio;
mod traces;
mod watch;

pub use client::command::PROGRAM as CLIENT;
pub use command::PROGRAM;
