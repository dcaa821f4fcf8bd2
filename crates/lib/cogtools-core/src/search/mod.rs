//! A search for tools, for a model that does not know their names.

mod query;
mod rank;
mod words;

use serde_json::json;

use crate::{Name, Tool};

/// Prints the first `limit` of the `tools` that match `query`, best first, as a JSON object with
/// one match per line and a hint for the model on what to do next.
pub(crate) fn search(query: &str, tools: &[Tool], limit: usize) -> String {
    let ranked = rank::rank(query, tools);
    let matches = ranked.iter().filter_map(|index| tools.get(*index));
    let lines: Vec<String> = matches.take(limit).map(line).collect();
    let more = ranked.len().saturating_sub(limit);
    let list = if lines.is_empty() {
        "[]".to_owned()
    } else {
        format!("[\n{}\n]", lines.join(",\n"))
    };
    let hint = if lines.is_empty() {
        let all = tools.len();
        format!("none of {all} tools fits; try other words, or an empty query to list all")
    } else if more > 0 {
        format!("{more} more match; use a higher limit or a more specific query")
    } else {
        format!("call one with {}", Name::CALL)
    };
    let (query, hint) = (json!(query), json!(hint));
    format!("{{\"query\": {query}, \"tools\": {list}, \"hint\": {hint}}}\n")
}

fn line(tool: &Tool) -> String {
    let declaration = json!({
        "name": tool.name().as_str(),
        "description": tool.description(),
        "parameters": tool.schema().to_json_schema(),
    });
    declaration.to_string()
}
