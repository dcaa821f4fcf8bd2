//! Runs of `cogtools-lint` in projects of their own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod cases;
mod configuration;
mod details;
mod fixes;
mod formats;
mod project;
mod runs;
