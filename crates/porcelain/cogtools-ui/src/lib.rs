//! `cogtools ui`: a local web view over the tools and sessions of a project.
//!
//! It reads the files that the programs read, starts the same programs to call tools and to
//! ask models, and has no state of its own: what a page shows is what is in the files.

mod access;
mod child;
mod command;
mod cut;
mod evals;
mod graph;
mod live;
mod manual;
mod markdown;
mod page;
mod project;
mod respond;
mod server;
mod session;
mod tool;

pub use command::PROGRAM;
