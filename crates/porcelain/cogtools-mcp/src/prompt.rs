//! Tools as prompts, which users select from a menu, and the documentation of tools as resources,
//! which people and models read on request.
//!
//! A tool is a prompt if a template renders its result from its arguments alone, and
//! if an example shows how to use it. A prompt must not have side effects, so tools
//! that run programs are not prompts.

use std::fmt::Write as _;
use std::sync::Arc;

use cogtools_core::approval::{Kind, TrustableSource, may_wait, trustable_sources};
use cogtools_core::trust::Verdict;
use cogtools_core::{Code, Config, Context, Diagnostic, Tool};
use cogtools_program::project;
use cogtools_program::terminal::pluralize;
use rmcp::ErrorData;
use rmcp::model::{
    self, CompleteRequestParams, CompleteResult, CompletionInfo, ErrorCode, Prompt, PromptArgument,
    ReadResourceResult, Reference, Resource, ResourceContents,
};
use serde_json::Value;

use crate::call;
use crate::catalogue::{CallError, Catalogue, FoundTool};
use crate::declarations::PublishedTool;

/// The longest example that is shown in the description of an argument.
const MAX_EXAMPLE_CHARS: usize = 60;

/// Returns true if a tool is a prompt, too.
pub(crate) fn is_prompt(tool: &Tool) -> bool {
    tool.is_template() && !tool.tests().is_empty()
}

/// Finds the tool of the prompt `name`.
///
/// # Errors
///
/// There is none, or the tool is no prompt: it may have effects.
pub(crate) fn find(catalogue: &Catalogue, name: &str) -> Result<FoundTool, CallError> {
    let found = match catalogue.find(name) {
        Ok((_, tool)) if !is_prompt(&tool) => Err(CallError::NotFound(Vec::new())),
        found => found,
    };
    found.map_err(|error| match error {
        CallError::NotFound(_) => {
            let unknown = Diagnostic::new(Code::ToolNotFound, "there is no such prompt");
            CallError::NotFound(vec![unknown.with_subject(name)])
        }
        error => error,
    })
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
    let description = tool.description.map(|text| text.trim_end().to_owned());
    let prompt = Prompt::new(tool.name, description, arguments);
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

/// Answers `completion/complete` for our own prompts; only these have completions.
pub(crate) async fn complete(
    catalogue: Arc<Catalogue>,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let Reference::Prompt(prompt) = request.r#ref else {
        return Ok(CompleteResult::default());
    };
    let (_, tool) = call::find(catalogue, find, prompt.name).await?;
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
    let schema = tool.schema.at(std::iter::once(name));
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

/// Returns true if `uri` is the address of a tool's document.
pub(crate) fn is_document(uri: &str) -> bool {
    uri.starts_with(PREFIX)
}

/// Answers `resources/read` for our own resources.
pub(crate) async fn read_document(
    catalogue: Arc<Catalogue>,
    uri: String,
) -> Result<ReadResourceResult, ErrorData> {
    let Some(name) = uri.strip_prefix(PREFIX).map(str::to_owned) else {
        let message = format!("there is no such resource; those of tools begin with `{PREFIX}`");
        return Err(ErrorData::resource_not_found(message, None));
    };
    let found = call::find(catalogue, Catalogue::find, name).await;
    let (_, tool) = found.map_err(|error| match error.code {
        ErrorCode::INVALID_PARAMS => ErrorData::resource_not_found(error.message, None),
        _ => error,
    })?;
    let contents = ResourceContents::text(markdown(&tool), uri).with_mime_type(MIME_TYPE);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn markdown(tool: &Tool) -> String {
    let mut text = format!("# {}\n\n{}\n", tool.name(), tool.description.trim_end());
    let schema = Value::Object(tool.schema.json_schema().into_owned());
    let _ = write!(text, "\n## Parameters\n\n```json\n{schema:#}\n```\n");
    for (index, example) in tool.examples().enumerate() {
        let heading = if index == 0 { "\n## Examples\n" } else { "" };
        let example = Value::Object(example);
        let _ = write!(text, "{heading}\n```json\n{example:#}\n```\n");
    }
    text
}

/// The introduction of a server.
#[derive(Debug, Default)]
pub(crate) struct Introduction {
    /// Its name for people.
    pub(crate) title: Option<String>,
    /// Instructions for models.
    pub(crate) instructions: Option<String>,
}

impl Introduction {
    /// Returns the introduction of the server of `catalogue`.
    pub(crate) fn of(catalogue: &Catalogue) -> Self {
        let introduction = catalogue.with_io(|io| {
            let project = project::project(io);
            let config = project::valid_config(&project, io).ok()?;
            let cx = project::context(io, &project, config.env_priority, config.bounds());
            let configured = text(&config, "instructions", &cx);
            // A client waits for it: tools are read only if one of them may need an approval.
            let waiting = may_wait(&config, &cx)
                .then(|| waiting(&trustable_sources(&config, &cx), &cx))
                .flatten();
            let has_servers = catalogue.has_servers();
            let of_sources = has_servers.then(|| catalogue.instructions()).flatten();
            let parts = configured.into_iter().chain(waiting).chain(of_sources);
            let parts: Vec<String> = parts.collect();
            Some(Self {
                title: text(&config, "title", &cx),
                instructions: (!parts.is_empty()).then(|| parts.join("\n\n")),
            })
        });
        introduction.unwrap_or_default()
    }
}

/// Returns the text that the configuration has for `key`, if the user has written it or trusts the
/// project.
fn text(config: &Config, key: &str, cx: &Context) -> Option<String> {
    let (text, is_users) = config.mcp_text(key)?;
    let is_trusted = || {
        let verdict = cx.trust.project_verdict(&cx.root);
        verdict.is_ok_and(|verdict| verdict == Verdict::Approved)
    };
    (is_users || is_trusted()).then(|| text.trim().to_owned())
}

/// Returns the instructions of a server whose `sources` require approval, if some wait for it.
fn waiting(sources: &[TrustableSource], cx: &Context) -> Option<String> {
    let (mut tools, mut providers, mut is_project) = (0, 0, true);
    for source in sources.iter().filter(|source| source.runs_something()) {
        if source
            .own_verdict(cx)
            .is_ok_and(|it| it == Verdict::Approved)
        {
            continue;
        }
        match &source.kind {
            Kind::Project { tools: own } => tools += own.len(),
            Kind::Package { tools: own, .. } => (tools, is_project) = (tools + own.len(), false),
            Kind::Provider(_) | Kind::Specification(_) => {
                (providers, is_project) = (providers + 1, false);
            }
        }
    }
    let mut waiting = Vec::new();
    if tools > 0 {
        let do_it = if tools == 1 {
            "runs programs or makes requests"
        } else {
            "run programs or make requests"
        };
        let tools = pluralize(tools, "tool");
        waiting.push(format!(
            "{tools} of this project {do_it} that the user has not approved, so calls are denied."
        ));
    }
    if providers > 0 {
        let tools = pluralize(providers, "provider");
        waiting.push(format!(
            "{tools} of tools, which the user has not approved, cannot be listed."
        ));
    }
    if waiting.is_empty() {
        return None;
    }
    let command = if is_project {
        "cogtools trust ."
    } else {
        "cogtools trust"
    };
    waiting.push(format!(
        "Only the user can approve them, in a terminal, after a review: {command}"
    ));
    Some(waiting.join(" "))
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
