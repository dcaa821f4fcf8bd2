//! The outcome of a call as a response of the protocol.
//!
//! A model sees the text of a result, but clients hide protocol errors from it. So
//! an error that the model can fix is a result with `isError`.

use std::sync::Arc;

use cogtools_core::hint::{Command, Hint};
use cogtools_core::{Diagnostic, Registry, Tool, ToolOutput};
use cogtools_program::{Format, Reporter, Severity, render_hint};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, MetaObject, PromptMessage, Role};
use serde::Deserialize as _;
use serde_json::Value;

use crate::catalogue::{CallError, Catalogue};
use crate::command::NAME;

/// Answers `tools/call`.
pub(crate) fn to_call(outcome: Result<ToolOutput, CallError>) -> Result<CallToolResult, ErrorData> {
    let error = |text: String| CallToolResult::error(vec![ContentBlock::text(text)]);
    match outcome {
        Ok(output) => Ok(result(output)),
        Err(CallError::Failed(diagnostics)) => Ok(error(render(&diagnostics))),
        Err(CallError::Cancelled) => Ok(error("the call was cancelled\n".to_owned())),
        Err(CallError::NotFound(diagnostics)) => Err(not_found(&diagnostics)),
    }
}

/// Answers `prompts/get`, whose results cannot be errors.
pub(crate) fn to_prompt(
    outcome: Result<ToolOutput, CallError>,
) -> Result<GetPromptResult, ErrorData> {
    match outcome {
        Ok(output) => {
            let message = PromptMessage::new_text(Role::User, output.text);
            Ok(GetPromptResult::new(vec![message]))
        }
        Err(CallError::Failed(diagnostics)) => {
            Err(ErrorData::invalid_params(render(&diagnostics), None))
        }
        Err(CallError::Cancelled) => Err(cancelled()),
        Err(CallError::NotFound(diagnostics)) => Err(not_found(&diagnostics)),
    }
}

/// Returns the result: the content blocks of an MCP server, or else the text, and the value
/// as structured content. Clients accept only objects there.
fn result(output: ToolOutput) -> CallToolResult {
    let content = if output.content.is_empty() {
        vec![ContentBlock::text(output.text)]
    } else {
        output.content.iter().map(block).collect()
    };
    let mut result = CallToolResult::success(content);
    if !output.meta.is_empty() {
        result.meta = Some(MetaObject(output.meta));
    }
    result.structured_content = output.value.filter(Value::is_object);
    result
}

/// Reads a content block; one of a type that the protocol does not have costs no other.
fn block(value: &Value) -> ContentBlock {
    ContentBlock::deserialize(value)
        .unwrap_or_else(|_| ContentBlock::text(ToolOutput::block_text(value)))
}

/// Runs `work`, which may read files or wait, in a thread of the pool.
pub(crate) async fn in_pool<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| ErrorData::internal_error("unexpected failure", None))
}

/// Finds the tool `name`, for a request that does not call it.
pub(crate) async fn find(
    catalogue: Arc<Catalogue>,
    name: String,
) -> Result<(Registry, Arc<Tool>), ErrorData> {
    let found = in_pool(move || catalogue.find(&name)).await?;
    found.map_err(|error| match error {
        CallError::NotFound(diagnostics) => not_found(&diagnostics),
        CallError::Failed(diagnostics) => internal_error(&diagnostics),
        CallError::Cancelled => cancelled(),
    })
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}

/// Returns the error of a request while the configuration is invalid.
pub(crate) fn internal_error(diagnostics: &[Diagnostic]) -> ErrorData {
    ErrorData::internal_error(render(diagnostics), None)
}

/// Returns the error for an unknown name, on one line.
fn not_found(diagnostics: &[Diagnostic]) -> ErrorData {
    let parts: Vec<String> = diagnostics
        .iter()
        .flat_map(|diagnostic| {
            let hints = diagnostic.hints.iter().filter(|hint| !lists_tools(hint));
            std::iter::once(diagnostic.summary())
                .chain(hints.map(|hint| render_hint(hint).into_owned()))
        })
        .collect();
    ErrorData::invalid_params(parts.join("; "), None)
}

/// Returns true if a hint is to list the tools: the protocol has a method for that.
const fn lists_tools(hint: &Hint) -> bool {
    matches!(
        hint,
        Hint::Run {
            command: Command::Discover,
            ..
        }
    )
}

/// Renders all diagnostics, as every program prints them.
fn render(diagnostics: &[Diagnostic]) -> String {
    let reporter = Reporter::new(NAME, Format::Human, false);
    diagnostics
        .iter()
        .map(|diagnostic| reporter.render(Severity::Error, diagnostic))
        .collect()
}

#[cfg(test)]
mod tests {
    use cogtools_core::Code;

    use super::*;

    #[test]
    fn hints_to_list_tools_are_left_out() {
        let diagnostic = Diagnostic::new(Code::ToolNotFound, "no such tool")
            .with_subject("tel")
            .hint("did you mean `tell`?")
            .hint("text may name cogtools-discover")
            .hint(Hint::run("approve it: ", Command::Trust("team".into()), ""))
            .hint(Hint::run(
                "",
                Command::Discover,
                " prints the tools there are",
            ));
        assert_eq!(
            not_found(&[diagnostic]).message,
            "tel: no such tool; did you mean `tell`?; text may name \
             cogtools-discover; approve it: cogtools trust team"
        );
    }
}
