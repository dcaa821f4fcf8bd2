//! Calls: each runs in a separate thread unless it is brief, is limited in number and time, and is
//! cancelled with its request.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::hint::{Command, Hint};
use cogtools_core::{
    Call, CallContext, Cancel, Code, Context, Diagnostic, FailedCall, Limit, PausedFlow, Person,
    Question, Registry, Tool, ToolOutput, digest,
};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Format, Reporter, Severity, render_hint};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, MetaObject, PromptMessage, Role};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::catalogue::{CallError, Catalogue, FoundTool};
use crate::command::{ClientArguments, NAME};
use crate::observe::Called;
use crate::prompt;
use crate::slots::{Holder, Slot, Slots};

/// The places for tools that run.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    /// For finding tools and for templates, which end by themselves.
    quick: Arc<Semaphore>,
    /// For what may wait for something else: programs, servers and models.
    slow: Arc<Slots>,
}

impl Workers {
    /// The number of quick calls that run at once; further ones wait.
    const MAX_QUICK: u32 = 6;
    /// The number of slow ones.
    const MAX_SLOW: usize = 22;
    /// The number of threads for both.
    pub(crate) const THREADS: usize = Self::MAX_QUICK as usize + Self::MAX_SLOW;

    pub(crate) fn new() -> Self {
        Self {
            quick: Arc::new(Semaphore::new(Self::MAX_QUICK as usize)),
            slow: Arc::new(Slots::new(Self::MAX_SLOW)),
        }
    }

    /// Calls the tool `name` for a client with `arguments` and the `parts` of its context, unless
    /// `cancelled` completes first; `called` is the tool that it has found. Dropping this future
    /// cancels the tool.
    pub(crate) async fn call(
        &self,
        catalogue: &Arc<Catalogue>,
        name: &str,
        arguments: ClientArguments,
        parts: CallContext,
        (host, called): (u64, &mut Option<Called>),
        cancelled: impl Future<Output = ()>,
    ) -> Result<ToolOutput, CallError> {
        let call = (name, arguments, parts);
        tokio::select! {
            result = self.run_call(catalogue, host, call, called) => result,
            () = cancelled => Err(CallError::Cancelled),
        }
    }

    /// Runs a call in three steps, each with its own timeout, because each may start
    /// programs: finding the tool, finding the tool that it delegates to, running it.
    async fn run_call(
        &self,
        catalogue: &Arc<Catalogue>,
        host: u64,
        (name, arguments, parts): (&str, ClientArguments, CallContext),
        called: &mut Option<Called>,
    ) -> Result<ToolOutput, CallError> {
        let guard = CancelOnDrop(Cancel::default());
        let permit = self.quick_place(name).await?;
        let find_limit = Limit::new(name, Tool::TIMEOUT);
        let (find_catalogue, owned_name) = (Arc::clone(catalogue), name.to_owned());
        let find = match arguments {
            ClientArguments::OfCall(_) => Catalogue::find,
            ClientArguments::OfPrompt(_) => prompt::find,
        };
        let find = move || find(&find_catalogue, &owned_name);
        let ((registry, tool), permit) = with_limit(name, &find_limit, permit, find).await?;

        *called = Some(Called::of(&tool));
        let prepare_limit = Limit::of(&tool);
        let (catalogue, cancel) = (Arc::clone(catalogue), guard.0.clone());
        let prepare = move || prepare(&catalogue, &registry, tool, arguments, (cancel, parts));
        let ((call, cx), permit) = with_limit(name, &prepare_limit, permit, prepare).await?;

        *called = Some(Called::of(call.tool()));
        // Slow tools leave the other places to those that are not.
        let permit = if call.tool().is_template() {
            permit
        } else {
            drop(permit);
            let holder = (host, holder(call.tool()));
            let slot = self.slow.acquire(holder).await;
            Place::Slow { _slot: slot }
        };
        let run_limit = match cx.call.person {
            Some(_) => call.limit().extended(Person::PATIENCE),
            None => call.limit(),
        };
        let run = move || {
            agree(&call, &cx)?;
            call.run(&cx).map_err(CallError::Failed)
        };
        let (output, _permit) = with_limit(name, &run_limit, permit, run).await?;
        Ok(output)
    }

    /// Does slow `work` in a place of `holder`, unless `cancelled` completes first. Dropping this
    /// future cancels the work.
    pub(crate) async fn run_slow<T: Send + 'static>(
        &self,
        holder: Holder,
        work: impl FnOnce(Cancel) -> Result<T, CallError> + Send + 'static,
        cancelled: impl Future<Output = ()>,
    ) -> Result<T, CallError> {
        let guard = CancelOnDrop(Cancel::default());
        let (cancel, name) = (guard.0.clone(), holder.1.clone());
        let slot = self.slow.acquire(holder).await;
        let running = spawn_blocking(move || (work(cancel), slot));
        tokio::select! {
            done = running => match done {
                Ok((outcome, _)) => outcome,
                Err(_) => Err(CallError::Failed(vec![bug(&name)])),
            },
            () = cancelled => Err(CallError::Cancelled),
        }
    }

    /// Waits until no tool runs, at most for `limit`.
    pub(crate) async fn wait_idle(&self, limit: Duration) {
        let idle = async {
            let _ = self.quick.acquire_many(Self::MAX_QUICK).await;
            self.slow.idle().await;
        };
        let _ = timeout(limit, idle).await;
    }

    /// Waits for a place for the quick part of a call of the tool `name`.
    async fn quick_place(&self, name: &str) -> Result<Place, CallError> {
        let permit = Arc::clone(&self.quick).acquire_owned().await;
        let permit = permit.map_err(|_| CallError::Failed(vec![bug(name)]))?;
        Ok(Place::Quick { _permit: permit })
    }
}

/// The place of a call, until it is dropped.
enum Place {
    Quick { _permit: OwnedSemaphorePermit },
    Slow { _slot: Slot },
}

/// Returns the source of `tool`, or the tool itself if it is a file: each runs a process of its own.
fn holder(tool: &Tool) -> String {
    let has_file = !tool.text().path().as_os_str().is_empty();
    if has_file {
        tool.name().to_string()
    } else {
        tool.provenance.source.clone()
    }
}

/// Cancels a call when its request is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Returns the call of `tool` with `arguments`, and its context with `cancel` and these parts.
fn prepare(
    catalogue: &Catalogue,
    registry: &Registry,
    tool: Arc<Tool>,
    arguments: ClientArguments,
    (cancel, parts): (Cancel, CallContext),
) -> Result<(Call, Context), CallError> {
    let arguments = arguments.parse(&tool).map_err(|diagnostics| {
        let about = |diagnostic: Diagnostic| diagnostic.with_subject(tool.name().as_str());
        CallError::Failed(diagnostics.into_iter().map(about).collect())
    })?;
    let call = registry.prepare_tool(tool, arguments);
    let call = call.map_err(CallError::Failed)?;
    let cx = catalogue.cx(call.tool(), cancel, parts);
    Ok((call, cx.map_err(CallError::Failed)?))
}

/// The name of the question about a call.
const CALL: &str = "call";
/// The most characters of arguments in it.
const MAX_SHOWN: usize = 2000;

/// Asks the user about a call, if the configuration of its source says so.
///
/// # Errors
/// The user does not agree, or cannot be asked.
fn agree(call: &Call, cx: &Context) -> Result<(), CallError> {
    let tool = call.tool();
    if !tool.asks() {
        return Ok(());
    }
    let name = tool.name().as_str();
    let arguments = Value::Object(call.arguments().clone().into_object());
    let text = arguments.to_string();
    let mut shown: String = text.chars().take(MAX_SHOWN).collect();
    if shown.len() < text.len() {
        shown += "… (cut)";
    }
    let choice = json!({"type": "string", "enum": [CALL, "no"]});
    let question = PausedFlow {
        question: Question {
            tool: name.to_owned(),
            node: CALL.to_owned(),
            text: format!("Call {name} with {}?", sanitize(&shown)),
            reply: Some(json!({"properties": {"decision": choice}, "required": ["decision"]})),
            fault: None,
        },
        digest: digest::value(&arguments).to_string(),
        results: Map::new(),
        answers: BTreeMap::new(),
    };
    let earlier = cx.call.paused.as_ref();
    let earlier =
        earlier.filter(|it| (&it.question, &it.digest) == (&question.question, &question.digest));
    let earlier = earlier.and_then(|it| it.answers.get(CALL).cloned());
    let person = cx.call.person.as_ref();
    let answer = earlier.or_else(|| person?.ask(&question, &cx.cancel));
    let answer: Option<Value> = answer.and_then(|it| serde_json::from_str(&it).ok());
    if answer.is_some_and(|answer| answer["decision"] == CALL) {
        return Ok(());
    }
    let (message, hint) = match person {
        Some(_) => (
            "the user has not agreed to this call",
            "do not repeat it unasked",
        ),
        None => (
            "its source says `ask: true`, and this client shows no question",
            "call it with a client that supports elicitation, or by cogtools ask",
        ),
    };
    let diagnostic = Diagnostic::new(Code::Denied, message).with_subject(name);
    Err(CallError::Failed(vec![diagnostic.hint(hint)]))
}

/// Runs `work`, a step of a call of the tool `name`, in a thread of the pool, within `limit`. The
/// thread holds the `permit` until the work has ended, even after a timeout.
async fn with_limit<T: Send + 'static>(
    name: &str,
    limit: &Limit,
    permit: Place,
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<(T, Place), CallError> {
    let failed = |diagnostic: Diagnostic| CallError::Failed(vec![diagnostic]);
    let running = spawn_blocking(move || (work(), permit));
    match timeout(limit.duration(), running).await {
        Ok(Ok((result, permit))) => Ok((result?, permit)),
        Ok(Err(_)) => Err(failed(bug(name))),
        Err(_) => Err(failed(limit.diagnostic())),
    }
}

/// Returns the diagnostic of a thread that has panicked, which was reported on standard error.
fn bug(name: &str) -> Diagnostic {
    Diagnostic::new(
        Code::Internal,
        "unexpected failure while the tool was running",
    )
    .with_subject(name)
    .hint("this is a bug in cogtools; please report it with the call")
}

/// Answers `tools/call`.
pub(crate) fn to_call(outcome: Result<ToolOutput, CallError>) -> Result<CallToolResult, ErrorData> {
    let error = |text: String| CallToolResult::error(vec![ContentBlock::text(text)]);
    match outcome {
        Ok(output) => Ok(result(output)),
        Err(CallError::Failed(diagnostics)) => {
            let of_server = match &*diagnostics {
                [diagnostic] => failed(diagnostic),
                _ => None,
            };
            of_server.unwrap_or_else(|| Ok(error(render(&diagnostics))))
        }
        Err(CallError::Cancelled) => Ok(error("the call was cancelled\n".to_owned())),
        Err(CallError::NotFound(diagnostics)) => Err(not_found(&diagnostics)),
    }
}

/// Returns the answer of an MCP server whose tool has failed, as the server has sent it; a result
/// has a text for each hint of ours, such as what its sandbox has denied. `None` for another failure.
fn failed(diagnostic: &Diagnostic) -> Option<Result<CallToolResult, ErrorData>> {
    let output = match diagnostic.answer.as_deref()?.clone() {
        FailedCall::Result(result) => ToolOutput::from_mcp(result),
        FailedCall::Error(error) => return serde_json::from_value(error.into()).ok().map(Err),
    };
    let is_empty = output.content.is_empty() && output.value.is_none();
    let mut result = result(output);
    if is_empty {
        result.content.clear();
    }
    let hints = diagnostic.hints.iter().map(render_hint);
    let hints = hints.map(|hint| ContentBlock::text(format!("hint: {hint}")));
    result.content.extend(hints);
    result.is_error = Some(true);
    Some(Ok(result))
}

/// Gives `result` structured content if it has none and its first text is JSON, but no object.
pub(crate) fn structure_text(result: &mut CallToolResult) {
    let text = result.content.first().and_then(|block| block.as_text());
    let value = text.and_then(|text| serde_json::from_str::<Value>(&text.text).ok());
    if let (None, Some(value)) = (
        &result.structured_content,
        value.filter(|it| !it.is_object()),
    ) {
        result.structured_content = Some(json!({"result": value}));
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
    let done = spawn_blocking(work).await;
    done.map_err(|_| ErrorData::internal_error("unexpected failure", None))
}

/// Finds the tool `name` by `find`, for a request that does not call it.
pub(crate) async fn find(
    catalogue: Arc<Catalogue>,
    find: fn(&Catalogue, &str) -> Result<FoundTool, CallError>,
    name: String,
) -> Result<FoundTool, ErrorData> {
    let found = in_pool(move || find(&catalogue, &name)).await?;
    found.map_err(|error| match error {
        CallError::NotFound(diagnostics) => not_found(&diagnostics),
        CallError::Failed(diagnostics) => internal_error(&diagnostics),
        CallError::Cancelled => cancelled(),
    })
}

pub(crate) fn cancelled() -> ErrorData {
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
pub(crate) fn render(diagnostics: &[Diagnostic]) -> String {
    let reporter = Reporter::new(NAME, Format::Human, false);
    diagnostics
        .iter()
        .map(|diagnostic| reporter.render(Severity::Error, diagnostic))
        .collect()
}

#[cfg(test)]
mod answer_tests {

    use super::*;

    #[test]
    fn a_failed_result_passes_with_our_hints() {
        let sent = json!({"content": [{"type": "text", "text": "denied"}], "isError": true});
        let mut diagnostic = Diagnostic::new(Code::ToolFailed, "it failed").hint("permit it");
        assert!(failed(&diagnostic).is_none());
        let sent = sent.as_object().cloned().map(FailedCall::Result);
        diagnostic.answer = sent.map(Box::new);
        let result = to_call(Err(CallError::Failed(vec![diagnostic]))).expect("a result");
        let text = |text: &str| json!({"type": "text", "text": text});
        let content = serde_json::to_value(&result.content).expect("JSON");
        assert_eq!(content, json!([text("denied"), text("hint: permit it")]));
        assert_eq!(result.is_error, Some(true));
    }

    #[test]
    fn a_text_in_json_that_is_no_object_is_structured() {
        for (text, expected) in [
            ("[1]", Some(json!({"result": [1]}))),
            ("null", Some(json!({"result": null}))),
            ("{\"a\": 1}", None),
            ("some text", None),
            ("", None),
        ] {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            structure_text(&mut result);
            assert_eq!(result.structured_content, expected, "{text}");
        }
    }

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
