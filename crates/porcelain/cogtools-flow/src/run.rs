//! A run of a flow: its nodes, then its output. `run`, `call` and `resume` run whole flows.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use cogtools_code::Recorded;
use cogtools_core::approval::approve;
use cogtools_core::arguments::Arguments;
use cogtools_core::schema::Schema;
use cogtools_core::tool::{Flow, FlowNode, FlowReport, FlowTask, printed};
use cogtools_core::{AskConfig, Cancel, Code, Context, Diagnostic, Question, Registry, Tool, json};
use cogtools_executor::{Failure as NodeFailure, Options, SkipReason, State, execute};
use cogtools_log::view::{NodeRun, Results};
use cogtools_log::{EndStatus, Event};
use cogtools_program::args::RegistryArgs;
use cogtools_program::call::quote;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io, Severity, render_hint, text_input};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::code_node::{programs, rules};
use crate::earlier::{EarlierResults, tolerated, tolerated_before};
use crate::inputs::{self, AnswerArg, FlowArg, TapeArgs, ask_person, pair};
use crate::journal::{self, NewSessionArgs};
use crate::live::LiveTree;
use crate::recorder::{Events, RecordedWork as _, Recorder};
use crate::show::{Repeatable, node_of};
use crate::work::{FlowWork, graph, keeps_code};

/// The number of nodes that run at the same time.
pub(crate) const MAX_PARALLEL: usize = 8;
/// Standard error, for events of a call.
const STDERR: u8 = 2;

/// The inputs of a run.
pub(crate) struct FlowRun {
    pub(crate) tool: Tool,
    /// The arguments of the call, with defaults.
    pub(crate) arguments: Map<String, Value>,
    pub(crate) registry: Registry,
    pub(crate) cx: Context,
    /// The results of an earlier run of this session: these nodes and items do not run again.
    pub(crate) results: Results,
    /// The failures of an earlier run of this session with which it has gone on.
    pub(crate) failed: BTreeMap<String, NodeFailure>,
    /// The results of nodes that another engine has run.
    pub(crate) given: Map<String, Value>,
    /// The attempts of the nodes that another engine has made.
    pub(crate) earlier_attempts: u32,
    /// The answers of the user, by node.
    pub(crate) answers: Mutex<BTreeMap<String, String>>,
    pub(crate) recorder: Recorder,
    /// Code that counts the branches of nodes, by node.
    pub(crate) counted: Arc<BTreeMap<String, String>>,
    /// The rules for calls of tools by code.
    pub(crate) rules: AskConfig,
    /// The programs of an earlier run of this session, by the nodes and items that they go on in.
    pub(crate) programs: Mutex<BTreeMap<String, Recorded>>,
    /// The results that nodes with `cache` may use.
    pub(crate) earlier: EarlierResults,
    /// The command that goes on with the session; empty if the caller is a program.
    pub(crate) resume: String,
    /// Ends the run after the nodes that run.
    pub(crate) interrupt: Cancel,
    /// True if a person answers questions, so that no default does.
    pub(crate) has_person: bool,
    /// True if standard error is a terminal, which shows the nodes while they run.
    pub(crate) is_live: bool,
}

/// The states of nodes, by their names.
type States = BTreeMap<String, State>;

/// A person who answers: gets a node, its question with the fault of the last answer, and the
/// states of all nodes. Without an answer, the run waits.
pub(crate) type Person<'p> =
    &'p mut dyn FnMut(&FlowNode, &Diagnostic, &States) -> Result<Option<String>, Failure>;

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
            results: Results::default(),
            failed: BTreeMap::new(),
            given: Map::new(),
            earlier_attempts: 0,
            answers: Mutex::default(),
            recorder: Recorder::default(),
            counted: Arc::default(),
            rules: AskConfig::default(),
            programs: Mutex::default(),
            earlier: EarlierResults::default(),
            resume: String::new(),
            interrupt: Cancel::default(),
            has_person: false,
            is_live: false,
        }
    }

    /// Runs the nodes, and returns the output.
    ///
    /// # Errors
    /// `NODE_FAILED`, or the code of a model's failure, if a node has failed that another one or
    /// the output needs; `ANSWER_WANTED` if one waits for the user; `OUTPUT_SKIPPED`.
    pub(crate) fn run(self) -> Result<Value, Failure> {
        self.run_with(None)
    }

    /// Like [`Self::run`]. A person who is there answers questions.
    pub(crate) fn run_with(mut self, mut person: Option<Person<'_>>) -> Result<Value, Failure> {
        // Each node needs it; without it, none begins.
        approve(&self.tool, &self.cx)?;
        self.has_person = person.is_some();
        let mut options = Options {
            max_parallel: MAX_PARALLEL,
            done: std::mem::take(&mut self.results.nodes),
            failed: std::mem::take(&mut self.failed),
            cancel: self.cx.cancel.clone(),
            interrupt: self.interrupt.clone(),
            ..Options::default()
        };
        let work = Arc::new(FlowWork::new(self)?);
        for (id, failure) in &options.failed {
            work.fail(id, failure);
        }
        let (run, flow) = (&work.run, work.flow()?);
        let (states, found) = loop {
            let mut events = Events::new(work.clone(), run.recorder.clone(), run.cx.cancel.clone());
            events.live = run.is_live.then(|| LiveTree::new(flow));
            let states = execute(graph(flow)?, work.clone(), options.clone(), &mut events).states;
            drop(events.live);
            if let Some(failure) = events.failure {
                return Err(failure.into());
            }
            let found = failure(&work, flow, &states);
            let wanted = found.as_ref().filter(|it| it.code == Code::AnswerWanted);
            let node = wanted.and_then(|wanted| flow.node(&wanted.subject));
            let (Some(wanted), Some(node), Some(person)) = (wanted, node, person.as_mut()) else {
                break (states, found);
            };
            let Some(answer) = person(node, wanted, &states)? else {
                break (states, found);
            };
            run.answers.lock().insert(node.id.clone(), answer);
            options.done = succeeded(&states).collect();
            options.failed = tolerated(flow, &states).collect();
        };
        let is_cancelled = states
            .values()
            .any(|state| *state == State::Skipped(SkipReason::Cancelled));
        let result = match found {
            Some(failure) => Err(Box::new(failure)),
            None if is_cancelled => Err(interrupted(run, &states)),
            None => output(&work, flow, &states),
        };
        let status = match &result {
            _ if is_cancelled || run.cx.cancel.is_cancelled() => EndStatus::Cancelled,
            Ok(_) => EndStatus::Completed,
            Err(diagnostic) => EndStatus::failed(diagnostic.code),
        };
        if let Ok(value) = &result {
            run.recorder.reply(&printed(value))?;
        }
        run.recorder.end(status)?;
        work.save_tape()?;
        Ok(result?)
    }
}

/// The results of the nodes that have one.
fn succeeded(states: &States) -> impl Iterator<Item = (String, Value)> {
    states.iter().filter_map(|(id, state)| match state {
        State::Succeeded(value) => Some((id.clone(), Value::clone(value))),
        State::Failed(_) | State::Skipped(_) => None,
    })
}

/// The output: the variables are the arguments, and the result or the error of each node.
fn output(
    work: &FlowWork,
    flow: &Flow,
    states: &BTreeMap<String, State>,
) -> Result<Value, Box<Diagnostic>> {
    let mut variables = work.run.arguments.clone();
    for node in flow.nodes() {
        let value = match states.get(&node.id) {
            Some(State::Succeeded(value)) => (**value).clone(),
            _ => work.error_of(&node.id).unwrap_or_default(),
        };
        variables.insert(node.id.clone(), value);
    }
    let value = flow.output(&work.run.tool, &variables)?;
    let is_skipped = |id: &str| matches!(states.get(id), Some(State::Skipped(_)));
    match flow.sources_of_output(work.run.tool.text(), &value) {
        nodes if !nodes.is_empty() && nodes.iter().all(|id| is_skipped(id)) => {
            let names = format!("`{}`", nodes.join("` and `"));
            let message = format!("there is no output: {names} did not run");
            let mut diagnostic = Diagnostic::new(Code::OutputSkipped, message)
                .with_subject(work.run.tool.name().as_str());
            if work.run.recorder.has_session() {
                let trace = work.run.resume.replacen("resume", "trace", 1);
                diagnostic = diagnostic.hint(format!("`{trace}` says why"));
            }
            Err(Box::new(diagnostic))
        }
        _ => work.run.tool.check_output(&value).map(|()| value),
    }
}

/// The failure of a run that the user has interrupted.
fn interrupted(run: &FlowRun, states: &BTreeMap<String, State>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(Code::NodeFailed, "the run was interrupted")
        .with_subject(run.tool.name().as_str());
    Box::new(if run.recorder.has_session() {
        diagnostic.hint(progress(states, &run.resume))
    } else {
        diagnostic
    })
}

/// The number of nodes that are done, and the command that goes on.
fn progress(states: &BTreeMap<String, State>, resume: &str) -> String {
    let is_done = |state: &&State| matches!(state, State::Succeeded(_));
    let done = pluralize(states.values().filter(is_done).count(), "node");
    format!("{done} done; `{resume}` goes on here")
}

/// The failure of the run: of the first node that has failed, unless the flow goes on with it.
fn failure(work: &FlowWork, flow: &Flow, states: &BTreeMap<String, State>) -> Option<Diagnostic> {
    let (node, reason) = flow
        .nodes()
        .iter()
        .find_map(|node| match states.get(&node.id) {
            Some(State::Failed(failure)) if failure.is_blocking || !flow.tolerates(node) => {
                Some((node, &failure.diagnostic))
            }
            _ => None,
        })?;
    let (run, id) = (&work.run, node.id.as_str());
    let resume = run.recorder.has_session().then_some(run.resume.as_str());
    if reason.code == Code::AnswerWanted {
        let mut diagnostic = Diagnostic::new(Code::AnswerWanted, reason.message.clone());
        diagnostic.hints.clone_from(&reason.hints);
        let again = || format!("cogtools flow run {}", run.tool.name());
        let hint = if run.resume.is_empty() {
            // A model may read it, which must not answer.
            "only a person can answer this, not a caller of the tool".to_owned()
        } else {
            let command = resume.map_or_else(again, str::to_owned);
            format!("`{command} --answer {id}=…` answers, and goes on")
        };
        return Some(diagnostic.with_subject(id).hint(hint));
    }
    let mut diagnostic = match reason.code {
        Code::NodeFailed => Diagnostic::new(Code::NodeFailed, reason.summary()),
        // The status is that of the cause.
        code if keeps_code(code, node) => Diagnostic::new(code, reason.summary()),
        code => {
            let message = format!("{}: {}", code.name(), reason.summary());
            Diagnostic::new(Code::NodeFailed, message)
        }
    };
    diagnostic.details.clone_from(&reason.details);
    diagnostic.hints.clone_from(&reason.hints);
    if let Some(resume) = resume {
        diagnostic = diagnostic.hint(progress(states, resume));
    }
    Some(diagnostic.with_subject(id))
}

/// Shows an output, with the end of its last line.
fn show(value: &Value, io: &mut Io<'_>) -> Result<(), Failure> {
    let text = printed(value);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    io.show(&format!("{text}{end}"))
}

/// Run a flow, and print its output
#[derive(Args)]
#[group(skip)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    flow: FlowArg,
    /// Its arguments; KEY:=JSON passes any value
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,
    #[command(flatten)]
    answers: AnswerArg,
    #[command(flatten)]
    session: NewSessionArgs,
    #[command(flatten)]
    tape: TapeArgs,
    #[command(flatten)]
    registry: RegistryArgs,
}

impl RunArgs {
    /// Runs the flow that the command line names.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let tool = inputs::find(&self.flow.flow, &registry, io)?;
        let arguments = inputs::read(&self.arguments, &tool)?;
        let answers = self.answers.with_stdin(io)?;
        inputs::check_answers(&answers, &tool, &Results::default())?;
        // The new session has no results yet.
        let earlier = EarlierResults::of(&tool, io);
        let mut cx = context.context(io);
        cx.call.tape = self.tape.tape(io);
        cx.cancel = io.signals.begin();
        // A run that may not begin leaves no session.
        approve(&tool, &cx)?;
        let (recorder, resume) = self.session.begin("flow", io)?;
        let run = FlowRun {
            answers: Mutex::new(answers),
            interrupt: io.signals.begin_with_interrupt(),
            is_live: io.terminals.stderr,
            resume,
            recorder,
            earlier,
            rules: rules(io)?,
            ..FlowRun::new(tool, arguments, registry, cx)
        };
        let digest = FlowTask::digest(&run.tool);
        let name = run.tool.name().as_str();
        run.recorder.flow(name, digest, &run.arguments)?;
        run_for_person(run, io)
    }
}

/// Runs a flow for the user, who can be asked at a terminal, and prints the output.
fn run_for_person(run: FlowRun, io: &mut Io<'_>) -> Result<(), Failure> {
    let result = if io.is_person() {
        run.run_with(Some(&mut |node, wanted, _| ask_person(node, wanted, io)))
    } else {
        run.run()
    };
    match result {
        Ok(value) => show(&value, io),
        Err(failure) => {
            // After Ctrl-C, nothing is reported any more.
            if io.signals.is_interrupted() {
                for diagnostic in failure.diagnostics() {
                    io.report(Severity::Error, diagnostic);
                }
            }
            Err(failure)
        }
    }
}

/// Run the flow on standard input, for cogtools-call
#[derive(Args)]
#[group(skip)]
pub(crate) struct CallArgs {
    /// Print what happens to nodes on standard error, one JSON object per line
    #[arg(long)]
    progress: bool,
    #[command(flatten)]
    registry: RegistryArgs,
    #[command(flatten)]
    tape: TapeArgs,
}

impl CallArgs {
    /// Runs the flow on standard input. Its output is printed exactly.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let bytes = text_input::read_bytes(io, "cogtools-call")?;
        let task: FlowTask = json::read_own(&bytes).map_err(|error| {
            let message = format!("standard input is not a call of a flow: {error}");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            Failure::from(diagnostic.hint("this is for cogtools-call; use `cogtools flow run`"))
        })?;
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let is_same = |tool: &Tool| FlowTask::digest(tool) == task.digest;
        let named = inputs::find(&task.tool, &registry, io).ok().filter(is_same);
        let tool = match named {
            Some(tool) => tool,
            None => inputs::find(&task.file.to_string_lossy(), &registry, io)?,
        };
        if !is_same(&tool) {
            let diagnostic = Diagnostic::new(Code::InvalidTool, "the file has just changed");
            let diagnostic = diagnostic.with_subject(task.tool);
            return Err(diagnostic.hint("call it again").into());
        }
        let mut cx = context.context(io);
        cx.call.tape = self.tape.tape(io);
        cx.cancel = io.signals.begin();
        cx.call.presets = Arc::new(task.presets);
        cx.call.rules = task.rules.map(Arc::new);
        let run = FlowRun {
            recorder: if self.progress {
                Recorder::of_descriptor(STDERR)
            } else {
                Recorder::default()
            },
            rules: rules(io)?,
            counted: Arc::new(task.counted),
            earlier: EarlierResults::of(&tool, io),
            arguments: inputs::accept(Arguments::from(task.arguments), &tool)?,
            results: Results {
                nodes: task.results.into_iter().collect(),
                ..Results::default()
            },
            answers: Mutex::new(task.answers),
            ..FlowRun::new(tool, Map::new(), registry, cx)
        };
        if !task.has_person {
            return io.print(printed(&run.run()?).as_bytes());
        }
        let name = run.tool.name().to_string();
        let mut waiting = None;
        let result = run.run_with(Some(&mut |node, wanted, states| {
            waiting = Some(FlowReport::Waiting {
                question: Box::new(question(name.clone(), node, wanted)),
                results: succeeded(states).collect(),
            });
            Ok(None)
        }));
        let report = match waiting {
            Some(report) => report,
            None => FlowReport::Output(printed(&result?)),
        };
        // Text and JSON can always be serialized.
        io.print(&serde_json::to_vec(&report).unwrap_or_default())
    }
}

/// The question of `node` of the flow `tool`. A hint before the last one is the fault of an answer.
fn question(tool: String, node: &FlowNode, wanted: &Diagnostic) -> Question {
    let reply = node.ask().and_then(|ask| ask.reply.as_ref());
    let fault = wanted.hints.first().filter(|_| wanted.hints.len() > 1);
    Question {
        tool,
        node: node.id.clone(),
        text: wanted.message.clone(),
        reply: reply.map(Schema::to_json_schema),
        fault: fault.map(|fault| render_hint(fault).into_owned()),
    }
}

/// The session of a command.
#[derive(Args)]
#[group(skip)]
pub(crate) struct SessionArg {
    /// The session, by its name or its file; by default, the newest one
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
}

/// Go on with a flow that has failed, waits or was interrupted
#[derive(Args)]
#[group(skip)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    session: SessionArg,
    #[command(flatten)]
    answers: AnswerArg,
    /// Run this node again, although it may have run already
    #[arg(long, value_name = "NODE")]
    repeat: Vec<String>,
    /// The result of a node that was interrupted, which does not run again
    #[arg(long, value_name = "NODE=JSON")]
    result: Vec<String>,
    #[command(flatten)]
    registry: RegistryArgs,
}

impl ResumeArgs {
    /// Goes on with the flow that the command line names.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let name = self.session.session.as_deref();
        let file = journal::locate(name, "flow", io)?;
        let (log, session) = journal::open(&file, io)?;
        let branch = session.branch(None);
        let logged = journal::last(&branch, "flow", &file)?;
        let Event::Flow {
            tool: flow, digest, ..
        } = &logged.entry.event
        else {
            return Err(journal::no_run("flow", &file));
        };
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let tool = inputs::find(flow, &registry, io)?;
        if FlowTask::digest(&tool) != *digest {
            let message = "the flow has changed since this run, so its results may not fit";
            let diagnostic = Diagnostic::new(Code::InvalidSession, message);
            let hint = format!("`cogtools flow run {}` begins again", quote(flow));
            return Err(diagnostic.with_subject(flow.as_str()).hint(hint).into());
        }
        let given = given_results(&self.result)?;
        let answers = self.answers.with_stdin(io)?;
        let mut results = logged.results(&file)?;
        let mut others = inputs::check_answers(&answers, &tool, &results)?;
        others.extend(given.keys());
        for name in self.repeat.iter().chain(given.keys()) {
            inputs::node(tool.flow(), node_of(name))?;
        }
        journal::check_named(&logged, "node", &self.repeat, &others)?;
        let mut repeatable = Repeatable::new(&registry);
        let has_code = |id: &str| {
            let node = tool.flow().and_then(|flow| flow.node(node_of(id)));
            node.is_some_and(|node| !node.code_tools().is_empty())
        };
        let mut programs = programs(&logged, has_code, (&session, &file))?;
        let mut failed = tolerated_before(&tool, &logged, &results);
        failed.retain(|id, _| !self.is_decided(id, &given));
        let open = logged.nodes.values().filter(|node| {
            let program = programs.get(node.id);
            let is_decided = self.is_decided(node.id, &given) || failed.contains_key(node.id);
            !is_decided && !repeatable.run(node, &tool, program, &logged)
        });
        let open: Vec<&NodeRun<'_>> = open.collect();
        let resume = journal::resume("flow", Some(name.unwrap_or(&file.name())));
        let decided = (self.repeat.as_slice(), self.result.as_slice());
        journal::check_interrupted(&open, "node", &resume, decided)?;
        // One that has failed begins anew.
        programs.retain(|id, _| logged.node(id).is_some_and(NodeRun::is_open));
        let recorder = Recorder::new(Some(log), session.head());
        recorder.given(&given)?;
        let (items, nodes): (Vec<_>, Vec<_>) =
            given.into_iter().partition(|(id, _)| id.contains('.'));
        results.items.extend(items);
        results.nodes.extend(nodes);
        let mut overdue = inputs::overdue(&logged, &tool);
        overdue.retain(|node, _| !answers.contains_key(node));
        recorder.given(&overdue)?;
        results.nodes.extend(overdue);
        let cx = context.context(io).ended_by(&io.signals.begin());
        let run = FlowRun {
            results,
            failed,
            answers: Mutex::new(answers),
            interrupt: io.signals.begin_with_interrupt(),
            is_live: io.terminals.stderr,
            recorder,
            rules: rules(io)?,
            programs: Mutex::new(programs),
            earlier: EarlierResults::of(&tool, io),
            resume,
            arguments: inputs::accept(Arguments::from(logged.arguments(&file)?), &tool)?,
            ..FlowRun::new(tool, Map::new(), registry, cx)
        };
        run_for_person(run, io)
    }

    /// Returns true if the command line says what becomes of a node, or of the node of an item.
    fn is_decided(&self, id: &str, given: &BTreeMap<String, Value>) -> bool {
        let is_named = |name| self.repeat.iter().any(|it| it == name) || given.contains_key(name);
        is_named(id) || is_named(node_of(id))
    }
}

/// The results in `NODE=JSON`.
pub(crate) fn given_results(words: &[String]) -> Result<BTreeMap<String, Value>, Failure> {
    let parse = |word: &String| {
        let (node, json) = pair(word, "a result is NODE=JSON")?;
        let value = serde_json::from_str(&json).map_err(|error| {
            let message = format!("the result is JSON: {error}");
            Failure::from(Diagnostic::new(Code::Usage, message).with_subject(node.as_str()))
        })?;
        Ok((node, value))
    };
    words.iter().map(parse).collect()
}
