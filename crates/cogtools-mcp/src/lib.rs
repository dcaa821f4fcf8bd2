//! `cogtools-mcp`: the tools of a project for every client that speaks the Model
//! Context Protocol.
//!
//! It is the only program that stays: it answers over its standard streams, or
//! over HTTP on this machine, until its client has gone. What a tool is, what it
//! accepts and what it answers is `cogtools-core`'s to say, as everywhere.

mod answer;
mod call;
mod catalogue;
mod change;
mod command;
mod end;
mod given;
mod http;
mod manual;
mod offer;
mod page;
mod pending;
mod prompt;
mod serve;
mod server;
mod shelf;
mod speech;
mod stamp;
mod watch;
mod wire;

pub use command::PROGRAM;
