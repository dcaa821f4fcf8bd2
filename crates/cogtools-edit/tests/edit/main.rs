//! What becomes of files that belong to others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod entry;
mod merge;
mod nasty;
mod read;
mod toml;
