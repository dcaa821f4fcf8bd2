//! A malicious repository, and what it must not be able to do.

mod lock;
mod package_copies;
mod packages;
mod write_links;
