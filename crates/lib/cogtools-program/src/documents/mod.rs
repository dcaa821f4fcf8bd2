//! The table of a project's tools, the documents that contain it, and the tools as skills.
//!
//! Agents learn about tools from their host; people who read GEMINI.md do not. The table is
//! between two markers, and every other byte of the document is preserved.

mod document;
mod markers;
pub mod skill;
mod table;

pub use document::{Document, DocumentError, Update, collect_all, file_lines, file_values};
pub use markers::MarkerError;
pub use table::{NewTool, Summary, Table, collect, project_config};

/// The documents at a project's root that agents read.
pub const DOCUMENTS: [&str; 3] = ["GEMINI.md", "AGENTS.md", "CLAUDE.md"];
