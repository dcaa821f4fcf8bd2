//! A node that does the same for each item of a list, several items at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::approval::approve;
use cogtools_core::tool::{FlowAction, FlowItems, FlowNode};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_log::NodeState;
use serde_json::{Map, Value};

use crate::graph;
use crate::recorder::Line;
use crate::work::{FlowWork, may_pass};

/// How many items are worked on at the same time, whatever a flow says.
const MAX_AT_ONCE: usize = 64;
/// How often a pause looks whether the list is over.
const TICK: Duration = Duration::from_millis(20);

/// The list of a node while it is worked off.
struct Worklist<'w> {
    work: &'w FlowWork,
    node: &'w FlowNode,
    items: Vec<Value>,
    /// The name of the variable with the item.
    variable: String,
    variables: &'w Map<String, Value>,
    cancel: &'w Cancel,
    next: AtomicUsize,
    /// Nothing further starts.
    is_over: AtomicBool,
    results: Mutex<Vec<Value>>,
    failure: Mutex<Option<Box<Diagnostic>>>,
}

impl FlowWork {
    /// The list with what `node` has done for each item. An item whose condition does not hold has
    /// null.
    ///
    /// # Errors
    ///
    /// The failure of an item; those that run are awaited, and no others start.
    pub(crate) fn run_each(
        &self,
        node: &FlowNode,
        items: FlowItems,
        variables: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        let FlowItems {
            items,
            variable,
            max,
        } = items;
        let workers = max.clamp(1, MAX_AT_ONCE).min(items.len());
        let list = Worklist {
            work: self,
            node,
            results: Mutex::new(vec![Value::Null; items.len()]),
            items,
            variable,
            variables,
            cancel,
            next: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            failure: Mutex::default(),
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| list.work_off());
            }
        });
        let failure = list
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let results = list
            .results
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(Value::Array(results)), Err)
    }
}

impl Worklist<'_> {
    fn work_off(&self) {
        while !self.is_over.load(Ordering::Relaxed) && !self.cancel.is_cancelled() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(index) else {
                return;
            };
            match self.run(index, item) {
                Ok(value) => {
                    let results = self.results.lock();
                    results.unwrap_or_else(PoisonError::into_inner)[index] = value;
                }
                Err(diagnostic) => {
                    self.is_over.store(true, Ordering::Relaxed);
                    let failure = self.failure.lock();
                    let mut failure = failure.unwrap_or_else(PoisonError::into_inner);
                    failure.get_or_insert(diagnostic);
                }
            }
        }
        if self.cancel.is_cancelled() {
            let failure = self.failure.lock();
            let mut failure = failure.unwrap_or_else(PoisonError::into_inner);
            let diagnostic = || Box::new(Diagnostic::new(Code::Timeout, "the list was cancelled"));
            failure.get_or_insert_with(diagnostic);
        }
    }

    /// Does the work for an item, as often as `retry` says.
    fn run(&self, index: usize, item: &Value) -> Result<Value, Box<Diagnostic>> {
        let id = format!("{}.{index}", self.node.id);
        if let Some(value) = self.work.done_items.get(&id) {
            return Ok(value.clone());
        }
        let mut variables = self.variables.clone();
        variables.insert(self.variable.clone(), item.clone());
        let retry = graph::retry(self.node);
        for attempt in 1.. {
            let failure = match self.attempt(&id, &variables, attempt) {
                Err(failure) if may_pass(failure.code) => failure,
                ended => return ended,
            };
            let delay = retry.delay_after(attempt);
            if !delay.is_some_and(|delay| self.pause(delay)) {
                return Err(failure);
            }
        }
        Err(Box::new(Diagnostic::new(Code::Internal, "no attempt")))
    }

    /// Waits. `false` if the list is over before.
    fn pause(&self, delay: Duration) -> bool {
        let end = Instant::now() + delay;
        loop {
            if self.is_over.load(Ordering::Relaxed) || self.cancel.is_cancelled() {
                return false;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(TICK));
        }
    }

    fn attempt(
        &self,
        id: &str,
        variables: &Map<String, Value>,
        attempt: u32,
    ) -> Result<Value, Box<Diagnostic>> {
        let cx = self.work.context(self.cancel);
        let approved = approve(&self.work.tool, &cx)?;
        let action = approved.flow_item(&self.node.id, variables, attempt, &cx)?;
        // What has a value by itself is as fast again.
        let is_recorded = !matches!(action, FlowAction::Done(_));
        let recorder = &self.work.recorder;
        if is_recorded {
            recorder.write(Line::new(id, NodeState::Started))?;
        }
        let done = self
            .work
            .perform(id, self.node, action, variables, self.cancel);
        let outcome = self.work.take_outcome(id);
        let value = done.map(Option::unwrap_or_default);
        let value = value.and_then(|value| self.work.check(self.node, variables, value, &cx));
        if is_recorded {
            let line = match &value {
                Ok(value) => Line::new(id, NodeState::Succeeded).with_output(value),
                Err(error) => Line::failed(id, error),
            };
            recorder.write(line.with_outcome(outcome))?;
        }
        value
    }
}
