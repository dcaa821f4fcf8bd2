//! `cogtools init`, a topic a file: which settings files are left alone
//! and what is said of them, and whole runs of the program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod cases;
mod files;
mod hosts;
mod project;
mod refusals;
mod runs;
mod terminal;
