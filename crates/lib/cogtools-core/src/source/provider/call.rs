//! A call of a tool that a provider has declared: the provider's program answers it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::remote::RemoteTool;
use super::start::ApprovedFiles;
use super::{Provider, ProviderError};
use crate::digest::{DigestError, Hash};
use crate::environment::Vars;
use crate::process::{Captured, Exit, Output};
use crate::resident::{SessionError, SessionWork, Sessions};
use crate::tool::{CommandCall, Definition, Foreign, Remote, RunError, ToolOutput, mcp_output};
use crate::trust::Grant;
use crate::{Code, Context, Diagnostic, digest};

/// The maximum size of an MCP result as JSON, with all its content blocks; the
/// transport's own messages are limited below this.
const MAX_MCP_RESULT: usize = 32 << 20;

/// The provider's side of a tool that it has declared.
#[derive(Debug)]
pub(super) struct RemoteCall {
    pub(super) provider: Provider,
    pub(super) tool: RemoteTool,
}

/// The output of the MCP client is not a result.
#[derive(Debug, thiserror::Error)]
#[error("the MCP client printed an invalid result: {0}")]
struct InvalidResult(serde_json::Error);

impl RemoteCall {
    /// Returns what follows the command line in the call.
    fn arguments(&self) -> Vec<String> {
        let settings = self.provider.settings();
        let mut line = Vec::new();
        if settings.server.is_some() {
            // The server may declare the tool differently by now.
            line.push("--expect".to_owned());
            line.push(digest::value(&self.tool.declared).to_string());
            line.push("--".to_owned());
        }
        line.push(self.tool.remote_name.clone());
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
            let result = serde_json::from_slice(&output.stdout.bytes);
            return result.map(mcp_output).map_err(|error| {
                let message = InvalidResult(error).to_string();
                let diagnostic = Diagnostic::new(Code::ToolFailed, message);
                Box::new(diagnostic.with_subject(call.name()))
            });
        }
        match Diagnostic::from_json(&output.stderr.bytes) {
            Some(diagnostic) => Err(self.client_error(call, diagnostic, cx)),
            None => Err(call.failed(output)),
        }
    }

    /// The error that the client has reported. Declarations that are out of date are discarded.
    fn client_error(
        &self,
        call: &CommandCall<'_>,
        diagnostic: Diagnostic,
        cx: &Context,
    ) -> RunError {
        if matches!(diagnostic.code, Code::ToolNotFound | Code::Denied) {
            self.provider.forget(cx);
        }
        let diagnostic = self.provider.explain_denial(diagnostic, cx);
        Box::new(diagnostic.with_subject(call.name()))
    }

    /// The result of the call in a session that stays open.
    fn request(
        &self,
        call: &CommandCall<'_>,
        arguments: Map<String, Value>,
        sessions: &dyn Sessions,
        start: (&ApprovedFiles, &Vars),
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let work = SessionWork::Call {
            tool: self.tool.remote_name.clone(),
            arguments,
            expected: digest::value(&self.tool.declared).to_string(),
        };
        let timeout = self.provider.settings().call_timeout();
        let result = self.provider.request(sessions, &work, timeout, start, cx);
        let exit = match result {
            Ok(Value::Object(result)) => return Ok(mcp_output(result)),
            Ok(other) => {
                let message = format!("the MCP client returned an invalid result: {other}");
                let diagnostic = Diagnostic::new(Code::ToolFailed, message);
                return Err(Box::new(diagnostic.with_subject(call.name())));
            }
            Err(SessionError::Failed(diagnostic)) => {
                return Err(self.client_error(call, *diagnostic, cx));
            }
            Err(SessionError::TimedOut) => Exit::TimedOut,
            Err(SessionError::Cancelled) => Exit::Cancelled,
        };
        Err(call.failed(&Output {
            exit,
            stdout: Captured::default(),
            stderr: Captured::default(),
            left_children: false,
        }))
    }
}

impl Foreign for RemoteCall {
    fn call(
        &self,
        tool: &Definition,
        mut arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let changes = &self.tool.changes.arguments;
        changes.add_to(&mut arguments).map_err(|name| {
            let message = format!("/{name}: not a parameter of this tool");
            let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
            let diagnostic = diagnostic.with_subject(tool.name.as_str());
            Box::new(diagnostic.hint("leave it out: the configuration sets or hides it"))
        })?;
        let diagnostic =
            |error: ProviderError| Box::new(error.diagnostic().with_subject(tool.name.as_str()));
        // Its files may have changed since its tools were listed.
        let approved = self.provider.approved(cx).map_err(diagnostic)?;
        if let Some(sessions) = self.provider.sessions(cx) {
            let variables = self.provider.variables(cx).map_err(diagnostic)?;
            let call = CommandCall::new(tool, &Map::new(), cx);
            return self.request(&call, arguments, &**sessions, (&approved, &variables), cx);
        }
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
            declaration: Value::clone(&self.tool.value),
        })
    }

    fn data(&self, cx: &Context) -> BTreeSet<PathBuf> {
        self.provider.data(cx)
    }

    fn plugin(&self, cx: &Context) -> Option<Result<Hash, DigestError>> {
        self.provider.settings().plugin.as_ref()?;
        Some(self.provider.mirror(cx).digest())
    }

    fn is_pinned(&self) -> bool {
        self.tool.changes.pin == Some(true)
    }

    fn asks(&self) -> bool {
        let changes = &self.tool.changes;
        changes
            .ask
            .unwrap_or(self.provider.settings().changes.asks())
    }

    fn grant(&self, cx: &Context) -> Option<Grant> {
        Some(self.provider.grant(&self.tool, cx))
    }
}
