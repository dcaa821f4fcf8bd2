//! The table of a project's tools, and the documents that contain it.
//!
//! Agents learn about tools from their host; people who read GEMINI.md do not. The table is
//! between two markers, and every other byte of the document is preserved.

mod collect;
mod document;
mod error;
mod markers;
mod prose;
mod table;

pub use collect::{NewTool, collect, project_config};
pub use document::{Document, Update};
pub use error::DocumentError;
pub use markers::MarkerError;
pub use table::Table;

/// The documents at a project's root that agents read.
pub const DOCUMENTS: [&str; 3] = ["GEMINI.md", "AGENTS.md", "CLAUDE.md"];
