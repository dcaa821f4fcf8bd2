//! A search for tools, for a model that does not know their names.

mod bm25;
mod document;
mod query;
mod results;
mod sources;
mod stem;
mod tokens;
mod value;
mod verb;
mod words;

use crate::Tool;

/// The first `limit` of the `tools` that match `query`, best first, as text for a
/// model.
pub(crate) fn search(query: &str, tools: &[Tool], limit: usize) -> String {
    let ranked = bm25::rank(query, tools);
    results::text(query, tools, &ranked, limit)
}
