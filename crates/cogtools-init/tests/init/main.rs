//! `cogtools init`, a topic a file: what becomes of settings files byte for byte,
//! which ones are left alone, and whole runs of the program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod files;
mod merge;
mod nasty;
mod project;
mod refusals;
mod runs;
mod terminal;
