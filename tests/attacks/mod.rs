//! A malicious repository, and what it must not be able to do.

mod dotenv;
mod layers;
mod neutral_directory;
mod write_links;
