//! YAML with places: a tree in which every key and value knows where it stands.
//!
//! The events come from a conforming parser; what a document may be is decided
//! here: YAML 1.2 core schema, one document, unique string keys, and bounds
//! that hold against files made to hurt.

mod error;
mod frame;
mod loader;
mod node;
mod scalar;

pub use error::{YamlError, YamlErrorKind};
pub use node::{Data, Entry, Node};

use crate::text::Text;

/// How deep collections may nest.
pub const MAX_DEPTH: usize = 64;
/// How many nodes a document may have, each use of an alias counted in full.
pub const MAX_NODES: usize = 100_000;
/// How many bytes the strings of a document may come to, each use of an alias
/// counted in full: 32 MiB.
pub const MAX_TEXT: usize = 32 << 20;

/// The one document in `text`; an empty text is a null node.
pub fn parse(text: &Text) -> Result<Node, YamlError> {
    loader::load(text.as_str())
}
