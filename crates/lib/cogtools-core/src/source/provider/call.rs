//! A call of a tool that a provider has declared: the provider's program answers it.
//!
//! The result of an MCP tool has content blocks of several types, and a text that represents all
//! of them where a result is text.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::remote::RemoteTool;
use super::start::ApprovedFiles;
use super::{Provider, ProviderError};
use crate::environment::Vars;
use crate::process::{Captured, Exit, Output, Process};
use crate::resident::{SessionError, SessionWork, Sessions};
use crate::tool::{
    CommandCall, Definition, Foreign, Remote, RunError, Tool, ToolOutput, cut_notice,
};
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
            tool: self.tool.remote_name().to_owned(),
            arguments,
            expected: digest::value(self.tool.value()).to_string(),
        };
        let timeout = self.provider.settings().timeout_or(Tool::TIMEOUT);
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
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
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
            declaration: self.tool.value().clone(),
        })
    }

    fn grant(&self, cx: &Context) -> Option<Grant> {
        Some(self.provider.grant(&self.tool, cx))
    }
}

/// The output of an MCP server. A text that is too long is truncated, and returned
/// without the other content.
fn mcp_output(result: Map<String, Value>) -> ToolOutput {
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
    tool_output
}

type Object = Map<String, Value>;

/// The names in `_meta` that are the protocol's.
const RESERVED: &str = "io.modelcontextprotocol/";

impl ToolOutput {
    /// Converts the result of a `tools/call`, as MCP defines it.
    pub fn from_mcp(mut result: Object) -> Self {
        let text = text(&result);
        let value = result.remove("structuredContent");
        let blocks = match result.remove("content") {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        let mut meta = match result.remove("_meta") {
            Some(Value::Object(meta)) => meta,
            _ => Object::new(),
        };
        // That is what one side of a connection says to the other.
        meta.retain(|key, _| !key.starts_with(RESERVED));
        Self {
            text,
            value,
            content: blocks,
            meta,
            ..Self::default()
        }
    }

    /// The text that represents a content block.
    pub fn block_text(block: &Value) -> String {
        let object = block.as_object();
        object.map(|block| block_text(block).0).unwrap_or_default()
    }
}

/// The blocks, separated by blank lines. Each block that is not text becomes a one-line
/// notice.
fn text(result: &Object) -> String {
    let content = result.get("content").and_then(Value::as_array);
    let blocks = content.into_iter().flatten().filter_map(Value::as_object);
    let (mut texts, mut has_text) = (Vec::new(), false);
    for block in blocks {
        let (text, is_text) = block_text(block);
        has_text |= is_text;
        texts.push(text);
    }
    if !has_text && let Some(value) = result.get("structuredContent") {
        texts.push(value.to_string());
    }
    texts.join("\n\n")
}

/// The text of a block, and whether it is the block's own text.
fn block_text(block: &Object) -> (String, bool) {
    let kind = str_field(block, "type");
    match kind {
        "text" => (str_field(block, "text").to_owned(), true),
        "image" | "audio" => (notice(kind, "", block, str_field(block, "data")), false),
        "resource_link" => {
            let (name, uri) = (str_field(block, "name"), str_field(block, "uri"));
            (format!("{name}: {uri}"), true)
        }
        "resource" => {
            let empty = Object::new();
            let resource = block
                .get("resource")
                .and_then(Value::as_object)
                .unwrap_or(&empty);
            if let Some(text) = resource.get("text").and_then(Value::as_str) {
                return (text.to_owned(), true);
            }
            let (uri, blob) = (str_field(resource, "uri"), str_field(resource, "blob"));
            (notice("resource", uri, resource, blob), false)
        }
        other => (format!("[content of type `{other}`, omitted]"), false),
    }
}

/// A one-line notice in place of Base64 data.
fn notice(kind: &str, uri: &str, block: &Object, data: &str) -> String {
    let mime = match str_field(block, "mimeType") {
        "" => "of an unknown type",
        mime => mime,
    };
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (data.len() * 3 / 4).saturating_sub(padding);
    let space = if uri.is_empty() { "" } else { " " };
    format!("[{kind}{space}{uri}: {mime}, {bytes} bytes, omitted: results are text only]")
}

fn str_field<'o>(object: &'o Object, key: &str) -> &'o str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(result: Value, expected: &str) {
        let result = result.as_object().expect("an object");
        assert_eq!(ToolOutput::from_mcp(result.clone()).text, expected);
    }

    #[test]
    fn parts_become_text() {
        check(
            json!({"content": [{"type": "text", "text": " a\n"}]}),
            " a\n",
        );
        check(
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "structuredContent": {}}),
            "a\n\nb",
        );
        check(
            json!({"content": [{"type": "image", "data": "AAEC", "mimeType": "image/png"}]}),
            "[image: image/png, 3 bytes, omitted: results are text only]",
        );
        check(
            json!({"content": [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]}),
            "[audio: audio/wav, 1 bytes, omitted: results are text only]",
        );
        check(
            json!({"content": [{"type": "resource_link", "name": "n", "uri": "file:///a"}]}),
            "n: file:///a",
        );
        check(
            json!({"content": [{"type": "resource", "resource": {"uri": "u:a", "text": "t"}}]}),
            "t",
        );
        check(
            json!({"content": [{"type": "resource", "resource": {"uri": "u:a", "blob": "AAE="}}]}),
            "[resource u:a: of an unknown type, 2 bytes, omitted: results are text only]",
        );
        check(
            json!({"content": [{"type": "video"}]}),
            "[content of type `video`, omitted]",
        );
        check(
            json!({"content": [], "structuredContent": {"b": 1, "a": 2}}),
            r#"{"b":1,"a":2}"#,
        );
        check(json!({}), "");
    }

    #[test]
    fn parts_stay_as_they_are_beside_the_text() {
        let image = json!({"type": "image", "data": "AAEC", "mimeType": "image/png"});
        let meta = json!({"a/b": [null], "io.modelcontextprotocol/serverInfo": {"name": "s"}});
        let result = json!({
            "content": [image], "structuredContent": {"a": 1}, "isError": false, "_meta": meta,
        });
        let answer = ToolOutput::from_mcp(result.as_object().expect("an object").clone());
        assert_eq!(
            answer,
            ToolOutput {
                text: "[image: image/png, 3 bytes, omitted: results are text only]\n\n{\"a\":1}"
                    .to_owned(),
                value: Some(json!({"a": 1})),
                content: vec![image],
                meta: Map::from_iter([("a/b".to_owned(), json!([null]))]),
                ..ToolOutput::default()
            }
        );
    }
}
