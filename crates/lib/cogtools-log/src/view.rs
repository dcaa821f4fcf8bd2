//! One view of a session: the steps of a branch with their ends, and its sums.
//!
//! [`View`] pairs a request with its answer, a call with its result, and a step of a plan with its
//! end; [`Run`] is the last plan or flow with its nodes. `session show`, `list` and `export`,
//! `flow trace` and `resume` are drawn from them. So can be what `ask` shows of a session that goes
//! on, and the web view: begin with [`View::of_branch`].

use std::collections::{BTreeMap, HashMap, HashSet};

use cogtools_document::{Code, Diagnostic};
use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::{
    BlobId, CallId, EndStatus, Entry, Event, Id, NodeEvent, NodeState, Session, SessionFile,
    Timestamp, Usage, masked,
};

/// The entries from the root to a leaf.
#[derive(Debug)]
pub struct View<'s> {
    /// The steps, in order.
    pub steps: Vec<Step<'s>>,
    /// The sums of the branch.
    pub summary: Summary<'s>,
}

/// An entry with the one that answers it.
#[derive(Debug)]
pub struct Step<'s> {
    /// The entry.
    pub entry: &'s Entry,
    /// The response to a request, the result of a call, or the end of a step of a plan.
    pub answer: Option<&'s Entry>,
    /// Tokens and money that a request used.
    pub usage: Option<&'s Usage>,
    /// True if it belongs to a plan.
    pub is_planned: bool,
}

/// The numbers of a branch.
#[derive(Debug, Default)]
pub struct Summary<'s> {
    /// The last model.
    pub model: String,
    /// The number of requests.
    pub turns: usize,
    /// The number of calls of tools.
    pub calls: usize,
    /// The time that it ran, in milliseconds, without the time that the user took.
    pub ms: u64,
    /// Tokens and money.
    pub usage: Usage,
    /// The first task, the restatement of the first plan, or the name of the first flow.
    pub task: &'s str,
    /// The end of the last run, if it has ended.
    pub end: Option<&'s EndStatus>,
}

impl<'s> View<'s> {
    /// The branch of `session` that ends at `leaf`, or the one that was written to last.
    pub fn of_branch(session: &'s Session, leaf: Option<Id>) -> Self {
        Self::new(session, &session.branch(leaf))
    }

    /// The entries of `path`.
    pub fn new(session: &'s Session, path: &[&'s Entry]) -> Self {
        let mut steps: Vec<Step<'s>> = Vec::new();
        let mut summary = Summary {
            model: session.header.model.clone(),
            ..Summary::default()
        };
        let mut begun = Begun::default();
        let mut last: Option<Timestamp> = None;
        for entry in path.iter().copied() {
            // The time until the user has an answer; how long the user thinks is not in it.
            if !matches!(entry.event, Event::Task { .. } | Event::Decision { .. }) {
                summary.ms += last.map_or(0, |last| entry.time.millis_since(last));
            }
            last = Some(entry.time);
            if let Event::Usage(usage) = &entry.event {
                summary.usage += usage;
                if let Some(step) = begun.request.and_then(|index| steps.get_mut(index)) {
                    step.usage = Some(usage);
                }
                continue;
            }
            // What agents that are tools have used is paid for as well.
            if let Event::Call(_) = &entry.event {
                for of_agent in session.agents(entry) {
                    if let Event::Usage(usage) = &of_agent.event {
                        summary.usage += usage;
                    }
                }
            }
            if let Event::Node(node) = &entry.event
                && let Some(asked) = &node.model
            {
                summary.usage += &asked.usage;
                summary.model.clone_from(&asked.model);
            }
            let open = begun.add(&entry.event, steps.len());
            summary.add(entry, begun.is_plan);
            if let Some(step) = open.and_then(|index| steps.get_mut(index)) {
                step.answer = Some(entry);
            }
            // The answer to a request is a step too: it has the text.
            let is_end = matches!(entry.event, Event::Result(_) | Event::Node(_));
            if open.is_none() || !is_end {
                steps.push(Step {
                    entry,
                    answer: None,
                    usage: None,
                    is_planned: begun.is_plan,
                });
            }
        }
        Self { steps, summary }
    }
}

/// Steps that may have their end further down, by their indexes.
#[derive(Default)]
struct Begun<'s> {
    request: Option<usize>,
    calls: HashMap<&'s CallId, usize>,
    /// True if the last run is of a plan.
    is_plan: bool,
    /// Steps of the last plan, by name.
    nodes: HashMap<&'s str, usize>,
}

impl<'s> Begun<'s> {
    /// Notes that `event` begins something, which is step `index`; or returns the step that it ends.
    fn add(&mut self, event: &'s Event, index: usize) -> Option<usize> {
        match event {
            Event::Response { .. } => return self.request,
            Event::Result(result) => return self.calls.remove(&result.call),
            Event::Request { .. } => self.request = Some(index),
            Event::Call(call) => {
                self.calls.insert(&call.call, index);
            }
            Event::Plan { .. } | Event::Flow { .. } => {
                self.is_plan = matches!(event, Event::Plan { .. });
                self.nodes.clear();
            }
            Event::Node(event) if self.is_plan => {
                if event.state != NodeState::Started {
                    return self.nodes.remove(event.node.as_str());
                }
                self.nodes.insert(&event.node, index);
            }
            _ => {}
        }
        None
    }
}

impl Step<'_> {
    /// The time until the answer, in milliseconds.
    pub fn ms(&self) -> Option<u64> {
        let answer = self.answer?;
        match &answer.event {
            Event::Result(result) => Some(result.ms),
            Event::Node(node) if node.ms.is_some() => node.ms,
            _ => Some(answer.time.millis_since(self.entry.time)),
        }
    }
}

impl<'s> Summary<'s> {
    fn add(&mut self, entry: &'s Entry, is_plan: bool) {
        match &entry.event {
            Event::Task { .. } | Event::Plan { .. } | Event::Flow { .. } => {}
            Event::Request { model, .. } => {
                self.model.clone_from(model);
                self.turns += 1;
            }
            Event::Node(node) if node.state == NodeState::Started => {
                self.calls += usize::from(is_plan);
            }
            Event::Call(_) => {
                self.calls += 1;
                return;
            }
            Event::End { status } => {
                self.end = Some(status);
                return;
            }
            _ => return,
        }
        if self.task.is_empty() {
            self.task = entry.event.subject().unwrap_or("");
        }
        self.end = None;
    }

    /// The name of the end: its status, or `waiting` if a flow waits for an answer.
    pub fn end_name(&self) -> Option<&'static str> {
        self.end.map(|end| match end {
            EndStatus::Failed { code } if code == Code::AnswerWanted.name() => "waiting",
            end => end.name(),
        })
    }
}

impl Session {
    /// The entries from the root to `leaf`, or to the end of the branch that was written to last.
    pub fn branch(&self, leaf: Option<Id>) -> Vec<&Entry> {
        let leaf = leaf.or_else(|| self.head());
        leaf.map(|leaf| self.path_to(leaf)).unwrap_or_default()
    }

    /// The tokens and the money of all branches: a turn that was taken back is paid for, too.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        for entry in self.nodes() {
            match &entry.event {
                Event::Usage(usage) => sum += usage,
                Event::Node(node) => {
                    if let Some(asked) = &node.model {
                        sum += &asked.usage;
                    }
                }
                _ => {}
            }
        }
        sum
    }

    /// The entries of the agents or the program that the call in the entry `call` has run, and of
    /// those that these have called.
    pub fn agents(&self, call: &Entry) -> Vec<&Entry> {
        let mut ids = HashSet::new();
        let mut entries = Vec::new();
        // A parent comes before its children.
        for entry in self.nodes().filter(|entry| entry.id > call.id) {
            let is_first = matches!(entry.event, Event::Agent { .. } | Event::Program { .. })
                && entry.parent == Some(call.id);
            if is_first || entry.parent.is_some_and(|parent| ids.contains(&parent)) {
                ids.insert(entry.id);
                entries.push(entry);
            }
        }
        entries
    }
}

/// The last plan or flow of a branch, and how far it came.
#[derive(Debug)]
pub struct Run<'s> {
    /// The entry with the plan or the flow.
    pub entry: &'s Entry,
    /// The nodes, steps and items that have started or were skipped, by name, in the order of their
    /// first line: how long others took makes no difference.
    pub nodes: IndexMap<&'s str, NodeRun<'s>>,
    /// The reply or the output of the last run, and the blob with the whole of it.
    pub reply: Option<(&'s str, Option<&'s BlobId>)>,
    /// The end of the last run; `None` while it runs, or if it was interrupted.
    pub end: Option<&'s EndStatus>,
}

/// A node of a flow, an item of one, or a step of a plan.
#[derive(Clone, Debug)]
pub struct NodeRun<'s> {
    /// Its name; `NODE.INDEX` of an item, `NODE/INNER` of a node of the flow that it calls.
    pub id: &'s str,
    /// Its last state.
    pub state: &'s NodeState,
    /// The line with that state.
    pub event: &'s NodeEvent,
    /// When its question was asked first, if it has no answer yet.
    pub asked: Option<Timestamp>,
    /// The arguments of its call.
    pub inputs: Option<&'s Value>,
}

/// The results from which a run goes on.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The results of nodes, by name.
    pub nodes: BTreeMap<String, Value>,
    /// The results of items, by `NODE.INDEX`.
    pub items: BTreeMap<String, Value>,
}

impl<'s> Run<'s> {
    /// The last run on `path` of this kind: `plan` or `flow`.
    pub fn last(path: &[&'s Entry], kind: &str) -> Option<Self> {
        let mut found: Option<Self> = None;
        for entry in path.iter().copied() {
            match (&entry.event, &mut found) {
                (event @ (Event::Flow { .. } | Event::Plan { .. }), _) => {
                    found = (event.kind() == kind).then(|| Self {
                        entry,
                        nodes: IndexMap::new(),
                        reply: None,
                        end: None,
                    });
                }
                (Event::Node(event), Some(run)) => {
                    run.end = None;
                    run.add(event, entry.time);
                }
                (Event::Reply { text, blob }, Some(run)) => run.reply = Some((text, blob.as_ref())),
                (Event::End { status }, Some(run)) => run.end = Some(status),
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, event: &'s NodeEvent, time: Timestamp) {
        let before = self.nodes.get(event.node.as_str());
        let started = before.filter(|before| *before.state == NodeState::Started);
        let asked = before.and_then(|before| before.asked);
        let run = NodeRun {
            id: &event.node,
            state: &event.state,
            event,
            asked: match event.state {
                NodeState::Waiting { .. } => asked.or(Some(time)),
                NodeState::Started => asked,
                _ => None,
            },
            // Steps of plans have them at their start.
            inputs: event.inputs.as_ref().or(started.and_then(|it| it.inputs)),
        };
        self.nodes.insert(&event.node, run);
    }

    /// A node; `None` if nothing has happened to it.
    pub fn node(&self, id: &str) -> Option<&NodeRun<'s>> {
        self.nodes.get(id)
    }

    /// The results of nodes, steps and items.
    ///
    /// # Errors
    /// `INVALID_SESSION` if a result cannot be read.
    pub fn results(&self, file: &SessionFile) -> Result<Results, Box<Diagnostic>> {
        let mut results = Results::default();
        for node in self.nodes.values().filter(|node| node.has_result()) {
            let value = node.whole(file);
            let value = value.map_err(|reason| unreadable(node.id, "result", &reason))?;
            let is_item = matches!(self.entry.event, Event::Flow { .. }) && node.id.contains('.');
            let of_kind = if is_item {
                &mut results.items
            } else {
                &mut results.nodes
            };
            of_kind.insert(node.id.to_owned(), value);
        }
        Ok(results)
    }

    /// The results that later runs may use, by the digests of their calls. A result that cannot
    /// be read is left out.
    pub fn keyed_results(&self, file: &SessionFile) -> Vec<(String, Value)> {
        let ended = self.nodes.values().filter(|node| node.has_result());
        ended
            .filter_map(|node| Some((node.event.key.clone()?, node.whole(file).ok()?)))
            .collect()
    }

    /// The whole arguments of a flow; none of a plan.
    ///
    /// # Errors
    /// `INVALID_SESSION` if they cannot be read, or a secret in them is masked.
    pub fn arguments(&self, file: &SessionFile) -> Result<Map<String, Value>, Box<Diagnostic>> {
        let Event::Flow {
            tool,
            arguments,
            blob,
            masked: is_masked,
            ..
        } = &self.entry.event
        else {
            return Ok(Map::new());
        };
        if *is_masked {
            return Err(Box::new(masked(tool, "the arguments").hint("run it anew")));
        }
        match file.blobs().whole(arguments, blob.as_ref()) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(unreadable(tool, "argument map", "it is no object")),
            Err(reason) => Err(unreadable(tool, "argument map", &reason)),
        }
    }
}

impl NodeRun<'_> {
    /// The whole result.
    fn whole(&self, file: &SessionFile) -> Result<Value, String> {
        let shown = self.event.output.as_ref().unwrap_or(&Value::Null);
        file.blobs().whole(shown, self.event.blob.as_ref())
    }

    /// Returns true if it has ended with a result from which a run can go on.
    pub fn has_result(&self) -> bool {
        matches!(self.state, NodeState::Succeeded) && !self.event.masked && !self.is_nested()
    }

    /// Returns true if it is a node of a flow that another node calls.
    pub fn is_nested(&self) -> bool {
        self.id.contains('/')
    }

    /// Returns true if it may have had an effect, and has no result from which a run can go on.
    pub fn is_open(&self) -> bool {
        match self.state {
            _ if self.is_nested() => false,
            NodeState::Started => true,
            NodeState::Succeeded => self.event.masked,
            _ => false,
        }
    }
}

fn unreadable(subject: &str, what: &str, reason: &str) -> Box<Diagnostic> {
    let message = format!("its {what} cannot be read: {reason}");
    let diagnostic = Diagnostic::new(Code::InvalidSession, message).with_subject(subject);
    Box::new(diagnostic.hint("`cogtools session verify` checks the session"))
}
