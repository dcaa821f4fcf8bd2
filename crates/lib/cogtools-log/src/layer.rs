//! The parts of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::BlobId;

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LayerSize {
    /// Its name: `static`, `dynamic`, `buffered` or `trigger`.
    pub name: String,
    /// How many tokens it has, estimated.
    pub tokens: u64,
    /// The hash of its content.
    pub hash: String,
    /// Whether the provider has it cached.
    pub cached: bool,
    /// The blobs with its text, in order: each is a content, a list of contents, or the list of
    /// the declarations, as JSON. Parts that several requests have are one blob.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<BlobId>,
}
