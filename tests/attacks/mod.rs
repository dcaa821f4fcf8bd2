//! A repository that a stranger made, and what it must not be able to do.

mod write_links;
