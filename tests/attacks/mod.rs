//! A malicious repository, and what it must not be able to do.

mod dispatch;
mod dotenv;
mod folder_trust;
mod layers;
mod lock;
mod neutral_directory;
mod packages;
mod processes;
mod read_links;
mod write_links;
