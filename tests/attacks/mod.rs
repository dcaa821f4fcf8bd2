//! A malicious repository, and what it must not be able to do.

mod read_links;
mod write_links;
