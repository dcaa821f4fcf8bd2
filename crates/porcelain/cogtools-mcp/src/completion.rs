//! Completions of the arguments of prompts: the values that their schemas list.

use std::sync::Arc;

use cogtools_core::Tool;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use serde_json::Value;

use crate::answer;
use crate::catalogue::Catalogue;

/// The response to `completion/complete`. What is not a prompt has no completions.
pub(crate) async fn complete(
    catalogue: Arc<Catalogue>,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let Reference::Prompt(prompt) = request.r#ref else {
        return Ok(CompleteResult::default());
    };
    let tool = tokio::task::spawn_blocking(move || catalogue.find(&prompt.name)).await;
    let tool = tool.map_err(|_| ErrorData::internal_error("unexpected failure", None))?;
    let (_, tool) = tool.map_err(|error| answer::lookup_error(&error))?;
    let values = values(&tool, &request.argument.name, &request.argument.value);
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    let shown = values
        .into_iter()
        .take(CompletionInfo::MAX_VALUES)
        .collect();
    let completion = CompletionInfo::with_pagination(shown, total, has_more);
    let completion = completion.map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}

/// The values of the argument `name` that begin with what was `typed`.
fn values(tool: &Tool, name: &str, typed: &str) -> Vec<String> {
    let schema = tool.schema().at(std::iter::once(name));
    let listed = |key: &str| schema.and_then(|schema| schema.get(key)?.as_array());
    let is_boolean = schema.is_some_and(|schema| schema.get("type") == Some(&"boolean".into()));
    let booleans = [Value::Bool(true), Value::Bool(false)];
    let typed = typed.to_lowercase();
    listed("enum")
        .map_or(&booleans[..if is_boolean { 2 } else { 0 }], Vec::as_slice)
        .iter()
        .filter(|value| !value.is_null())
        .map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
        .filter(|value| value.to_lowercase().starts_with(&typed))
        .collect()
}
