//! The files of Gemini CLI: their locations, its rules for them, and its requirements; and the
//! files in which other hosts find MCP servers.
//!
//! The behaviour of hosts was determined by running them or by reading their source. Edits of
//! files are in `cogtools-edit`.

pub mod command;
pub mod connection;
pub mod install;
pub mod mcp_host;
pub mod policy;
pub mod settings;

pub use connection::{Connection, Generation, Version};
pub use mcp_host::{EntryForm, McpHost};
pub use settings::{Paths, Trust, Vars};
