//! What nodes do: they call tools, ask a model or the user, or have a value by themselves.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use cogtools_core::approval::approve;
use cogtools_core::tool::{FlowAction, FlowNode};
use cogtools_core::{Cancel, Code, Context, Diagnostic, Registry, Tool};
use cogtools_executor::{Attempt, Completion, Failure, Work};
use serde_json::{Map, Value};

use crate::earlier::EarlierResults;
use crate::outcome::{Done, Outcome};
use crate::recorder::SharedRecorder;
use crate::routing::Capabilities;
use crate::tape::FlowTape;

/// The nodes of a flow, and all that they work with.
pub(crate) struct FlowWork {
    pub(crate) tool: Tool,
    /// The arguments of the call, with defaults.
    pub(crate) arguments: Map<String, Value>,
    pub(crate) registry: Registry,
    pub(crate) cx: Context,
    /// What the user has answered, by node.
    pub(crate) answers: BTreeMap<String, String>,
    /// Results of items in an earlier run, by `NODE.INDEX`.
    pub(crate) done_items: BTreeMap<String, Value>,
    pub(crate) recorder: SharedRecorder,
    /// What nodes with `cache` may use.
    pub(crate) earlier: EarlierResults,
    /// What models answer, if that is recorded or replayed.
    pub(crate) tape: Option<FlowTape>,
    outcomes: Mutex<BTreeMap<String, Outcome>>,
    /// What the tools are for, once a node asks.
    pub(crate) capabilities: OnceLock<Capabilities>,
}

impl FlowWork {
    pub(crate) fn new(
        (tool, arguments): (Tool, Map<String, Value>),
        (registry, cx): (Registry, Context),
        (answers, done_items): (BTreeMap<String, String>, BTreeMap<String, Value>),
        (recorder, earlier): (SharedRecorder, EarlierResults),
    ) -> Result<Self, Box<Diagnostic>> {
        let tape = cx.call.tape.as_ref().map(FlowTape::open).transpose()?;
        Ok(Self {
            tape,
            tool,
            arguments,
            registry,
            cx,
            answers,
            done_items,
            recorder,
            earlier,
            outcomes: Mutex::default(),
            capabilities: OnceLock::new(),
        })
    }

    /// Writes what models have answered, if that is recorded.
    pub(crate) fn save_tape(&self) -> Result<(), Box<Diagnostic>> {
        let tape = self.tape.as_ref();
        tape.map_or(Ok(()), |tape| tape.save(&self.cx.root))
    }

    /// Takes what the node `id` has done besides its value.
    pub(crate) fn take_outcome(&self, id: &str) -> Outcome {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.remove(id).unwrap_or_default()
    }

    pub(crate) fn note(&self, id: &str, outcome: Outcome) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.insert(id.to_owned(), outcome);
    }

    /// Runs `node` with these variables for the `attempt`th time, unless no router has chosen it.
    pub(crate) fn complete(
        &self,
        node: &FlowNode,
        variables: &Map<String, Value>,
        attempt: u32,
        cancel: &Cancel,
    ) -> Result<Completion, Failure> {
        let is_chosen = |router: &String| {
            let chosen = variables.get(router);
            chosen.is_some_and(|chosen| chosen.as_str() == Some(node.id.as_str()))
        };
        if !node.routers.is_empty() && !node.routers.iter().any(is_chosen) {
            return Ok(Completion::Skip);
        }
        match self.run_node(node, variables, attempt, cancel) {
            Ok(Some(value)) => Ok(Completion::Done(value)),
            Ok(None) => Ok(Completion::Skip),
            Err(diagnostic) if may_pass(diagnostic.code) => Err(Failure::new(*diagnostic)),
            Err(diagnostic) => Err(Failure::is_final(*diagnostic)),
        }
    }

    /// Does what `node` does with these variables, for the `attempt`th time.
    fn run_node(
        &self,
        node: &FlowNode,
        variables: &Map<String, Value>,
        attempt: u32,
        cancel: &Cancel,
    ) -> Done {
        let cx = self.context(cancel);
        let approved = approve(&self.tool, &cx)?;
        let action = approved.flow_action(&node.id, variables, attempt, &cx)?;
        let done = match action {
            FlowAction::Each(items) => {
                return self.run_each(node, items, variables, cancel).map(Some);
            }
            action => self.perform(&node.id, node, action, variables, cancel)?,
        };
        let check = |value| self.check(node, variables, value, &cx);
        done.map(check).transpose()
    }

    /// `value`, if it meets what the result of `node`, or of an item of it, has to meet.
    pub(crate) fn check(
        &self,
        node: &FlowNode,
        variables: &Map<String, Value>,
        value: Value,
        cx: &Context,
    ) -> Result<Value, Box<Diagnostic>> {
        if !node.has_checks() {
            return Ok(value);
        }
        let mut variables = variables.clone();
        variables.insert(node.id.clone(), value.clone());
        match approve(&self.tool, cx)?.failed_check(&node.id, &variables)? {
            None => Ok(value),
            Some(check) => {
                let message = format!("its result does not meet `{check}`");
                Err(Box::new(Diagnostic::new(Code::NodeFailed, message)))
            }
        }
    }

    /// Does `action` of `node`, which is not that of a list. `id` is that of the node or of an
    /// item.
    pub(crate) fn perform(
        &self,
        id: &str,
        node: &FlowNode,
        action: FlowAction,
        variables: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Done {
        match action {
            FlowAction::Skip => Ok(None),
            FlowAction::Done(value) => Ok(Some(value)),
            FlowAction::Call(call) => self.call(id, node, call, variables, cancel).map(Some),
            FlowAction::Agent(question) => {
                let timeout = node.timeout.unwrap_or_else(|| self.tool.timeout());
                self.ask_model(id, &question, timeout, cancel).map(Some)
            }
            FlowAction::Ask(question) => match self.answers.get(id) {
                Some(answer) => Ok(Some(answer.as_str().into())),
                None => Err(Box::new(Diagnostic::new(Code::AnswerWanted, question))),
            },
            FlowAction::Each(_) => Err(internal("a list within a list")),
        }
    }

    /// The context of a node.
    pub(crate) fn context(&self, cancel: &Cancel) -> Context {
        Context {
            cancel: cancel.clone(),
            ..self.cx.clone()
        }
    }
}

impl Work for FlowWork {
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure> {
        let flow = self.tool.flow();
        let Some(node) = flow.and_then(|flow| flow.node(attempt.node())) else {
            return Err(Failure::is_final(*internal("no such node")));
        };
        let mut variables = self.arguments.clone();
        for need in &node.needs {
            let value = attempt.result(&need.node);
            let value = value.map_or(Value::Null, |value| (*value).clone());
            variables.insert(need.node.clone(), value);
        }
        self.complete(node, &variables, attempt.number(), attempt.cancel())
    }
}

/// The failures after which another attempt may do better.
pub(crate) const RETRYABLE: [Code; 5] = [
    Code::ToolFailed,
    Code::NodeFailed,
    Code::Timeout,
    Code::IoFailed,
    Code::Unavailable,
];

/// Whether another attempt may do better.
pub(crate) fn may_pass(code: Code) -> bool {
    RETRYABLE.contains(&code)
}

fn internal(message: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::Internal, message))
}
