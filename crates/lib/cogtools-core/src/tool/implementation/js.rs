//! `implementation: {js: |…}`: JavaScript over the arguments, in a confined process.
//!
//! The code reaches nothing but `args`, so it needs no approval, like a template.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Kind;
use crate::javascript::{Evaluation, Script, ScriptError, ScriptErrorKind};
use crate::text::Text;
use crate::tool::embedded::Embedded;
use crate::tool::handler::{Handler, RunError};
use crate::tool::reader::Reader;
use crate::tool::{DefinitionError, JsSource, Tool, ToolOutput};
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic, Expected};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("js"),
    read,
};

/// How many bytes the code has at most: 64 KiB.
const MAX_CODE_BYTES: usize = 64 << 10;
/// How long it may run, whatever the tool's `timeout` is: it runs without an approval.
const MAX_TIMEOUT: Duration = Tool::TIMEOUT;

#[derive(Debug)]
struct Js(Embedded);

pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let node = &entry.value;
    match Embedded::read(node) {
        Some(code) if code.source().trim().is_empty() => {
            reader.report(&DefinitionError::Empty("js"), entry.span);
            None
        }
        Some(code) if code.source().len() > MAX_CODE_BYTES => {
            let error = DefinitionError::LongCode(MAX_CODE_BYTES >> 10);
            reader.report(&error, entry.span);
            None
        }
        Some(code) => Some(Arc::new(Js(code))),
        None => {
            reader.report_kind(&entry.key, Expected::JavaScript, node);
            None
        }
    }
}

impl Handler for Js {
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        self.evaluate(tool, arguments, cx).map(output)
    }

    fn value(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<Value, RunError> {
        let evaluation = self.evaluate(tool, arguments, cx);
        evaluation.map(|evaluation| evaluation.value)
    }

    fn runs_programs(&self) -> bool {
        false
    }

    fn starts_process(&self) -> bool {
        true
    }

    fn check_program(&self, tool: &Tool, cx: &Context) -> Result<(), RunError> {
        match Script::file(cx.programs.as_deref()) {
            Some(_) => Ok(()),
            None => Err(self.diagnostic(ScriptErrorKind::NotInstalled.into(), tool)),
        }
    }

    fn js(&self, text: &Text) -> Option<JsSource> {
        Some(JsSource::new(&self.0, text))
    }
}

impl Js {
    fn evaluate(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<Evaluation, RunError> {
        let script = Script {
            code: self.0.source().to_owned(),
            args: Value::Object(arguments).to_string(),
            timeout: tool.timeout().min(MAX_TIMEOUT),
            now: None,
        };
        let result = script.run(cx.programs.as_deref(), &cx.cancel);
        result.map_err(|error| self.diagnostic(error, tool))
    }

    /// The diagnostic for a call of `tool` that failed, with what it had logged.
    fn diagnostic(&self, error: ScriptError, tool: &Tool) -> RunError {
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
            .with_subject(tool.name().as_str())
            .with_details(logs.join("\n"));
        diagnostic.hints.extend(match kind {
            ScriptErrorKind::Timeout(timeout) if timeout < MAX_TIMEOUT => {
                Some("send less, or give the tool more time with `timeout`".into())
            }
            ScriptErrorKind::Timeout(_) => Some("send less".into()),
            kind => kind.hint(),
        });
        diagnostic.location = position.map(|at| self.0.location(at, 1, tool.text()));
        Box::new(diagnostic)
    }
}

/// The result of a call: a string is text, anything else is compact JSON.
fn output(evaluation: Evaluation) -> ToolOutput {
    let Evaluation {
        value, json, logs, ..
    } = evaluation;
    ToolOutput {
        text: match value {
            Value::String(text) => text,
            _ => json,
        },
        stderr: logs.join("\n"),
        ..ToolOutput::default()
    }
}
