//! `cogtools init`: makes a directory a cogtools project that hosts know.
//!
//! Everything is planned first and written last. A file that is there already
//! keeps every byte that is not ours; a file that cannot be understood is left
//! alone, and then nothing at all is written.

mod command;
mod extension;
mod guidance;
mod host;
mod print;
mod scene;
mod server;
mod starter;

pub use command::PROGRAM;
