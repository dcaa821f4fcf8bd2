//! The tools of an agent, and the results of their calls.

use std::sync::Arc;

use cogtools_core::approval::approve;
use cogtools_core::tool::{Accepted, ToolError};
use cogtools_core::{
    Code, Context, Diagnostic, Hint, Limit, Registry, Target, Tool, ToolOutput, fail_on,
};
use cogtools_log::CallId;
use cogtools_model::Part;
use cogtools_program::call_timeout;
use serde_json::{Map, Value, json};

use crate::{CallScope, ProgramQuestion, ToolTraits};

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTool {
    /// Its name.
    pub name: String,
    /// Its declaration, in the form of the Gemini API.
    pub declaration: Value,
    /// The traits that decide about its calls.
    pub traits: ToolTraits,
    /// The command or the URL of a call, for the person who approves it.
    pub runs: Option<String>,
}

impl AgentTool {
    /// Declares `tool` as `api` accepts it, in the form of the Gemini API.
    ///
    /// # Errors
    /// The reasons for which the API would reject it.
    pub fn declare(tool: &Tool, api: Target) -> Result<Self, Vec<Diagnostic>> {
        let rejections = api.rejections(tool);
        fail_on(rejections)?;
        Ok(Self {
            name: tool.name().as_str().to_owned(),
            declaration: api.declare_to_model(tool),
            traits: ToolTraits::of(tool),
            runs: tool.command_line().map(|line| line.to_string()),
        })
    }
}

/// Makes something of each tool of `registry`. Returns the diagnostics of what is left out, too.
pub fn load_tools<T: Send>(
    registry: &Registry,
    make: impl Fn(Tool) -> Result<T, Vec<Diagnostic>> + Sync,
) -> (Vec<T>, Vec<Diagnostic>) {
    let found = registry.map(|tool| make(tool.map_err(ToolError::diagnostics)?));
    let mut diagnostics = [&*registry.config_errors, &found.unmatched].concat();
    let (tools, errors) = found.split();
    diagnostics.extend(errors);
    (tools, diagnostics)
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallResult {
    /// The answer of the tool: text, or a JSON value.
    Output(Value),
    /// The answer, and files that belong to it: parts of the Gemini API.
    Files(Value, Vec<Value>),
    /// Why it did not: every violation, with hints on how to repair the call.
    Failed(Vec<Diagnostic>),
    /// It goes on when the user has decided about these calls of its program.
    Waits(Vec<WaitingCall>),
}

/// A call of a program that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCall {
    /// The call: the program and its step.
    pub call: CallId,
    /// Everything that the user decides about.
    pub about: String,
    /// Why it waits: `APPROVAL_WANTED`, or `CODE_INTERRUPTED`.
    pub code: Code,
}

impl CallResult {
    /// Makes the result with this `output`, and with `files` if they are a list.
    pub fn new(output: Value, files: Value) -> Self {
        match files {
            Value::Array(files) if !files.is_empty() => Self::Files(output, files),
            _ => Self::Output(output),
        }
    }

    /// Encodes the result for a tape; `None` if there is none yet.
    pub(crate) fn to_tape(&self) -> Option<Value> {
        Some(match self {
            Self::Waits(_) => return None,
            Self::Output(output) => json!({ "output": output }),
            Self::Files(output, files) => json!({ "output": output, "files": files }),
            Self::Failed(diagnostics) => {
                let entries = diagnostics.iter().map(|one| {
                    let hints = one.hints.iter().filter_map(Hint::text);
                    json!({
                        "code": one.code.name(), "subject": one.subject, "message": one.message,
                        "details": one.details, "hints": hints.collect::<Vec<_>>(),
                    })
                });
                json!({ "failed": entries.collect::<Vec<_>>() })
            }
        })
    }

    /// Decodes the result on a tape.
    pub(crate) fn from_tape(mut tape: Value) -> Self {
        let Some(failed) = tape.get("failed").and_then(Value::as_array) else {
            return Self::new(tape["output"].take(), tape["files"].take());
        };
        let diagnostics = failed.iter().filter_map(|entry| {
            let diagnostic = Diagnostic::from_json(entry.to_string().as_bytes())?;
            Some(diagnostic.with_subject(entry["subject"].as_str().unwrap_or_default()))
        });
        Self::Failed(diagnostics.collect())
    }
}

impl From<ToolOutput> for CallResult {
    /// The output as a model reads it: JSON where the tool declares it, and files that it can see.
    fn from(output: ToolOutput) -> Self {
        let (files, rest) = output.files();
        let files = files
            .iter()
            .map(|(media, data)| json!(Part::data_of(media, data)));
        let files: Vec<Value> = files.collect();
        let text = if files.is_empty() { output.text } else { rest };
        Self::new(output.value.unwrap_or(text.into()), files.into())
    }
}

/// A call that was accepted: it can run in any thread.
pub type ReadyCall = Box<dyn FnOnce(&CallScope) -> CallResult + Send>;

/// Prepares the run of a call of `tool` in `run_cx`, if the user of `cx` approves of the tool.
///
/// # Errors
/// The tool is not approved.
pub fn ready_call(
    tool: Arc<Tool>,
    accepted: Accepted,
    cx: &Context,
    run_cx: Context,
) -> Result<ReadyCall, Vec<Diagnostic>> {
    let limit = Limit::of(&tool);
    let approved = approve(tool, cx).map_err(|diagnostic| vec![*diagnostic])?;
    Ok(Box::new(move |scope: &CallScope| {
        let cancel = scope.cancel.clone();
        let cx = run_cx.ended_by(&cancel);
        let work = move || {
            let output = approved.run(accepted, &cx);
            output.map_err(|diagnostic| vec![*diagnostic])
        };
        match call_timeout::run_within(&limit, &cancel, work) {
            Ok(output) => output.into(),
            Err(diagnostics) => CallResult::Failed(diagnostics),
        }
    }))
}

/// The failure of a call of a tool that is none of `names`.
pub fn not_found<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Diagnostic {
    Diagnostic::new(Code::ToolNotFound, "there is no tool of that name")
        .with_subject(name)
        .meant_or(name, names, "call only tools that are declared")
}

/// The tools of an agent.
pub trait Tools: Send + Sync {
    /// All tools, in the order in which they are declared.
    fn list(&self) -> Vec<AgentTool>;

    /// Checks a call. Returns how to run it, and the arguments with defaults filled in.
    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>>;

    /// The digest of everything that the user is asked about beside the `arguments` of a call of
    /// `name`: the file of the tool, if it has one.
    fn digest(&self, name: &str, arguments: &Value) -> Option<String> {
        let _ = (name, arguments);
        None
    }

    /// The types of the tools that programs for the task in words may call, if the declarations lack
    /// them.
    fn types_for(&self, task: &str) -> Option<String> {
        let _ = task;
        None
    }

    /// The question about the program that a call of `name` runs.
    fn question(&self, name: &str, arguments: &Value) -> Option<ProgramQuestion> {
        let _ = (name, arguments);
        None
    }
}

/// The declarations of `tools`, which all requests of a run share.
pub fn declarations(tools: &[AgentTool]) -> Arc<Vec<Value>> {
    let declarations = tools.iter().map(|tool| tool.declaration.clone());
    Arc::new(declarations.collect())
}
