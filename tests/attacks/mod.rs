//! A malicious repository, and what it must not be able to do.

mod dispatch;
mod dotenv;
mod folder_trust;
mod layers;
mod lock;
mod names;
mod neutral_directory;
mod packages;
mod processes;
mod read_links;
mod review;
mod write_links;
