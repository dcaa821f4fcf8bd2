//! `implementation: {js: |…}`: JavaScript over the arguments, in a confined process.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::javascript::{Evaluation, Script, ScriptError, ScriptErrorKind};
use crate::text::Text;
use crate::tool::call::{RunError, ToolOutput};
use crate::tool::embedded::Embedded;
use crate::tool::reader::Reader;
use crate::tool::{Definition, DefinitionError};
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic, Expected, Location};

/// The maximum size of the code: 64 KiB.
const MAX_CODE_BYTES: usize = 64 << 10;
/// The limit of its time, whatever the tool's `timeout` is: it runs without an approval.
const MAX_TIMEOUT: Duration = Definition::TIMEOUT;

/// The code.
#[derive(Debug)]
pub(crate) struct Js(pub(in crate::tool) Embedded);

impl Js {
    /// Reads the code; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let code = Embedded::read(&entry.value);
        let code = reader.expect(entry, Expected::JavaScript, code)?;
        let error = match code.source() {
            blank if blank.trim().is_empty() => DefinitionError::Empty("js"),
            long if long.len() > MAX_CODE_BYTES => DefinitionError::LongCode(MAX_CODE_BYTES >> 10),
            _ => return Some(Self(code)),
        };
        reader.report(&error, entry.span);
        None
    }

    /// Runs a call: a string is text, anything else is compact JSON.
    pub(super) fn call(
        &self,
        tool: &Definition,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let evaluation = self.evaluate(tool, arguments, cx)?;
        Ok(ToolOutput {
            text: match evaluation.value {
                Value::String(text) => text,
                _ => evaluation.json,
            },
            stderr: evaluation.logs.join("\n"),
            ..ToolOutput::default()
        })
    }

    /// Evaluates the code over `arguments`.
    pub(super) fn evaluate(
        &self,
        tool: &Definition,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<Evaluation, RunError> {
        let script = Script {
            code: self.0.source().to_owned(),
            args: Value::Object(arguments).to_string(),
            timeout: tool.timeout.min(MAX_TIMEOUT),
            now: None,
            is_tool: true,
        };
        let result = script.run(cx.programs.as_deref(), &cx.cancel);
        result.map_err(|error| self.diagnostic(error, tool))
    }

    /// Fails unless the program that evaluates is installed.
    pub(super) fn check_program(&self, tool: &Definition, cx: &Context) -> Result<(), RunError> {
        match Script::file(cx.programs.as_deref()) {
            Some(_) => Ok(()),
            None => Err(self.diagnostic(ScriptErrorKind::NotInstalled.into(), tool)),
        }
    }

    /// Makes the diagnostic for a call of `tool` that failed, with its log.
    fn diagnostic(&self, error: ScriptError, tool: &Definition) -> RunError {
        let ScriptError {
            kind,
            position,
            logs,
        } = error;
        let (code, message) = match &kind {
            ScriptErrorKind::Syntax(_) | ScriptErrorKind::NotInstalled => {
                (Code::InvalidTool, kind.to_string())
            }
            ScriptErrorKind::Confine(_) | ScriptErrorKind::Start(_) => {
                (Code::IoFailed, kind.to_string())
            }
            ScriptErrorKind::Timeout(timeout) => {
                let message = format!("the tool timed out after {} s", timeout.as_secs_f64());
                (Code::Timeout, message)
            }
            _ => (Code::ToolFailed, kind.to_string()),
        };
        let mut diagnostic = Diagnostic::new(code, message)
            .with_subject(tool.name.as_str())
            .with_details(logs.join("\n"));
        diagnostic.hints.extend(match kind {
            ScriptErrorKind::Timeout(timeout) if timeout < MAX_TIMEOUT => {
                Some("send less, or give the tool more time with `timeout`".into())
            }
            ScriptErrorKind::Timeout(_) => Some("send less".into()),
            kind => kind.hint(),
        });
        diagnostic.location = position.map(|at| self.0.location(at, 1, &tool.text));
        Box::new(diagnostic)
    }
}

/// The code of a tool in JavaScript and its file, for linters.
#[derive(Clone, Debug)]
pub struct JsSource {
    code: Embedded,
    text: Text,
}

impl JsSource {
    /// Returns the `code` in the tool file `text`.
    pub(in crate::tool) fn new(code: &Embedded, text: &Text) -> Self {
        Self {
            code: code.clone(),
            text: text.clone(),
        }
    }

    /// The code.
    pub fn source(&self) -> &str {
        self.code.source()
    }

    /// Returns the location in the file of `width` characters at a line and a column of the code
    /// (both from 1).
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.code.location((line, column), width, &self.text)
    }
}
