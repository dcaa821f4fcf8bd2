//! The response of a request, and recordings of both.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Response, Select, failed};
use crate::file::{self, WritePath};
use crate::http::{HttpKind, HttpReply};
use crate::json::{self, JsonError};
use crate::tool::Definition;
use crate::tool::call::{RunError, ToolOutput};
use crate::tool::template::TemplateScope;
use crate::{Code, Context, Diagnostic};

/// The largest recording, in bytes.
const MAX_TAPE_BYTES: u64 = 64 << 20;
/// The part of a response that a failure quotes, in bytes.
const MAX_QUOTED: usize = 1 << 10;
/// Pointers to the message in the response of a failure.
const MESSAGES: [&str; 6] = [
    "/message",
    "/error/message",
    "/error",
    "/detail",
    "/title",
    "/errors/0/message",
];

impl Response {
    /// Parses a body that is JSON: it is declared so, or looks like an object or an array.
    ///
    /// # Errors
    ///
    /// It is not JSON, but its type says so and a part of it is used, or a part of JSON is.
    pub(super) fn parse(&self, reply: &HttpReply, body: &str) -> Result<Option<Value>, RunError> {
        let (is_declared, looks_so) = (
            is_declared(reply),
            body.trim_start().starts_with(['{', '[']),
        );
        let is_pointer =
            matches!(&self.select, Some(Select::Pointer(pointer)) if !pointer.is_empty());
        let is_wanted = is_pointer || self.kind == Some(HttpKind::Json);
        if body.is_empty() || !(is_declared || looks_so || is_wanted) {
            return Ok(None);
        }
        let is_used = self.select.is_some() || self.template.is_some();
        match json::parse(body) {
            Ok(value) => Ok(Some(value)),
            Err(_) if is_wanted && !is_declared && !looks_so => {
                let kind = described(reply);
                Err(failed(format!("the response is not JSON: {kind}")))
            }
            Err(JsonError { error, bound }) if is_wanted || is_declared && is_used => {
                let why = bound.map_or_else(|| error.to_string(), |bound| bound.to_string());
                Err(failed(format!("the response is not valid JSON: {why}")))
            }
            Err(_) => Ok(None),
        }
    }

    /// Renders the result over the `variables` of a response.
    pub(super) fn render(
        &self,
        mut variables: Map<String, Value>,
        tool: &Definition,
        is_json_wanted: bool,
    ) -> Result<String, RunError> {
        let scope = TemplateScope::of(&tool.text);
        if let Some(select) = &self.select {
            let found = match select {
                Select::Pointer(pointer) => variables
                    .get("body")
                    .and_then(|body| body.pointer(pointer))
                    .cloned(),
                Select::Expression(expression) => expression.present(&scope, &variables)?,
            };
            let Some(found) = found else {
                let diagnostic = failed("the response has nothing at `select`".to_owned());
                return Err(Box::new(diagnostic.hint(
                    "write a pointer into the body, as in `/data/0`, or an expression, as in `body.data[0]`",
                )));
            };
            if self.template.is_none() {
                return Ok(match found {
                    Value::String(text) if !is_json_wanted => text,
                    value => value.to_string(),
                });
            }
            variables.insert("body".to_owned(), found);
        }
        match &self.template {
            Some(template) => template.render(&scope, variables),
            None => Ok(String::new()),
        }
    }
}

/// Returns true if the type of a body is JSON.
fn is_declared(reply: &HttpReply) -> bool {
    let kind = reply.media_type.as_str();
    kind.ends_with("/json") || kind.ends_with("+json")
}

pub(super) fn described(reply: &HttpReply) -> String {
    let kind = match reply.media_type.as_str() {
        "" => "unknown type",
        kind => kind,
    };
    format!("{kind}, {} bytes", reply.size)
}

pub(super) fn status_message(reply: &HttpReply, body: &str) -> String {
    let HttpReply { status, reason, .. } = reply;
    let mut message = format!("HTTP {status} {reason}").trim_end().to_owned();
    let parsed = json::parse(body).ok();
    let found = parsed.iter().flat_map(|value| {
        let values = MESSAGES
            .iter()
            .filter_map(|pointer| value.pointer(pointer)?.as_str());
        values.filter(|text| !text.trim().is_empty())
    });
    let text = match found.into_iter().next() {
        Some(text) => text,
        None if reply.is_text => &body[..body.floor_char_boundary(MAX_QUOTED)],
        None => "",
    };
    if !text.trim().is_empty() {
        message.push_str(": ");
        message.push_str(text.trim());
    }
    message
}

/// Makes the result of a picture, whose `data` is Base64: a block for clients of MCP.
pub(super) fn image(reply: &HttpReply, data: &str) -> Result<ToolOutput, RunError> {
    let kind = described(reply);
    if !reply.media_type.starts_with("image/") {
        return Err(failed(format!("the response is not a picture: {kind}")));
    }
    let block = serde_json::json!({
        "type": "image", "data": data, "mimeType": reply.media_type,
    });
    Ok(ToolOutput {
        content: vec![block],
        ..ToolOutput::new(format!("{kind}\n"))
    })
}

/// Reads the exchanges of a recording.
pub(super) fn read_tape(path: &Path, cx: &Context) -> Result<Vec<Value>, RunError> {
    let unusable = |why: String| failed(format!("the recording cannot be used: {why}"));
    // The recording of a node of a flow is in a folder of its own.
    let scope = WritePath::in_project(&cx.root, path).read_scope();
    let read = file::read(path, &scope, MAX_TAPE_BYTES);
    let (bytes, _) = read.map_err(|error| unusable(error.to_string()))?;
    if bytes.is_empty() {
        return Err(unrecorded());
    }
    serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))
}

/// The failure of a call that has no recorded response and may make no request.
pub(super) fn unrecorded() -> RunError {
    let message = "there is no recorded response, and a test makes no requests";
    Box::new(Diagnostic::new(Code::StaleRecording, message))
}

pub(super) fn write_tape(path: &Path, exchanges: &[Value], cx: &Context) -> Result<(), RunError> {
    // Values of JSON can always be serialized.
    let mut text = serde_json::to_string_pretty(exchanges).unwrap_or_default();
    text.push('\n');
    let target = WritePath::in_project(&cx.root, path);
    file::write(&target, text.as_bytes())
        .map_err(|error| failed(format!("the recording cannot be written: {error}")))
}
