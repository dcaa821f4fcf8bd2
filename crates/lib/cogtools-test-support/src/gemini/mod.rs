//! The real Gemini CLI, pinned, installed once, and run headless.
//!
//! Only running a host shows how it treats a tool: settings keys, schema keys and
//! prefixes changed between its generations, so each generation in use has a version
//! here.

mod cli;
mod install;
mod version;

pub use cli::Gemini;
pub use version::Version;
