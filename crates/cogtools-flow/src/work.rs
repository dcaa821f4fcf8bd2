//! What nodes do: they call tools, ask a model or the user, or have a value by themselves.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use cogtools_core::approval::approve;
use cogtools_core::arguments::Arguments;
use cogtools_core::tool::{FlowAction, FlowCall, FlowNode, FlowTarget};
use cogtools_core::{Cancel, Code, Context, Diagnostic, Registry, Tool};
use cogtools_executor::{Attempt, Completion, Failure, Work};
use cogtools_log::Route;
use cogtools_program::call_timeout;
use serde_json::{Map, Value};

use crate::earlier::{EarlierResults, key};
use crate::outcome::{Done, Outcome};
use crate::recorder::SharedRecorder;
use crate::routing::Capabilities;
use crate::tape::{FlowTape, NodeTape};

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
    earlier: EarlierResults,
    /// What models answer, if that is recorded or replayed.
    pub(crate) tape: Option<FlowTape>,
    outcomes: Mutex<BTreeMap<String, Outcome>>,
    /// What the tools are for, once a node asks.
    capabilities: OnceLock<Capabilities>,
}

impl FlowWork {
    pub(crate) fn new(
        (tool, arguments): (Tool, Map<String, Value>),
        (registry, cx): (Registry, Context),
        (answers, done_items): (BTreeMap<String, String>, BTreeMap<String, Value>),
        (recorder, earlier): (SharedRecorder, EarlierResults),
    ) -> Result<Self, Box<Diagnostic>> {
        let tape = cx.tape.as_ref().map(FlowTape::open).transpose()?;
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

    fn note(&self, id: &str, outcome: Outcome) {
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

    fn call(
        &self,
        id: &str,
        node: &FlowNode,
        call: FlowCall,
        variables: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        let FlowCall {
            target,
            arguments,
            preset,
        } = call;
        let mut outcome = Outcome {
            arguments: Some(arguments.clone()),
            ..Outcome::default()
        };
        let tool = self.tool_for(target, &mut outcome);
        if let Some(route) = &mut outcome.route {
            route.intent = self.intent(node, variables);
        }
        let example = self.example_result(tool.as_ref().ok(), outcome.route.as_ref());
        let is_keyed = node.is_cached && preset.is_none() && example.is_none();
        if let Ok(tool) = &tool
            && is_keyed
        {
            outcome.key = key(tool, &arguments, &self.registry);
        }
        let known = outcome.key.as_deref().and_then(|key| self.earlier.get(key));
        outcome.is_cached = known.is_some();
        self.note(id, outcome);
        let tool = tool?;
        let preset = example.or(preset);
        if let Some(value) = known.or(preset) {
            return Ok(value);
        }
        let call = self
            .registry
            .prepare_tool(tool, Arguments::from(arguments))
            .map_err(Diagnostic::merge)?;
        // The deadline of a call ends that call alone.
        let cancel = cancel.child();
        let tape = self.tape_of(id)?;
        let cx = Context {
            tape: tape.as_ref().map(NodeTape::tape),
            ..self.context(&cancel)
        };
        let limit = call.limit().within(node.timeout);
        let output = call_timeout::run_within(&limit, &cancel, move || call.run(&cx));
        self.keep(tape.as_ref());
        let output = output.map_err(Diagnostic::merge)?;
        Ok(output.value.unwrap_or(Value::String(output.text)))
    }

    /// What the example that is tested says a tool answers, by its name or by the capability that
    /// it was chosen for.
    fn example_result(&self, tool: Option<&Tool>, route: Option<&Route>) -> Option<Value> {
        let presets = &self.cx.presets;
        let name = tool.map(|tool| tool.name().as_str());
        let names = name.into_iter();
        let mut names = names.chain(
            route
                .into_iter()
                .flat_map(|route| [route.operation.as_str(), route.capability.as_str()]),
        );
        names.find_map(|name| presets.get(name)).cloned()
    }

    /// What a model has answered, in JSON, that `node` needs: what the user wants.
    fn intent(&self, node: &FlowNode, variables: &Map<String, Value>) -> Option<Value> {
        let flow = self.tool.flow()?;
        let is_agent = |id: &str| flow.node(id).is_some_and(FlowNode::asks_a_model);
        let mut needs = node.needs.iter().filter(|need| is_agent(&need.node));
        let answers = needs.find_map(|need| variables.get(&need.node));
        answers.filter(|answer| answer.is_object()).cloned()
    }

    /// The tool of a call. How it is chosen is noted in `outcome`.
    fn tool_for(&self, target: FlowTarget, outcome: &mut Outcome) -> Result<Tool, Box<Diagnostic>> {
        let name = match target {
            FlowTarget::Name(name) => name,
            FlowTarget::Capability { capability, among } => {
                let capabilities = || Capabilities::new(&self.registry);
                let capabilities = self.capabilities.get_or_init(capabilities);
                let routing = capabilities.route(&capability, &among);
                outcome.route = Some(routing.route().clone());
                routing.tool()?.to_owned()
            }
        };
        let tool = self.registry.find(&name);
        tool.map_err(|error| Diagnostic::merge(error.diagnostics()))
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
