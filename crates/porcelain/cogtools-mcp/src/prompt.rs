//! Tools as prompts, which users select from a menu.
//!
//! A tool is a prompt if a template renders its result from its arguments alone, and
//! if an example shows how to use it. A prompt must not have side effects, so tools
//! that run programs are not prompts.

use cogtools_core::Tool;
use cogtools_core::arguments::Arguments;
use rmcp::model::{self, JsonObject, Prompt, PromptArgument};
use serde_json::Value;

/// The longest example that is shown in the description of an argument.
const MAX_EXAMPLE_CHARS: usize = 60;

/// Whether a tool is a prompt, too.
pub(crate) fn is_prompt(tool: &Tool) -> bool {
    tool.is_template() && tool.has_examples()
}

/// The prompt for a tool, from its declaration.
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

/// The description of an argument, with its example.
fn description(schema: &Value, example: Option<&Value>) -> Option<String> {
    let description = schema.get("description").and_then(Value::as_str);
    let example = example
        .map(|value| value.as_str().map_or(value.to_string(), str::to_owned))
        .filter(|text| text.chars().count() <= MAX_EXAMPLE_CHARS && !text.contains('\n'));
    match (description, example) {
        (Some(text), Some(example)) => Some(format!("{text}, for example: {example}")),
        (Some(text), None) => Some(text.to_owned()),
        (None, Some(example)) => Some(format!("for example: {example}")),
        (None, None) => None,
    }
}

/// The tool's arguments from the prompt's, which are all strings: those of other
/// types are parsed as JSON.
pub(crate) fn parse_arguments(tool: &Tool, arguments: JsonObject) -> Arguments {
    let parse = |name: &str, value: Value| {
        let schema = tool.schema().at(std::iter::once(name));
        let kind = schema.and_then(|schema| schema.get("type"));
        match (&value, kind.and_then(Value::as_str)) {
            (_, Some("string") | None) => value,
            (Value::String(text), Some(_)) => serde_json::from_str(text).unwrap_or(value),
            _ => value,
        }
    };
    let arguments: JsonObject = arguments
        .into_iter()
        .map(|(name, value)| {
            let value = parse(&name, value);
            (name, value)
        })
        .collect();
    Arguments::from(arguments)
}
