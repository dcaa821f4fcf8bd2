//! YAML with locations: a tree in which every key and value has a span.
//!
//! The events come from a conforming parser. This module restricts documents: YAML 1.2
//! core schema, one document, unique string keys, and limits against malicious files.

mod error;
mod loader;
mod node;
mod slip;

pub use error::{YamlError, YamlErrorKind};
pub use loader::parse;
pub use node::{Data, Entry, Node};

/// Maximum nesting of collections.
pub const MAX_DEPTH: usize = 64;
/// Maximum number of nodes of a document, with each alias counted in full.
pub const MAX_NODES: usize = 100_000;
/// The total length of a document's strings in bytes, with each alias counted in
/// full: 32 MiB.
pub const MAX_TEXT: usize = 32 << 20;
