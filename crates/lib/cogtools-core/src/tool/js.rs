//! `implementation: {js: |…}`: JavaScript over the arguments, in a confined process.
//!
//! Code with `tools` is run by a separate program, which calls them for it, so that no program that
//! runs for each call grows.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::javascript::{Evaluation, Script, ScriptError, ScriptErrorKind};
use crate::text::Text;
use crate::tool::agent::{OwnProgram, tool_failure};
use crate::tool::call::{RunError, ToolCall, ToolOutput};
use crate::tool::command::CommandError;
use crate::tool::embedded::Embedded;
use crate::tool::reader::Reader;
use crate::tool::template::printed;
use crate::tool::{Definition, DefinitionError};
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic, Expected, Location, json, pointer};

/// The maximum size of the code: 64 KiB.
const MAX_CODE_BYTES: usize = 64 << 10;
/// The limit of its time, whatever the tool's `timeout` is: it runs without an approval.
const MAX_TIMEOUT: Duration = Definition::TIMEOUT;

/// The maximum size of code that calls tools, in UTF-16 units.
const MAX_PROGRAM_UNITS: usize = 32 << 10;
/// The subcommand that runs such code, and its options.
const ARGS: [&str; 3] = ["code", "call", "--error-format=json"];
/// The longest report of a run, in bytes: a result and logs, with all escapes.
const MAX_REPORT: usize = 16 << 20;

/// The code.
#[derive(Clone, Debug)]
pub(crate) struct Js {
    pub(in crate::tool) code: Embedded,
    /// The names, patterns and toolsets of the tools that it calls.
    pub(in crate::tool) tools: Vec<String>,
}

/// A run of code that calls tools, as the program that runs it gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeTask {
    /// The tool with the code, which cannot call itself.
    pub tool: String,
    /// The body of an async function.
    pub code: String,
    /// The value of `args`.
    pub args: Map<String, Value>,
    /// The names, patterns and toolsets of the tools that it calls.
    pub tools: Vec<String>,
    /// The time that it may take.
    pub timeout: Duration,
    /// Answers of tools that it calls without calling them, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub presets: Map<String, Value>,
    /// Patterns of tools that it may not call, beside the rules of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// The end of a run of code that calls tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeReport {
    /// The value that it returned; `None` if it failed.
    pub value: Option<Value>,
    /// The lines that it printed.
    pub logs: Vec<String>,
    /// The reason why it failed, as JSON.
    pub error: Option<Value>,
    /// The line and the column of the code where it failed, both from 1.
    pub position: Option<(usize, usize)>,
}

impl CodeTask {
    /// The code of a failure of the tool or node, whose code has failed with `code`.
    pub const fn failure(code: Code) -> Code {
        match code {
            Code::JsTimeout => Code::Timeout,
            Code::JsSyntax | Code::CodeTypes => Code::InvalidTool,
            Code::IoFailed | Code::StaleRecording => code,
            _ => Code::ToolFailed,
        }
    }
}

impl Js {
    /// Reads the code, and the entry `tools` beside it; errors go to the reader.
    pub(super) fn read(
        entry: &Entry,
        tools: Option<&Entry>,
        reader: &mut Reader<'_>,
    ) -> Option<Self> {
        let tools = tools.map_or_else(Vec::new, |tools| {
            let names = reader.names(tools);
            if names.is_empty() && tools.value.items().is_some_and(<[_]>::is_empty) {
                reader.report(DefinitionError::Empty("tools"), tools.span);
            }
            names
        });
        let code = Embedded::read(&entry.value);
        let code = reader.expect(entry, Expected::JavaScript, code)?;
        let is_program = !tools.is_empty();
        let error = match code.source() {
            blank if blank.trim().is_empty() => DefinitionError::Empty("js"),
            long if is_program && long.encode_utf16().count() > MAX_PROGRAM_UNITS => {
                DefinitionError::LongCode(MAX_PROGRAM_UNITS >> 10)
            }
            long if long.len() > MAX_CODE_BYTES => DefinitionError::LongCode(MAX_CODE_BYTES >> 10),
            _ => return Some(Self { code, tools }),
        };
        reader.report(error, entry.span);
        None
    }

    /// Returns it with other code, at the same place.
    pub(super) fn with_source(&self, code: String) -> Self {
        Self {
            code: self.code.with_source(code),
            ..self.clone()
        }
    }

    /// Returns it with the tool file `text` that it is in.
    pub(super) fn source_in(&self, text: &Text) -> JsSource {
        JsSource {
            js: self.clone(),
            text: text.clone(),
        }
    }

    /// Returns true if it calls tools, so that its result depends on more than its arguments.
    pub(super) fn calls_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Makes the task of a run for `call`.
    pub(super) fn task(&self, call: ToolCall<'_>) -> CodeTask {
        let context = &call.cx.call;
        let rules = context.rules.as_ref();
        CodeTask {
            tool: call.name().to_owned(),
            code: self.code.source().to_owned(),
            tools: self.tools.clone(),
            timeout: call.tool.timeout,
            presets: Map::clone(&context.presets),
            deny: rules.map_or_else(Vec::new, |it| it.deny.clone()),
            args: call.arguments,
        }
    }

    /// Runs code that calls tools.
    fn run(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let (tool, cx) = (call.tool, call.cx);
        let (name, task) = (tool.name.as_str(), self.task(call));
        let program = OwnProgram::with_agents(&ARGS, &task, task.timeout, MAX_REPORT);
        let output = program.run(name, cx);
        let output = output.map_err(|failure| tool_failure(failure, cx))?;
        let report = json::read_own::<CodeReport>(&output);
        let report = report.map_err(|_| CommandError::Report.diagnostic(name))?;
        let logs = report.logs.join("\n");
        let Some(error) = report.error else {
            return Ok(ToolOutput {
                text: printed(&report.value.unwrap_or_default()),
                stderr: logs,
                ..ToolOutput::default()
            });
        };
        let error = Diagnostic::from_json(error.to_string().as_bytes());
        let mut error = error.ok_or_else(|| CommandError::Report.diagnostic(name))?;
        error.code = CodeTask::failure(error.code);
        error.location = report
            .position
            .map(|at| self.code.location(at, 1, &tool.text));
        Err(Box::new(error.with_subject(name).with_details(logs)))
    }

    /// Runs a call: a string is text, anything else is compact JSON.
    pub(super) fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let found = call.arguments.iter();
        let mut found = found.filter_map(|(name, it)| inexact(it, &pointer::child("", name)));
        if let Some((pointer, number)) = found.next() {
            let message = format!("JavaScript has no number {number}, only ones near it");
            let diagnostic = Diagnostic::new(Code::SchemaViolation, message).with_pointer(pointer);
            let diagnostic = diagnostic.hint("declare a parameter with such numbers as a string");
            return Err(call.failed(diagnostic));
        }
        if self.calls_tools() {
            return self.run(call);
        }
        let evaluation = self.evaluate(call)?;
        Ok(ToolOutput {
            text: match evaluation.value {
                Value::String(text) => text,
                _ => evaluation.json,
            },
            stderr: evaluation.logs.join("\n"),
            ..ToolOutput::default()
        })
    }

    /// Evaluates the code over the arguments of `call`.
    pub(super) fn evaluate(&self, call: ToolCall<'_>) -> Result<Evaluation, RunError> {
        let ToolCall {
            tool,
            arguments,
            cx,
        } = call;
        let script = Script {
            code: self.code.source().to_owned(),
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
        diagnostic.location = position.map(|at| self.code.location(at, 1, &tool.text));
        Box::new(diagnostic)
    }
}

/// The first integer in `value` that is not exact as a double (ECMA-262, `Number.MAX_SAFE_INTEGER`),
/// and its JSON pointer.
fn inexact(value: &Value, at: &str) -> Option<(String, String)> {
    const MAX_SAFE: u64 = (1 << 53) - 1;
    match value {
        Value::Number(number) => {
            let size = number
                .as_u64()
                .or_else(|| Some(number.as_i64()?.unsigned_abs()))?;
            (size > MAX_SAFE).then(|| (at.to_owned(), number.to_string()))
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| inexact(item, &format!("{at}/{index}")))
        }
        Value::Object(entries) => {
            let mut entries = entries.iter();
            entries.find_map(|(name, value)| inexact(value, &pointer::child(at, name)))
        }
        _ => None,
    }
}

/// The code of a tool in JavaScript and its file, for linters.
#[derive(Clone, Debug)]
pub struct JsSource {
    js: Js,
    text: Text,
}

impl JsSource {
    /// The names, patterns and toolsets of the tools that it calls; none of code that is pure.
    pub fn tools(&self) -> &[String] {
        &self.js.tools
    }

    /// The code.
    pub fn source(&self) -> &str {
        self.js.code.source()
    }

    /// Returns the location in the file of `width` characters at a line and a column of the code
    /// (both from 1).
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.js.code.location((line, column), width, &self.text)
    }
}
