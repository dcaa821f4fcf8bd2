//! Tools as prompts: what a person picks from a menu instead of a model.
//!
//! A tool is offered when its answer is text that it makes from its arguments
//! alone, and when its author has shown by an example how it is used. A prompt
//! must not do anything, so tools that run programs are none.

use cogtools_core::Tool;
use cogtools_core::arguments::Arguments;
use rmcp::model::{self, JsonObject, Prompt, PromptArgument};
use serde_json::Value;

/// The longest example, in characters, that is shown beside an argument.
const SHORT: usize = 60;

/// Whether a tool is a prompt too.
pub(crate) fn is_offered(tool: &Tool) -> bool {
    !tool.runs_programs() && tool.has_examples()
}

/// The prompt that such a tool makes, from what clients are told of the tool.
pub(crate) fn of(tool: model::Tool) -> Prompt {
    let schema = tool.input_schema;
    let example = schema.get("examples").and_then(|all| all.get(0));
    let required = schema.get("required").and_then(Value::as_array);
    let required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let arguments = properties.into_iter().flatten().map(|(name, schema)| {
        let argument = PromptArgument::new(name).with_required(required(name));
        match description(schema, example.and_then(|example| example.get(name))) {
            Some(description) => argument.with_description(description),
            None => argument,
        }
    });
    let arguments = Some(arguments.collect::<Vec<_>>()).filter(|all| !all.is_empty());
    let prompt = Prompt::new(tool.name, tool.description, arguments);
    match tool.title {
        Some(title) => prompt.with_title(title),
        None => prompt,
    }
}

/// What a person is told of an argument.
fn description(schema: &Value, example: Option<&Value>) -> Option<String> {
    let said = schema.get("description").and_then(Value::as_str);
    let shown = example.map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
    let shown = shown.filter(|text| text.chars().count() <= SHORT && !text.contains('\n'));
    match (said, shown) {
        (Some(said), Some(shown)) => Some(format!("{said}, for example: {shown}")),
        (Some(said), None) => Some(said.to_owned()),
        (None, Some(shown)) => Some(format!("for example: {shown}")),
        (None, None) => None,
    }
}

/// The arguments of a prompt, which are all text, as those of its tool: what is
/// not a string there is read as JSON.
pub(crate) fn arguments(tool: &Tool, given: JsonObject) -> Arguments {
    let read = |name: &str, value: Value| {
        let schema = tool.schema().at(std::iter::once(name));
        let kind = schema.and_then(|schema| schema.get("type"));
        match (&value, kind.and_then(Value::as_str)) {
            (_, Some("string") | None) => value,
            (Value::String(text), Some(_)) => serde_json::from_str(text).unwrap_or(value),
            _ => value,
        }
    };
    let arguments: JsonObject = given
        .into_iter()
        .map(|(name, value)| {
            let value = read(&name, value);
            (name, value)
        })
        .collect();
    Arguments::from(arguments)
}
