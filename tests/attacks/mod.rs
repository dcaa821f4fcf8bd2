//! A malicious repository, and what it must not be able to do.

mod lock;
mod packages;
mod processes;
mod read_links;
mod write_links;
