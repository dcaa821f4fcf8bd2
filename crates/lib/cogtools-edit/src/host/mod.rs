//! The settings of hosts: of Gemini CLI, with its rules for them, its policies and versions;
//! and the files in which other hosts find MCP servers.
//!
//! The behaviour of hosts was determined by running them or by reading their source.

pub mod connection;
pub mod install;
pub mod mcp_host;
pub mod policy;
pub mod settings;

pub use connection::{CALL, Connection, DISCOVER, Generation, Version};
pub use mcp_host::{EntryForm, McpHost};
pub use settings::{Paths, Trust, Vars};
