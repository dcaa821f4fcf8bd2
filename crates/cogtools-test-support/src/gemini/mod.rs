//! The real Gemini CLI, pinned, installed once, and driven headless.
//!
//! What a host does with a tool is known only from running the host: settings
//! keys, schema keys and prefixes changed between its generations, so each
//! generation in use has a version here.

mod cli;
mod install;
mod version;

pub use cli::Gemini;
pub use version::Version;
