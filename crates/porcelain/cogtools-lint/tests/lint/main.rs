//! Runs of `cogtools-lint`, each in its own project.

#![expect(clippy::unwrap_used, reason = "a failed setup step fails the test")]

mod actions;
mod cases;
mod configuration;
mod corpus;
mod cost;
mod details;
mod expressions;
mod fixes;
mod formats;
mod nesting;
mod project;
mod protocol;
mod renames;
mod runs;
mod server;
mod sessions;
mod suppression;
mod targets;
