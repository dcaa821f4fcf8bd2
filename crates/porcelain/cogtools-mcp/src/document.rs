//! The documentation of tools as resources: what a tool does, its parameters and its examples,
//! as Markdown that people and models read on request.

use std::fmt::Write as _;
use std::sync::Arc;

use cogtools_core::Tool;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::Value;

use crate::answer;
use crate::catalogue::Catalogue;
use crate::published_tool::PublishedTool;

/// The beginning of the address of a tool's document.
const PREFIX: &str = "cogtools://tools/";
const MIME_TYPE: &str = "text/markdown";

/// The resource for a tool.
pub(crate) fn resource(tool: &PublishedTool) -> Option<Resource> {
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

/// The response to `resources/read`.
pub(crate) async fn read(
    catalogue: Arc<Catalogue>,
    uri: String,
) -> Result<ReadResourceResult, ErrorData> {
    let Some(name) = uri.strip_prefix(PREFIX).map(str::to_owned) else {
        let message = format!("there is no such resource; those of tools begin with `{PREFIX}`");
        return Err(ErrorData::resource_not_found(message, None));
    };
    let tool = tokio::task::spawn_blocking(move || catalogue.find(&name)).await;
    let tool = tool.map_err(|_| ErrorData::internal_error("unexpected failure", None))?;
    let (_, tool) = tool.map_err(|error| answer::lookup_error(&error))?;
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
