//! The work of nodes: they call tools, ask models or the user, or have a value by themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cogtools_agent::share_money;
use cogtools_code::{FlowTape, NodeTape};
use cogtools_core::approval::{Approved, approve, approve_call};
use cogtools_core::arguments::Arguments;
use cogtools_core::process::{LineSink, TempFolder};
use cogtools_core::tool::{Flow, FlowAction, FlowCall, FlowNode, FlowQuestion, FlowTarget};
use cogtools_core::{Cancel, Code, Context, Diagnostic, Tool, ToolOutput};
use cogtools_executor::{Attempt, Completion, Failure, Graph, Need, Node, Retry, Work};
use cogtools_log::{NodeEvent, NodeState, Route};
use cogtools_program::call_timeout;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::earlier::key;
use crate::inputs::read_answer;
use crate::recorder::RecordedWork;
use crate::routing::Capabilities;
use crate::run::FlowRun;

/// The end of a node: a value, or none because its condition does not hold.
pub(crate) type Done = Result<Option<Value>, Box<Diagnostic>>;

/// The nodes of a flow that runs.
pub(crate) struct FlowWork {
    /// The inputs of the run.
    pub(crate) run: FlowRun,
    /// The answers of models, if they are recorded or replayed.
    tape: Option<FlowTape>,
    /// Facts for the lines about nodes.
    outcomes: Arc<Mutex<BTreeMap<String, NodeEvent>>>,
    /// The errors of nodes that have failed, for nodes that read them.
    errors: Mutex<BTreeMap<String, String>>,
    /// The capabilities of tools, once a node asks for one.
    capabilities: OnceLock<Capabilities>,
    /// The folder in which its agents count what they spend, unless an outer flow has one.
    _money: Option<TempFolder>,
}

impl FlowWork {
    pub(crate) fn new(mut run: FlowRun) -> Result<Self, Box<Diagnostic>> {
        let asks = run.tool.asks_a_model();
        let environment = asks.then_some(&mut run.cx.environment);
        Ok(Self {
            _money: environment.map_or(Ok(None), share_money)?,
            tape: run.cx.call.tape.as_ref().map(FlowTape::open).transpose()?,
            run,
            outcomes: Arc::default(),
            errors: Mutex::default(),
            capabilities: OnceLock::new(),
        })
    }

    /// The flow.
    pub(crate) fn flow(&self) -> Result<&Flow, Box<Diagnostic>> {
        let flow = self.run.tool.flow();
        flow.ok_or_else(|| internal("a flow without nodes"))
    }

    /// Writes the answers of models, if they are recorded.
    pub(crate) fn save_tape(&self) -> Result<(), Box<Diagnostic>> {
        let tape = self.tape.as_ref();
        tape.map_or(Ok(()), |tape| tape.save(&self.run.cx.root))
    }

    pub(crate) fn note(&self, id: &str, mut outcome: NodeEvent) {
        let mut outcomes = self.outcomes.lock();
        // Earlier attempts have asked models, too.
        outcome.model = outcomes.remove(id).and_then(|before| before.model);
        outcomes.insert(id.to_owned(), outcome);
    }

    /// Records the events within the node or item `id`: of models, and of nodes of other flows.
    pub(crate) fn events_of(&self, id: &str) -> LineSink {
        let (recorder, outcomes) = (self.run.recorder.clone(), Arc::clone(&self.outcomes));
        let id = id.to_owned();
        LineSink::new(move |line| {
            let mut outcomes = outcomes.lock();
            let outcome = outcomes.entry(id.clone()).or_default();
            recorder.within(&id, line, &mut outcome.model);
        })
    }

    /// The value that stands for a node that has failed, if the flow reads its error.
    pub(crate) fn error_of(&self, id: &str) -> Option<Value> {
        let error = self.errors.lock().get(id).cloned();
        error.map(|error| json!({ "error": error }))
    }

    /// Runs `node` with these variables for the `attempt`th time, unless no router has chosen it.
    fn complete(
        &self,
        node: &FlowNode,
        variables: &Map<String, Value>,
        attempt: u32,
        cancel: &Cancel,
    ) -> Result<Completion, Failure> {
        let is_chosen = |router: &String| {
            let chosen = variables.get(router).and_then(Value::as_str);
            chosen == Some(node.id.as_str())
        };
        if !node.routers.is_empty() && !node.routers.iter().any(is_chosen) {
            return Ok(self.skip(&node.id, "not chosen".to_owned()));
        }
        match self.run_node(node, variables, attempt, cancel) {
            Ok(Some(value)) => Ok(Completion::Done(value)),
            Ok(None) => Ok(Completion::Skip),
            Err(diagnostic) => Err(Failure {
                is_final: !may_pass(diagnostic.code, node),
                is_blocking: !may_be_value(diagnostic.code, node),
                diagnostic,
            }),
        }
    }

    fn skip(&self, id: &str, because: String) -> Completion {
        let because = Some(because);
        let outcome = NodeEvent {
            state: NodeState::Skipped { because },
            ..NodeEvent::default()
        };
        self.note(id, outcome);
        Completion::Skip
    }

    /// Does the work of `node` with these variables, for the `attempt`th time.
    fn run_node(
        &self,
        node: &FlowNode,
        variables: &Map<String, Value>,
        attempt: u32,
        cancel: &Cancel,
    ) -> Done {
        let mut cx = self.run.cx.clone().ended_by(cancel);
        if !self.run.counted.is_empty() {
            cx.call.counted = Arc::clone(&self.run.counted);
            let recorder = self.run.recorder.clone();
            cx.call.events = Some(LineSink::new(move |line| recorder.pass(line)));
        }
        let approved = approve(&self.run.tool, &cx)?;
        let done = match approved.work(&node.id, variables, attempt)?.action(&cx)? {
            FlowAction::Each(each, items) => {
                let results = self.run_each((node, each), items, variables, (&approved, &cx));
                return results.map(Some);
            }
            action => self.perform(&node.id, node, action, variables, cancel)?,
        };
        done.map(|value| check(&approved, node, variables, value))
            .transpose()
    }

    /// Does `action` of `node`, which is not `each`. `id` is the name of the node or of an item.
    pub(crate) fn perform(
        &self,
        id: &str,
        node: &FlowNode,
        action: FlowAction<'_>,
        variables: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Done {
        match action {
            FlowAction::Skip => Ok(None),
            FlowAction::Done(value) => Ok(Some(value)),
            FlowAction::Call(call) => self.call(id, node, call, variables, cancel).map(Some),
            FlowAction::Agent(question) => {
                let timeout = node.timeout.unwrap_or_else(|| self.run.tool.timeout);
                self.ask_model(id, &question, timeout, cancel).map(Some)
            }
            FlowAction::Code(task) => self.run_code(id, node, task, cancel).map(Some),
            FlowAction::Ask(question) => self.answer(id, node, question).map(Some),
            FlowAction::Each(..) => Err(internal("a list within a list")),
        }
    }

    /// The answer of the user to `node`.
    ///
    /// # Errors
    /// `ANSWER_WANTED` if there is none, or it is not valid.
    fn answer(
        &self,
        id: &str,
        node: &FlowNode,
        question: String,
    ) -> Result<Value, Box<Diagnostic>> {
        let wanted = Diagnostic::new(Code::AnswerWanted, question);
        let ask = node.ask().ok_or_else(|| internal("no question"))?;
        let Some(answer) = self.run.answers.lock().get(id).cloned() else {
            let is_open = ask.timeout.is_some() || self.run.has_person;
            let default = ask.default.clone().filter(|_| !is_open);
            return default.ok_or_else(|| Box::new(wanted));
        };
        read_answer(ask, &answer).map_err(|reason| Box::new(wanted.hint(reason)))
    }

    /// The context of the work of a node or item, whose models answer as `tape` says.
    pub(crate) fn context(
        &self,
        id: &str,
        tape: Option<&NodeTape<'_>>,
        cancel: &Cancel,
    ) -> Context {
        let mut cx = self.run.cx.clone().ended_by(cancel);
        cx.call.tape = tape.map(NodeTape::tape);
        cx.call.events = Some(self.events_of(id));
        cx
    }

    /// Calls a tool.
    fn call(
        &self,
        id: &str,
        node: &FlowNode,
        call: FlowCall,
        variables: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        let mut outcome = NodeEvent {
            inputs: Some(call.arguments.clone().into()),
            ..NodeEvent::default()
        };
        let tool = self.tool_for(call.target, &mut outcome);
        if let Some(route) = &mut outcome.route {
            route.intent = self.intent(node, variables);
        }
        let example = self.example_result(tool.as_ref().ok(), outcome.route.as_ref());
        if let Ok(tool) = &tool
            && node.is_cached
            && call.preset.is_none()
            && example.is_none()
        {
            outcome.key = key(tool, &call.arguments, &self.run.registry);
        }
        let known = outcome.key.as_deref();
        let known = known.and_then(|key| self.run.earlier.get(key));
        outcome.cached = known.is_some();
        self.note(id, outcome);
        let tool = tool?;
        if let Some(value) = known.or(example).or(call.preset) {
            return Ok(value);
        }
        let registry = &self.run.registry;
        let call = registry
            .prepare_tool(tool, Arguments::from(call.arguments))
            .map_err(Diagnostic::merge)?;
        approve_call(&self.run.tool, call.tool(), &self.run.cx)?;
        // The deadline of a call ends that call alone.
        let cancel = cancel.child();
        let tape = self.tape_of(id)?;
        let mut cx = self.context(id, tape.as_ref(), &cancel);
        cx.call.is_in_flow = true;
        let limit = call.limit().within(node.timeout);
        let output = call_timeout::run_within(&limit, &cancel, move || call.run(&cx));
        value_of(output.map_err(Diagnostic::merge)?)
    }

    /// The result that the example under test gives a tool, by its name or by the capability that
    /// it was chosen for.
    fn example_result(&self, tool: Option<&Tool>, route: Option<&Route>) -> Option<Value> {
        let names = [
            tool.map(|tool| tool.name().as_str()),
            route.map(|route| &*route.operation),
            route.map(|route| &*route.capability),
        ];
        let mut names = names.into_iter().flatten();
        let presets = &self.run.cx.call.presets;
        names.find_map(|name| presets.get(name)).cloned()
    }

    /// The answer of a model, in JSON, that `node` needs: the user's intent.
    fn intent(&self, node: &FlowNode, variables: &Map<String, Value>) -> Option<Value> {
        let flow = self.run.tool.flow()?;
        let is_agent = |id: &str| flow.node(id).is_some_and(FlowNode::asks_a_model);
        let mut needs = node.needs.iter().filter(|need| is_agent(&need.node));
        let answers = needs.find_map(|need| variables.get(&need.node));
        answers.filter(|answer| answer.is_object()).cloned()
    }

    /// The tool of a call. How it is chosen is noted in `outcome`.
    fn tool_for(
        &self,
        target: FlowTarget,
        outcome: &mut NodeEvent,
    ) -> Result<Tool, Box<Diagnostic>> {
        let name = match target {
            FlowTarget::Name(name) => name,
            FlowTarget::Capability { capability, among } => {
                let capabilities = || Capabilities::new(&self.run.registry);
                let capabilities = self.capabilities.get_or_init(capabilities);
                let (route, tool) = capabilities.route(&capability, &among);
                outcome.route = Some(route);
                tool?
            }
        };
        let tool = self.run.registry.find(&name);
        tool.map_err(|error| Diagnostic::merge(error.diagnostics()))
    }

    /// Asks a model. The answer is text, JSON, or the name of the node that it chooses.
    fn ask_model(
        &self,
        id: &str,
        question: &FlowQuestion,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        let failed = |message| Box::new(Diagnostic::new(Code::NodeFailed, message));
        let tape = self.tape_of(id)?;
        if tape.as_ref().is_some_and(|tape| tape.is_missing) {
            return Err(failed("the recording has no answer for this node"));
        }
        let cx = self.context(id, tape.as_ref(), cancel);
        let answer = question.task.run(timeout, &cx)?;
        if let Some((yes, no)) = &question.branches {
            return Ok(if says_true(&answer) { yes } else { no }.as_str().into());
        }
        if !question.is_json {
            return Ok(answer.into());
        }
        match cogtools_lenient_json::last(&answer) {
            Ok(found) if found.is_cut() => Err(failed("the answer ends within its JSON")),
            Ok(found) => Ok(found.value.into()),
            Err(_) => Err(failed("the answer is not JSON")),
        }
    }

    /// The recording of the next run of a node, if there is one.
    pub(crate) fn tape_of(&self, id: &str) -> Result<Option<NodeTape<'_>>, Box<Diagnostic>> {
        let tape = self.tape.as_ref();
        tape.map(|tape| tape.of_node(id)).transpose()
    }
}

/// `value`, if it meets the checks of `node`; it is the result of the node or of an item.
pub(crate) fn check(
    approved: &Approved<&Tool>,
    node: &FlowNode,
    variables: &Map<String, Value>,
    value: Value,
) -> Result<Value, Box<Diagnostic>> {
    if node.until.is_empty() {
        return Ok(value);
    }
    let mut variables = variables.clone();
    variables.insert(node.id.clone(), value.clone());
    match approved.work(&node.id, &variables, 1)?.failed_check()? {
        None => Ok(value),
        Some(check) => {
            let message = format!("its result does not meet `{check}`");
            Err(Box::new(Diagnostic::new(Code::NodeFailed, message)))
        }
    }
}

/// The value of an output: JSON where the tool declares it, else text, which is whole.
pub(crate) fn value_of(output: ToolOutput) -> Result<Value, Box<Diagnostic>> {
    match output.value {
        Some(value) => Ok(value),
        None if output.truncated_bytes == 0 => Ok(output.text.into()),
        None => {
            let bytes = output.truncated_bytes;
            let message = format!("its result is too long: {bytes} bytes would be left out");
            let diagnostic = Diagnostic::new(Code::ToolFailed, message);
            Err(Box::new(diagnostic.hint("ask the tool for less")))
        }
    }
}

/// Returns true if an answer is the word "true".
fn says_true(answer: &str) -> bool {
    let word = answer.trim();
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
    word.eq_ignore_ascii_case("true")
}

impl Work for FlowWork {
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure> {
        let flow = self.run.tool.flow();
        let Some(node) = flow.and_then(|flow| flow.node(attempt.node())) else {
            return Err(Failure::is_final(*internal("no such node")));
        };
        let mut variables = self.run.arguments.clone();
        for need in &node.needs {
            let result = attempt.result(&need.node);
            let given = || self.run.given.get(&need.node).cloned();
            let error = || self.error_of(&need.node).filter(|_| need.reads_error);
            let value = result.map(|value| (*value).clone());
            let value = value.or_else(given).or_else(error);
            if value.is_none() && !need.is_optional {
                return Ok(self.skip(&node.id, format!("needs `{}`", need.node)));
            }
            variables.insert(need.node.clone(), value.unwrap_or_default());
        }
        let number = attempt.number + self.run.earlier_attempts;
        self.complete(node, &variables, number, &attempt.cancel)
    }
}

impl RecordedWork for FlowWork {
    fn start(&self, _: &str) -> Option<NodeEvent> {
        Some(NodeEvent::default())
    }

    fn take_outcome(&self, node: &str) -> NodeEvent {
        self.outcomes.lock().remove(node).unwrap_or_default()
    }

    fn fail(&self, node: &str, failure: &Failure) {
        let flow = self.run.tool.flow();
        let keeps_error = flow.and_then(|flow| flow.node(node));
        if keeps_error.is_some_and(|node| node.keeps_error) && !failure.is_blocking {
            self.errors
                .lock()
                .insert(node.to_owned(), failure.diagnostic.summary());
        }
    }
}

/// The graph of `flow`.
pub(crate) fn graph(flow: &Flow) -> Result<Graph, Box<Diagnostic>> {
    // A file that was loaded has a valid one.
    Graph::new(flow.nodes().iter().map(graph_node).collect())
        .map_err(|error| Box::new(Diagnostic::new(Code::InvalidTool, error.to_string())))
}

/// The node of the graph for `node`.
pub(crate) fn graph_node(node: &FlowNode) -> Node {
    let is_list = node.kind() == "each";
    let needs = node.needs.iter().map(|need| Need {
        node: need.node.clone(),
        is_optional: need.is_optional || need.reads_error,
        may_fail: need.may_fail,
    });
    Node {
        id: node.id.clone(),
        needs: needs.collect(),
        // The items of a list are run again one by one.
        retry: if is_list {
            Retry::default()
        } else {
            node.retry
        },
        timeout: node.timeout.filter(|_| !is_list),
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

/// Returns true if another attempt of `node` may do better.
pub(crate) fn may_pass(code: Code, node: &FlowNode) -> bool {
    RETRYABLE.contains(&code) || (code == Code::ModelFailed && node.asks_a_model())
}

/// Returns true if a flow that ends with a failure of `node` fails with the same `code`.
pub(crate) fn keeps_code(code: Code, node: &FlowNode) -> bool {
    code == Code::StaleRecording || node.asks_a_model()
}

/// Returns true if a flow may go on with a failure of `node` as a value. The faults of a project and
/// the questions of a node are none.
pub(crate) fn may_be_value(code: Code, node: &FlowNode) -> bool {
    match code {
        Code::Usage
        | Code::InvalidConfig
        | Code::InvalidTool
        | Code::Denied
        | Code::Locked
        | Code::Internal
        | Code::AnswerWanted
        | Code::ApprovalWanted
        | Code::StaleRecording => false,
        // What a template makes is data; what the file says is its fault.
        Code::ToolNotFound | Code::AmbiguousCapability => {
            let call = node.call();
            call.is_none_or(|call| call.name().or_else(|| call.capability()).is_none())
        }
        _ => true,
    }
}

fn internal(message: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::Internal, message))
}
