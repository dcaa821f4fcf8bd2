//! A malicious repository, and what it must not be able to do.

mod processes;
mod write_links;
