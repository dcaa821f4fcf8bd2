//! The files of Gemini CLI: where they are, how it reads them, what they need.
//!
//! What is said here of Gemini CLI was seen by running it or read in its
//! sources. How files are changed is the business of `cogtools-edit`.

pub mod command;
pub mod install;
mod place;
pub mod policy;
pub mod settings;
mod trust;
mod version;

pub use place::{Places, Vars};
pub use trust::Trust;
pub use version::{Generation, Version};
