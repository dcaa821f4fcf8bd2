//! The files of Gemini CLI: their locations, how it reads them, and what it requires; and the
//! files in which other hosts find MCP servers.
//!
//! The behaviour of hosts was determined by running them or by reading their source. Edits of
//! files are in `cogtools-edit`.

pub mod command;
pub mod connection;
pub mod install;
pub mod mcp_host;
mod paths;
pub mod policy;
pub mod settings;
mod trust;
mod user_files;
mod version;

pub use connection::Connection;
pub use mcp_host::{EntryForm, McpHost};
pub use paths::{Paths, Vars};
pub use trust::Trust;
pub use version::{Generation, Version};
