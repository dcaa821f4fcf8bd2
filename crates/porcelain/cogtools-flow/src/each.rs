//! A node that does the same for each item of a list, several items at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::approval::Approved;
use cogtools_core::tool::{EachNode, FlowAction, FlowNode};
use cogtools_core::{Code, Context, Diagnostic, Tool};
use cogtools_log::{NodeEvent, NodeState};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::recorder::{RecordedWork as _, failed};
use crate::work::{FlowWork, check, may_be_value, may_pass};

/// The most items that are worked on at the same time, whatever a flow says.
const MAX_AT_ONCE: usize = 64;
/// The time between two looks of a pause whether the list is over.
const TICK: Duration = Duration::from_millis(20);
/// The variable with the number of the item.
const INDEX: &str = "index";

/// The list of a node while it is worked off.
struct Worklist<'w> {
    work: &'w FlowWork,
    node: &'w FlowNode,
    each: &'w EachNode,
    items: Vec<Value>,
    /// The variables of every item.
    variables: Map<String, Value>,
    /// True if items read their number.
    reads_index: bool,
    approved: &'w Approved<&'w Tool>,
    cx: &'w Context,
    next: AtomicUsize,
    /// Nothing further starts.
    is_over: AtomicBool,
    results: Mutex<Vec<Value>>,
    failure: Mutex<Option<Box<Diagnostic>>>,
}

impl FlowWork {
    /// Runs `node` for each item, and returns the list of results. An item whose condition does
    /// not hold has null.
    ///
    /// # Errors
    /// The failure of an item, unless errors are kept; those that run are awaited, and no others
    /// start.
    pub(crate) fn run_each(
        &self,
        (node, each): (&FlowNode, &EachNode),
        items: Vec<Value>,
        variables: &Map<String, Value>,
        (approved, cx): (&Approved<&Tool>, &Context),
    ) -> Result<Value, Box<Diagnostic>> {
        let reads = node.item_reads(self.run.tool.text());
        let is_read = |name: &String| reads.as_ref().is_none_or(|reads| reads.contains(name));
        let read = variables.iter().filter(|(name, _)| is_read(name));
        let workers = each.max.clamp(1, MAX_AT_ONCE).min(items.len());
        let list = Worklist {
            work: self,
            node,
            results: Mutex::new(vec![Value::Null; items.len()]),
            each,
            items,
            reads_index: node.reads_index(self.run.tool.text()),
            variables: read.map(|(name, it)| (name.clone(), it.clone())).collect(),
            approved,
            cx,
            next: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            failure: Mutex::default(),
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| list.work_off());
            }
        });
        let failure = list.failure.lock().take();
        failure.map_or_else(|| Ok(std::mem::take(&mut *list.results.lock()).into()), Err)
    }
}

impl Worklist<'_> {
    fn work_off(&self) {
        while !self.is_over() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(index) else {
                return;
            };
            match self.run(index, item) {
                Err(error) if self.each.keeps_errors && may_be_value(error.code, self.node) => {
                    self.results.lock()[index] = json!({"error": error.summary()});
                }
                Ok(value) => self.results.lock()[index] = value,
                Err(error) => {
                    self.is_over.store(true, Ordering::Relaxed);
                    self.failure.lock().get_or_insert(error);
                }
            }
        }
        if self.cx.cancel.is_cancelled() {
            let error = || Box::new(Diagnostic::new(Code::Timeout, "the list was cancelled"));
            self.failure.lock().get_or_insert_with(error);
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.cx.cancel.is_cancelled()
    }

    /// Does the work for an item, as often as `retry` says.
    fn run(&self, index: usize, item: &Value) -> Result<Value, Box<Diagnostic>> {
        let id = format!("{}.{index}", self.node.id);
        if let Some(value) = self.work.run.results.items.get(&id) {
            return Ok(value.clone());
        }
        let mut variables = self.variables.clone();
        if self.reads_index {
            // A parameter or a node keeps its name.
            variables.entry(INDEX).or_insert_with(|| index.into());
        }
        variables.insert(self.each.variable.clone(), item.clone());
        let retry = self.node.retry;
        let mut attempt = 1;
        loop {
            let failure = match self.attempt(&id, &variables, attempt) {
                Err(failure) if may_pass(failure.code, self.node) => failure,
                ended => return ended,
            };
            let delay = retry.delay_after(attempt);
            if !delay.is_some_and(|delay| self.pause(delay)) {
                return Err(failure);
            }
            attempt += 1;
        }
    }

    /// Waits. Returns false if the list is over before.
    fn pause(&self, delay: Duration) -> bool {
        let end = Instant::now() + delay;
        while !self.is_over() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(TICK));
        }
        false
    }

    fn attempt(
        &self,
        id: &str,
        variables: &Map<String, Value>,
        attempt: u32,
    ) -> Result<Value, Box<Diagnostic>> {
        let work = self.approved.work(&self.node.id, variables, attempt)?;
        let action = work.item(self.cx)?;
        // A value that is there at once is as fast again.
        let is_recorded = !matches!(action, FlowAction::Done(_));
        let recorder = &self.work.run.recorder;
        let line = |state, facts| NodeEvent {
            node: id.to_owned(),
            state,
            attempt: Some(attempt).filter(|attempt| *attempt > 1),
            ..facts
        };
        if is_recorded {
            recorder.write(line(NodeState::Started, NodeEvent::default()), None)?;
        }
        let cancel = &self.cx.cancel;
        let done = self.work.perform(id, self.node, action, variables, cancel);
        let value = done.map(Option::unwrap_or_default);
        let value = value.and_then(|value| check(self.approved, self.node, variables, value));
        if is_recorded {
            let state = match &value {
                Ok(_) => NodeState::Succeeded,
                Err(error) => failed(error),
            };
            let event = line(state, self.work.take_outcome(id));
            recorder.write(event, value.as_ref().ok())?;
        }
        value
    }
}
