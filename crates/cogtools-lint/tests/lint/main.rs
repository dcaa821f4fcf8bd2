//! Runs of `cogtools-lint` in projects of their own.

mod cases;
mod configuration;
mod fixes;
mod formats;
mod project;
mod runs;
