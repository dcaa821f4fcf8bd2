//! `cogtools init`: turns a directory into a cogtools project and configures hosts.
//!
//! Everything is planned before anything is written. In an existing file, every byte
//! that does not belong to cogtools is preserved. If a file cannot be parsed, nothing
//! at all is written.

mod command;
mod documents;
mod extension;
mod finish;
mod gemini;
mod guidance;
mod host;
mod interview;
mod manual;
mod print;
mod refresh;
mod server;
mod setup_context;
mod starter;
mod survey;

pub use command::PROGRAM;
