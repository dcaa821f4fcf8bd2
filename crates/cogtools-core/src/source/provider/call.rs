//! A call of a tool that a provider has declared: the provider's program answers it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::remote::RemoteTool;
use super::{Provider, ProviderError};
use crate::process::{Output, Process};
use crate::tool::{CommandCall, Handler, Remote, RunError, Tool, ToolOutput, cut_notice};
use crate::trust::Grant;
use crate::{Code, Context, Diagnostic, digest};

/// The maximum size of an MCP result as JSON, with all its content blocks; the
/// transport's own messages are limited below this.
const MAX_MCP_RESULT: usize = 32 << 20;

/// The provider's side of a tool that it has declared.
#[derive(Debug)]
pub(super) struct RemoteCall {
    provider: Provider,
    tool: RemoteTool,
}

/// The output of the MCP client is not a result.
#[derive(Debug, thiserror::Error)]
#[error("the MCP client printed an invalid result: {0}")]
struct InvalidResult(serde_json::Error);

impl RemoteCall {
    pub(super) const fn new(provider: Provider, tool: RemoteTool) -> Self {
        Self { provider, tool }
    }

    /// What follows the command line in the call.
    fn arguments(&self) -> Vec<String> {
        let settings = self.provider.settings();
        let mut line = Vec::new();
        if settings.server.is_some() {
            // The server may declare the tool differently by now.
            line.push("--expect".to_owned());
            line.push(digest::value(self.tool.value()).to_string());
            line.push("--".to_owned());
        }
        line.push(self.tool.remote_name().to_owned());
        line
    }

    /// The result of a run of cogtools's own MCP client.
    fn client_output(
        &self,
        call: &CommandCall<'_>,
        output: &Output,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        if output.exit.is_success() {
            return mcp_output(output).map_err(|error| {
                let diagnostic = Diagnostic::new(Code::ToolFailed, error.to_string());
                Box::new(diagnostic.with_subject(call.name()))
            });
        }
        let Some(diagnostic) = Diagnostic::from_json(&output.stderr.bytes) else {
            return Err(call.failed(output));
        };
        if matches!(diagnostic.code, Code::ToolNotFound | Code::Denied) {
            self.provider.forget(cx);
        }
        Err(Box::new(diagnostic.with_subject(call.name())))
    }
}

impl Handler for RemoteCall {
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let diagnostic =
            |error: ProviderError| Box::new(error.diagnostic().with_subject(tool.name().as_str()));
        // Its files may have changed since its tools were listed.
        let approved = self.provider.check_approval(cx).map_err(diagnostic)?;
        let mut call = CommandCall::new(tool, &arguments, cx);
        let variables = self.provider.variables(cx).map_err(diagnostic)?;
        let line = &self.provider.settings().call;
        let process = self
            .provider
            .process((line, &self.arguments()), &approved, variables, cx)
            .map_err(diagnostic)?;
        let program = PathBuf::from(line.first().map_or("", String::as_str));
        if self.provider.settings().server.is_none() {
            return call.end(process, program);
        }
        let output = call.output(process.stdout_limit(MAX_MCP_RESULT), program)?;
        self.client_output(&call, &output, cx)
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn remote(&self) -> Option<Remote> {
        let described = self.provider.settings().describe();
        let line = |(label, words): (&str, &[String])| {
            let label = std::iter::once(label.to_owned());
            label.chain(words.iter().cloned()).collect()
        };
        let sandbox = self.provider.settings().sandbox_digest.iter();
        let sandbox = sandbox.map(|digest| vec![digest.clone()]);
        Some(Remote {
            lines: described.into_iter().map(line).chain(sandbox).collect(),
            declaration: self.tool.value().clone(),
        })
    }

    fn grant(&self, cx: &Context) -> Option<Grant> {
        Some(self.provider.grant(&self.tool, cx))
    }
}

/// The output of an MCP server. A text that is too long is truncated, and returned
/// without the other content.
fn mcp_output(output: &Output) -> Result<ToolOutput, InvalidResult> {
    let result = serde_json::from_slice(&output.stdout.bytes).map_err(InvalidResult)?;
    let mut tool_output = ToolOutput::from_mcp(result);
    let text = &mut tool_output.text;
    if text.len() > Process::STDOUT_LIMIT {
        let end = text.floor_char_boundary(Process::STDOUT_LIMIT);
        let truncated_bytes = (text.len() - end) as u64;
        text.truncate(end);
        text.push_str(&cut_notice(truncated_bytes));
        tool_output.truncated_bytes = truncated_bytes;
        tool_output.content.clear();
    }
    Ok(tool_output)
}
