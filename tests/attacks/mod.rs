//! A malicious repository, and what it must not be able to do.

mod write_links;
