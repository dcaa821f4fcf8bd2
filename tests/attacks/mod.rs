//! A malicious repository, and what it must not be able to do.

mod dotenv;
mod layers;
mod lock;
mod neutral_directory;
mod packages;
mod processes;
mod read_links;
mod write_links;
