//! Tools as prompts, which users select from a menu, and the documentation of tools as resources,
//! which people and models read on request.
//!
//! A tool is a prompt if a template renders its result from its arguments alone, and
//! if an example shows how to use it. A prompt must not have side effects, so tools
//! that run programs are not prompts.

use std::fmt::Write as _;
use std::sync::Arc;

use cogtools_core::Tool;
use rmcp::ErrorData;
use rmcp::model::{
    self, CompleteRequestParams, CompleteResult, CompletionInfo, Prompt, PromptArgument,
    ReadResourceResult, Reference, Resource, ResourceContents,
};
use serde_json::Value;

use crate::answer;
use crate::catalogue::Catalogue;
use crate::declarations::PublishedTool;

/// The longest example that is shown in the description of an argument.
const MAX_EXAMPLE_CHARS: usize = 60;

/// Returns true if a tool is a prompt, too.
pub(crate) fn is_prompt(tool: &Tool) -> bool {
    tool.is_template() && tool.has_examples()
}

/// Returns the prompt for a tool, from its declaration.
pub(crate) fn from_tool(tool: model::Tool) -> Prompt {
    let schema = tool.input_schema;
    let example = schema.get("examples").and_then(|all| all.get(0));
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let arguments: Vec<PromptArgument> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let argument = PromptArgument::new(name).with_required(is_required(name));
            match description(schema, example.and_then(|example| example.get(name))) {
                Some(description) => argument.with_description(description),
                None => argument,
            }
        })
        .collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let prompt = Prompt::new(tool.name, tool.description, arguments);
    match tool.title {
        Some(title) => prompt.with_title(title),
        None => prompt,
    }
}

/// Returns the description of an argument on one line, with its example.
fn description(schema: &Value, example: Option<&Value>) -> Option<String> {
    let description = schema.get("description").and_then(Value::as_str);
    // Texts under `|` end with a line feed, and clients show one line.
    let description = description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let example = example
        .map(|value| value.as_str().map_or(value.to_string(), str::to_owned))
        .filter(|text| text.chars().count() <= MAX_EXAMPLE_CHARS && !text.contains('\n'));
    match (description, example) {
        (Some(text), Some(example)) => Some(format!("{text}, for example: {example}")),
        (Some(text), None) => Some(text),
        (None, Some(example)) => Some(format!("for example: {example}")),
        (None, None) => None,
    }
}

/// Answers `completion/complete`. Only prompts have completions.
pub(crate) async fn complete(
    catalogue: Arc<Catalogue>,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let Reference::Prompt(prompt) = request.r#ref else {
        return Ok(CompleteResult::default());
    };
    let (_, tool) = answer::find(catalogue, prompt.name).await?;
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

/// Returns the values of the argument `name` that begin with what was `typed`.
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

/// The beginning of the address of a tool's document.
const PREFIX: &str = "cogtools://tools/";
const MIME_TYPE: &str = "text/markdown";

/// Returns the documentation of a tool as a resource.
pub(crate) fn document(tool: &PublishedTool) -> Option<Resource> {
    let tool = tool.tool()?;
    let uri = format!("{PREFIX}{}", tool.name);
    let description = format!("Parameters and examples of the tool {}", tool.name);
    let resource = Resource::new(uri, tool.name)
        .with_description(description)
        .with_mime_type(MIME_TYPE);
    Some(match tool.title {
        Some(title) => resource.with_title(title),
        None => resource,
    })
}

/// Answers `resources/read`.
pub(crate) async fn read_document(
    catalogue: Arc<Catalogue>,
    uri: String,
) -> Result<ReadResourceResult, ErrorData> {
    let Some(name) = uri.strip_prefix(PREFIX).map(str::to_owned) else {
        let message = format!("there is no such resource; those of tools begin with `{PREFIX}`");
        return Err(ErrorData::resource_not_found(message, None));
    };
    let (_, tool) = answer::find(catalogue, name).await?;
    let contents = ResourceContents::text(markdown(&tool), uri).with_mime_type(MIME_TYPE);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn markdown(tool: &Tool) -> String {
    let mut text = format!("# {}\n\n{}\n", tool.name(), tool.description().trim_end());
    let schema = Value::Object(tool.schema().json_schema().into_owned());
    let _ = write!(text, "\n## Parameters\n\n```json\n{schema:#}\n```\n");
    for (index, example) in tool.examples().enumerate() {
        let heading = if index == 0 { "\n## Examples\n" } else { "" };
        let example = Value::Object(example);
        let _ = write!(text, "{heading}\n```json\n{example:#}\n```\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_description_of_an_argument_is_one_line() {
        let schema = json!({"description": "Whom\nto greet\n"});
        let expected = Some("Whom to greet, for example: Ada".to_owned());
        assert_eq!(description(&schema, Some(&json!("Ada"))), expected);
    }
}
