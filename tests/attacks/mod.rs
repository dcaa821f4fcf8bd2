//! A malicious repository, and what it must not be able to do.

mod lock;
mod packages;
mod write_links;
