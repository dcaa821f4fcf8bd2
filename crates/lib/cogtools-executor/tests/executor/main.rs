//! Graphs that are run for real, on threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_executor::{
    Attempt, Completion, Event, Execution, Failure, Graph, Node, Observer, OnFailure, Options,
    State, Stop, Work, execute,
};
use serde_json::{Value, json};

mod endings;
mod graphs;
mod order;
mod random;
mod retries;
mod scale;

/// `node`, which runs after `other` has ended in any way.
fn after_any(node: Node, other: impl Into<String>) -> Node {
    let mut node = node.after(other);
    if let Some(need) = node.needs.last_mut() {
        (need.is_optional, need.may_fail) = (true, true);
    }
    node
}

/// `node`, which runs after `other` has succeeded or was skipped.
fn after_skipped(node: Node, other: impl Into<String>) -> Node {
    let mut node = node.after(other);
    if let Some(need) = node.needs.last_mut() {
        need.is_optional = true;
    }
    node
}

/// Work that a test describes.
struct Script<F>(F);

impl<F> Work for Script<F>
where
    F: Fn(&Attempt) -> Result<Completion, Failure> + Send + Sync + 'static,
{
    fn run(&self, attempt: &Attempt) -> Result<Completion, Failure> {
        (self.0)(attempt)
    }
}

/// The events of a run, one line each, without durations.
#[derive(Debug, Default)]
struct Record {
    lines: Vec<String>,
    /// After how many events nothing more can be recorded.
    capacity: Option<usize>,
}

impl Observer for Record {
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        if self
            .capacity
            .is_some_and(|capacity| self.lines.len() >= capacity)
        {
            return Err(Stop);
        }
        self.lines.push(match event {
            Event::Started { node, attempt } => format!("{node} started {attempt}"),
            Event::Succeeded { node, value, .. } => format!("{node} succeeded {value}"),
            Event::Retrying { node, delay, .. } => format!("{node} again in {delay:?}"),
            Event::Failed { node, failure, .. } => {
                format!("{node} failed: {}", failure.diagnostic.message)
            }
            Event::Skipped { node, reason } => format!("{node} skipped: {reason:?}"),
        });
        Ok(())
    }
}

/// One node at a time, and the first failure ends the run.
fn options() -> Options {
    Options {
        max_parallel: 1,
        on_failure: OnFailure::Stop,
        interrupt: Cancel::default(),
        done: BTreeMap::new(),
        failed: BTreeMap::new(),
        cancel: Cancel::default(),
    }
}

fn failure(message: &str) -> Failure {
    Failure::new(Diagnostic::new(Code::ToolFailed, message))
}

/// A failure after which nothing that needs the node may run.
fn blocking(message: &str) -> Failure {
    Failure {
        is_final: true,
        is_blocking: true,
        ..failure(message)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is the end of work")]
fn done(value: impl Into<Value>) -> Result<Completion, Failure> {
    Ok(Completion::Done(value.into()))
}

/// Runs `nodes`, and returns what was recorded, and the states.
fn run<F>(nodes: Vec<Node>, options: Options, work: F) -> (Vec<String>, Execution)
where
    F: Fn(&Attempt) -> Result<Completion, Failure> + Send + Sync + 'static,
{
    let graph = Graph::new(nodes).expect("a graph");
    let mut record = Record::default();
    let execution = execute(graph, Arc::new(Script(work)), options, &mut record);
    (record.lines, execution)
}

/// A list that threads append to.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<Vec<String>>>);

impl Shared {
    fn add(&self, text: &str) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(text.to_owned());
    }

    fn get(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
