//! The files of Gemini CLI: their locations, how it reads them, and what it requires.
//!
//! Its behaviour was determined by running it or by reading its source. Edits of
//! files are in `cogtools-edit`.

pub mod command;
pub mod connection;
pub mod install;
mod paths;
pub mod policy;
pub mod settings;
mod trust;
mod version;

pub use connection::Connection;
pub use paths::{Paths, Vars};
pub use trust::Trust;
pub use version::{Generation, Version};
