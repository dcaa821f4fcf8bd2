//! A run of a flow: its nodes, then its output.

use std::collections::BTreeMap;
use std::sync::Arc;

use cogtools_core::approval::approve;
use cogtools_core::tool::{Flow, FlowTask};
use cogtools_core::{Cancel, Code, Context, Diagnostic, Registry, Tool};
use cogtools_executor::{Event, Observer, OnFailure, Options, State, Stop, execute};
use cogtools_log::{EndStatus, NodeState};
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value};

use crate::earlier::EarlierResults;
use crate::graph;
use crate::recorder::{Line, SharedRecorder};
use crate::work::FlowWork;

/// How many nodes run at the same time.
const MAX_PARALLEL: usize = 8;

/// A flow with everything that it runs with.
pub(crate) struct FlowRun {
    pub(crate) tool: Tool,
    /// The arguments of the call, with defaults.
    pub(crate) arguments: Map<String, Value>,
    pub(crate) registry: Registry,
    pub(crate) cx: Context,
    /// Results of an earlier run, by node: these do not run again.
    pub(crate) done: BTreeMap<String, Value>,
    /// The same for items, by `NODE.INDEX`.
    pub(crate) done_items: BTreeMap<String, Value>,
    /// What the user has answered, by node.
    pub(crate) answers: BTreeMap<String, String>,
    pub(crate) recorder: SharedRecorder,
    /// What nodes with `cache` may use.
    pub(crate) earlier: EarlierResults,
    /// The command that goes on with the session.
    pub(crate) resume: String,
}

/// Records events.
pub(crate) struct Events {
    work: Arc<FlowWork>,
    recorder: SharedRecorder,
    cancel: Cancel,
    /// Why nothing can be recorded any more.
    pub(crate) failure: Option<Box<Diagnostic>>,
}

impl FlowRun {
    /// The first run of `tool`, a flow, with these arguments, in no session.
    pub(crate) fn new(
        tool: Tool,
        arguments: Map<String, Value>,
        registry: Registry,
        cx: Context,
    ) -> Self {
        Self {
            tool,
            arguments,
            registry,
            cx,
            done: BTreeMap::new(),
            done_items: BTreeMap::new(),
            answers: BTreeMap::new(),
            recorder: SharedRecorder::default(),
            earlier: EarlierResults::default(),
            resume: String::new(),
        }
    }

    /// Records that the flow is about to run.
    pub(crate) fn begin(self) -> Result<Self, Failure> {
        let digest = FlowTask::digest(&self.tool);
        self.recorder
            .begin(self.tool.name().as_str(), digest, &self.arguments)?;
        Ok(self)
    }

    /// Runs the nodes, and returns the output.
    ///
    /// # Errors
    ///
    /// `NODE_FAILED` if a node has failed that another one or the output needs, `ANSWER_WANTED` if
    /// one waits for the user.
    pub(crate) fn run(self) -> Result<Value, Failure> {
        // Each node needs it; without it, none begins.
        approve(&self.tool, &self.cx)?;
        let no_flow = || Diagnostic::new(Code::Internal, "a flow without nodes");
        let graph = graph::of(self.tool.flow().ok_or_else(no_flow)?).map_err(|error| *error)?;
        let cancel = self.cx.cancel.clone();
        let (arguments, recorder) = (self.arguments.clone(), self.recorder.clone());
        let work = Arc::new(FlowWork::new(
            (self.tool, self.arguments),
            (self.registry, self.cx),
            (self.answers, self.done_items),
            (self.recorder, self.earlier),
        )?);
        let mut events = Events::new(&work);
        let options = Options {
            max_parallel: MAX_PARALLEL,
            on_failure: OnFailure::SkipDependents,
            done: self.done,
            cancel: cancel.clone(),
        };
        let states = execute(graph, Arc::clone(&work) as _, options, &mut events).states;
        if let Some(failure) = events.failure {
            return Err((*failure).into());
        }
        work.save_tape()?;
        let flow = work.tool.flow().ok_or_else(no_flow)?;
        let resume = recorder.has_session().then_some(self.resume.as_str());
        let result = match failure(&work.tool, flow, &states, resume) {
            Some(failure) => Err(Box::new(failure)),
            None => flow.output(&work.tool, &with_results(arguments, flow, &states)),
        };
        let status = match &result {
            _ if cancel.is_cancelled() => EndStatus::Cancelled,
            Ok(_) => EndStatus::Completed,
            Err(diagnostic) => EndStatus::Failed {
                code: diagnostic.code.name().to_owned(),
            },
        };
        recorder.end(status)?;
        Ok(result?)
    }
}

/// The variables of the output: the arguments, and what each node has.
fn with_results(
    arguments: Map<String, Value>,
    flow: &Flow,
    states: &BTreeMap<String, State>,
) -> Map<String, Value> {
    let mut variables = arguments;
    for node in flow.nodes() {
        let value = match states.get(&node.id) {
            Some(State::Succeeded(value)) => (**value).clone(),
            _ => Value::Null,
        };
        variables.insert(node.id.clone(), value);
    }
    variables
}

impl Events {
    /// Records the events of `work`.
    pub(crate) fn new(work: &Arc<FlowWork>) -> Self {
        Self {
            work: Arc::clone(work),
            recorder: work.recorder.clone(),
            cancel: work.cx.cancel.clone(),
            failure: None,
        }
    }

    fn write(&mut self, line: Line<'_>) {
        if let Err(diagnostic) = self.recorder.write(line) {
            self.failure.get_or_insert(diagnostic);
        }
    }
}

impl Observer for Events {
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        match event {
            Event::Started { node, .. } => self.write(Line::new(node, NodeState::Started)),
            Event::Succeeded {
                node,
                value,
                duration,
            } => {
                let line = Line::new(node, NodeState::Succeeded).with_output(value);
                let outcome = self.work.take_outcome(node);
                self.write(line.with_outcome(outcome).with_duration(*duration));
            }
            Event::Failed {
                node,
                failure,
                duration,
            } => {
                let outcome = self.work.take_outcome(node);
                let line = match failure.diagnostic.code {
                    Code::AnswerWanted => {
                        let question = failure.diagnostic.message.clone();
                        Line::new(node, NodeState::Waiting { question })
                    }
                    // Whether a call that was cancelled had an effect is not known: it stays open.
                    _ if self.cancel.is_cancelled() => return Ok(()),
                    _ => Line::failed(node, &failure.diagnostic),
                };
                self.write(line.with_outcome(outcome).with_duration(*duration));
            }
            Event::Skipped { node, .. } => self.write(Line::new(node, NodeState::Skipped)),
            Event::Retrying { .. } => {}
        }
        self.failure.as_ref().map_or(Ok(()), |_| Err(Stop))
    }
}

/// The failure of the run: that of the first node that has failed, unless every node that needs it
/// runs without it, too.
fn failure(
    tool: &Tool,
    flow: &Flow,
    states: &BTreeMap<String, State>,
    resume: Option<&str>,
) -> Option<Diagnostic> {
    let is_tolerated = |id: &str| {
        let needs = flow.nodes().iter().flat_map(|node| &node.needs);
        let mut needs = needs.filter(|need| need.node == id).peekable();
        needs.peek().is_some() && needs.all(|need| need.is_optional)
    };
    let failed = flow.nodes().iter().filter(|node| !is_tolerated(&node.id));
    let (id, reason) = failed
        .into_iter()
        .find_map(|node| match states.get(&node.id) {
            Some(State::Failed(failure)) => Some((node.id.as_str(), &failure.diagnostic)),
            _ => None,
        })?;
    if reason.code == Code::AnswerWanted {
        let diagnostic = Diagnostic::new(Code::AnswerWanted, reason.message.clone());
        let again = || format!("cogtools flow run {}", tool.name());
        let command = resume.map_or_else(again, str::to_owned);
        let hint = format!("`{command} --answer {id}=…` answers, and goes on");
        return Some(diagnostic.with_subject(id).hint(hint));
    }
    let message = match reason.code {
        Code::NodeFailed => reason.summary(),
        code => format!("{}: {}", code.name(), reason.summary()),
    };
    let mut diagnostic = Diagnostic::new(Code::NodeFailed, message).with_subject(id);
    diagnostic.details.clone_from(&reason.details);
    diagnostic.hints.clone_from(&reason.hints);
    if let Some(resume) = resume {
        let is_done = |state: &&State| matches!(state, State::Succeeded(_));
        let done = pluralize(states.values().filter(is_done).count(), "node");
        diagnostic = diagnostic.hint(format!("{done} done; `{resume}` goes on here"));
    }
    Some(diagnostic)
}

/// Shows an output, with the end of its last line.
pub(crate) fn show(value: &Value, io: &mut Io<'_>) -> Result<(), Failure> {
    let text = Flow::text(value);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    io.show(&format!("{text}{end}"))
}
