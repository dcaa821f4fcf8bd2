//! `cogtools init`: makes a directory a cogtools project that Gemini CLI knows.
//!
//! Everything is planned first and written last. A file that is there already
//! keeps every byte that is not ours; a file that cannot be understood is left
//! alone, and then nothing at all is written.

mod command;
mod guidance;
mod starter;

pub use command::PROGRAM;
