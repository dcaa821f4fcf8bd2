//! A call of a tool that a provider has declared: the provider's program answers it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::remote::RemoteTool;
use super::start::ApprovedFiles;
use super::{Provider, ProviderError};
use crate::digest::{DigestError, Hash};
use crate::environment::Vars;
use crate::process::{Captured, Exit, Output};
use crate::resident::{SessionError, SessionWork, Sessions};
use crate::tool::{CommandCall, Foreign, Provided, RunError, ToolCall, ToolOutput, mcp_output};
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

    /// The error that the client has reported. Declarations that are out of date are discarded.
    fn client_error(&self, call: &ToolCall<'_>, diagnostic: Diagnostic) -> RunError {
        if matches!(diagnostic.code, Code::ToolNotFound | Code::Denied) {
            self.provider.forget(call.cx);
        }
        call.failed(self.provider.explain_denial(diagnostic, call.cx))
    }

    /// The result of the call in a session that stays open.
    fn request(
        &self,
        mut call: ToolCall<'_>,
        sessions: &dyn Sessions,
        start: (&ApprovedFiles, &Vars),
    ) -> Result<ToolOutput, RunError> {
        let work = SessionWork::Call {
            tool: self.tool.remote_name.clone(),
            arguments: std::mem::take(&mut call.arguments),
            expected: digest::value(&self.tool.declared).to_string(),
        };
        let timeout = self.provider.settings().call_timeout();
        let provider = &self.provider;
        let exit = match provider.request(sessions, &work, timeout, start, call.cx) {
            Ok(Value::Object(result)) => return Ok(mcp_output(result)),
            Ok(other) => {
                let message = format!("the MCP client returned an invalid result: {other}");
                return Err(call.failure(message));
            }
            Err(SessionError::Failed(diagnostic)) => {
                return Err(self.client_error(&call, *diagnostic));
            }
            Err(SessionError::TimedOut) => Exit::TimedOut,
            Err(SessionError::Cancelled) => Exit::Cancelled,
        };
        Err(CommandCall::new(&call).failed(&Output {
            exit,
            stdout: Captured::default(),
            stderr: Captured::default(),
            left_children: false,
        }))
    }
}

impl Foreign for RemoteCall {
    fn call(&self, mut call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let (provider, cx) = (&self.provider, call.cx);
        let changes = &self.tool.changes.arguments;
        changes.add_to(&mut call.arguments).map_err(|name| {
            let message = format!("/{name}: not a parameter of this tool");
            let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
            call.failed(diagnostic.hint("leave it out: the configuration sets or hides it"))
        })?;
        let failed = |error: ProviderError| call.failed(error.diagnostic());
        // Its files may have changed since its tools were listed.
        let approved = provider.approved(cx).map_err(failed)?;
        let variables = provider.variables(cx).map_err(failed)?;
        if let Some(sessions) = provider.sessions(cx) {
            return self.request(call, &**sessions, (&approved, &variables));
        }
        let line = &provider.settings().call;
        let process = provider
            .process((line, &self.arguments()), &approved, variables, cx)
            .map_err(failed)?;
        let program = PathBuf::from(line.first().map_or("", String::as_str));
        let mut command = CommandCall::new(&call);
        if provider.settings().server.is_none() {
            return command.end(process, program);
        }
        let output = command.output(process.stdout_limit(MAX_MCP_RESULT), program)?;
        if output.exit.is_success() {
            let result = serde_json::from_slice(&output.stdout.bytes);
            return result.map(mcp_output).map_err(|error| {
                call.failure(format!("the MCP client printed an invalid result: {error}"))
            });
        }
        Err(match Diagnostic::from_json(&output.stderr.bytes) {
            Some(diagnostic) => self.client_error(&call, diagnostic),
            None => command.failed(&output),
        })
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn provided(&self) -> Option<&dyn Provided> {
        Some(self)
    }
}

impl Provided for RemoteCall {
    fn lines(&self) -> Vec<Vec<String>> {
        let described = self.provider.settings().describe();
        let line = |(label, words): (&str, &[String])| {
            let label = std::iter::once(label.to_owned());
            label.chain(words.iter().cloned()).collect()
        };
        let sandbox = self.provider.settings().sandbox_digest.iter();
        let sandbox = sandbox.map(|digest| vec![digest.clone()]);
        described.into_iter().map(line).chain(sandbox).collect()
    }

    fn declaration(&self) -> &Value {
        &self.tool.value
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

    fn grant(&self, cx: &Context) -> Grant {
        self.provider.grant(&self.tool, cx)
    }
}
