//! A malicious repository, and what it must not be able to do.

mod installer;
mod limits;
mod processes;
mod write_links;
