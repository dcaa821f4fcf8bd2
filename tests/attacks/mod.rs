//! A malicious repository, and what it must not be able to do.

mod dotenv;
mod layers;
mod lock;
mod neutral_directory;
mod owners;
mod packages;
mod processes;
mod read_links;
mod records;
mod write_links;
