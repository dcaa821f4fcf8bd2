//! `cogtools init`, one topic per file: settings files that are left unchanged and
//! the messages about them, and whole runs of the program.

#![expect(clippy::unwrap_used, reason = "a failed precondition fails the test")]

mod agents;
mod beside;
mod cases;
mod documents;
mod files;
#[cfg(unix)]
mod gemini;
mod hosts;
mod project;
mod refusals;
mod runs;
mod terminal;
