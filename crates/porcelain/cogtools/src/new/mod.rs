//! `cogtools new`: creates a working tool file for the user to change.
//!
//! Existing files are never overwritten, and no partial file is ever visible.

mod command;
mod created;
mod destination;
mod duplicate;
mod error;
mod template;

pub use command::PROGRAM;
