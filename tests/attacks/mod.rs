//! A malicious repository, and what it must not be able to do.

mod installer;
mod limits;
mod packages;
mod processes;
mod read_links;
mod write_links;
