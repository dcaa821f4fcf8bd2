//! A whole schema under `parameters`, where a map from names to entries belongs.

use super::keyword;
use crate::text::Span;
use crate::yaml::{Entry, Node};

/// The span of `properties` if the map under `parameters` is a whole schema: otherwise
/// `properties` would be a parameter with keywords that no schema has.
pub(super) fn schema(node: &Node) -> Option<Span> {
    let is_object = node.get("type").and_then(Node::text) == Some("object");
    let entry = node.entries()?.iter().find(|it| it.key == "properties")?;
    let properties = entry.value.entries()?;
    let is_schema = |entry: &Entry| entry.value.entries().is_some();
    let is_property = |entry: &Entry| keyword::takes(&entry.key).is_none();
    let is_whole = properties.iter().all(is_schema) && properties.iter().any(is_property);
    (is_object && is_whole).then_some(entry.span)
}
