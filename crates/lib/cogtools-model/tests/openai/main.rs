//! Servers with the Chat Completions API, as they are and as they fail.

mod failures;
mod requests;
mod responses;
mod server;
mod variables;
