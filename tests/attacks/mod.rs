//! A malicious repository, and what it must not be able to do.

mod owners;
mod packages;
mod read_links;
mod records;
mod write_links;
