//! A run in progress: starts what can run, records what has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use cogtools_core::{Cancel, Code, Diagnostic};
use serde_json::Value;

use crate::work::{self, Ended, Results};
use crate::{Attempt, Completion, Failure, Graph, Progress, Schedule, Work};

/// Interval at which a run checks for cancellation.
const TICK: Duration = Duration::from_millis(20);
/// Time that an attempt has once it is cancelled.
const GRACE: Duration = Duration::from_secs(5);

/// An attempt that runs.
struct Running {
    number: u32,
    start: Instant,
    /// When it has to have ended.
    deadline: Option<Instant>,
    cancel: Cancel,
    /// When it was cancelled.
    cancelled: Option<Instant>,
}

/// A run.
struct Run<'o> {
    graph: Arc<Graph>,
    work: Arc<dyn Work>,
    options: Options,
    schedule: Schedule,
    results: Arc<Results>,
    /// Number of starts of each node.
    attempts: Vec<u32>,
    running: BTreeMap<usize, Running>,
    states: BTreeMap<String, State>,
    /// Nothing further starts.
    is_ending: bool,
    /// The user has interrupted it.
    is_interrupted: bool,
    /// The ends of attempts.
    sender: Sender<Ended>,
    ended: Receiver<Ended>,
    observer: &'o mut dyn Observer,
}

impl Run<'_> {
    fn work_off(&mut self) -> Result<(), Stop> {
        // Results of an earlier run.
        for (id, value) in std::mem::take(&mut self.options.done) {
            if let Some(index) = self.graph.index(&id) {
                self.succeed(index, Arc::new(value));
            }
        }
        for (id, failure) in std::mem::take(&mut self.options.failed) {
            if let Some(index) = self.graph.index(&id) {
                self.set(index, State::Failed(failure), Progress::Failed);
            }
        }
        loop {
            if self.options.interrupt.is_cancelled() {
                self.options.interrupt.reset();
                if self.is_interrupted {
                    self.options.cancel.cancel();
                }
                self.is_interrupted = true;
                self.abandon(&SkipReason::Cancelled)?;
            }
            if self.options.cancel.is_cancelled() {
                self.end_running();
                self.abandon(&SkipReason::Cancelled)?;
            }
            self.start_ready()?;
            if self.running.is_empty() && self.schedule.next_time().is_none() {
                return Ok(());
            }
            match self.ended.recv_timeout(self.wait()) {
                Ok(ended) => self.finish(ended)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.end_late()?;
        }
    }

    fn start_ready(&mut self) -> Result<(), Stop> {
        while self.running.len() < self.options.max_parallel.max(1) {
            let Some(index) = self.schedule.next(Instant::now()) else {
                break;
            };
            match self.schedule.reason_to_skip(&self.graph, index) {
                Some(reason) => self.skip(index, reason)?,
                None => self.start(index)?,
            }
        }
        Ok(())
    }

    fn start(&mut self, index: usize) -> Result<(), Stop> {
        self.attempts[index] += 1;
        let number = self.attempts[index];
        let node = &self.graph.nodes()[index];
        self.observer.on(&Event::Started {
            node: &node.id,
            attempt: number,
        })?;
        let start = Instant::now();
        let cancel = Cancel::default();
        self.running.insert(
            index,
            Running {
                number,
                start,
                deadline: node.timeout.map(|timeout| start + timeout),
                cancel: cancel.clone(),
                cancelled: None,
            },
        );
        let attempt = Attempt {
            graph: Arc::clone(&self.graph),
            index,
            number,
            results: Arc::clone(&self.results),
            cancel,
        };
        let (work, sender) = (Arc::clone(&self.work), self.sender.clone());
        work::start(attempt, work, sender).or_else(|failure| {
            self.running.remove(&index);
            self.fail(index, failure, start.elapsed())
        })
    }

    /// Returns the time for which nothing has to be done.
    fn wait(&self) -> Duration {
        let deadlines = self.running.values().filter_map(|running| running.deadline);
        let next = deadlines.chain(self.schedule.next_time()).min();
        let until = next.map(|time| time.saturating_duration_since(Instant::now()));
        until.map_or(TICK, |until| until.min(TICK))
    }

    /// An attempt has ended.
    fn finish(&mut self, ended: Ended) -> Result<(), Stop> {
        let is_current = |running: &Running| running.number == ended.number;
        if !self.running.get(&ended.index).is_some_and(is_current) {
            return Ok(());
        }
        let Some(running) = self.running.remove(&ended.index) else {
            return Ok(());
        };
        // Work with the same limit ends at about the same time, with words of its own.
        let is_late = running
            .deadline
            .is_some_and(|deadline| deadline <= Instant::now());
        let is_timeout = |failure: &Failure| failure.diagnostic.code == Code::Timeout;
        let has_timed_out = is_late && ended.result.as_ref().is_err_and(is_timeout);
        if (running.cancelled.is_some() || has_timed_out) && !self.is_ending {
            return self.time_out(ended.index, ended.duration);
        }
        match ended.result {
            Ok(Completion::Done(value)) => {
                let event = Event::Succeeded {
                    node: &self.graph.nodes()[ended.index].id,
                    value: &value,
                    duration: ended.duration,
                };
                self.observer.on(&event)?;
                self.succeed(ended.index, Arc::new(value));
                Ok(())
            }
            Ok(Completion::Skip) => self.skip(ended.index, SkipReason::Condition),
            Err(failure) => self.fail(ended.index, failure, ended.duration),
        }
    }

    fn succeed(&mut self, index: usize, value: Arc<Value>) {
        self.results.set(index, Arc::clone(&value));
        self.set(index, State::Succeeded(value), Progress::Succeeded);
    }

    fn skip(&mut self, index: usize, reason: SkipReason) -> Result<(), Stop> {
        self.observer.on(&Event::Skipped {
            node: &self.graph.nodes()[index].id,
            reason: &reason,
        })?;
        self.set(index, State::Skipped(reason), Progress::Missing);
        Ok(())
    }

    /// An attempt has failed: the node is run again, or has failed as well.
    fn fail(&mut self, index: usize, failure: Failure, duration: Duration) -> Result<(), Stop> {
        let node = &self.graph.nodes()[index];
        let delay = node.retry.delay_after(self.attempts[index]);
        if let Some(delay) = delay.filter(|_| !failure.is_final && !self.is_ending) {
            self.observer.on(&Event::Retrying {
                node: &node.id,
                failure: &failure,
                delay,
            })?;
            self.schedule.delay(index, Instant::now() + delay);
            return Ok(());
        }
        self.observer.on(&Event::Failed {
            node: &node.id,
            failure: &failure,
            duration,
        })?;
        let reason = SkipReason::Stopped(node.id.clone());
        let progress = if failure.is_blocking {
            Progress::Blocked
        } else {
            Progress::Failed
        };
        self.set(index, State::Failed(failure), progress);
        match self.options.on_failure {
            OnFailure::Stop => self.abandon(&reason),
            OnFailure::SkipDependents => Ok(()),
        }
    }

    fn time_out(&mut self, index: usize, duration: Duration) -> Result<(), Stop> {
        let seconds = self.graph.nodes()[index].timeout.unwrap_or_default();
        let message = format!("the node took longer than {} s", seconds.as_secs_f64());
        let failure = Failure::new(Diagnostic::new(Code::Timeout, message));
        self.fail(index, failure, duration)
    }

    /// Cancels attempts that take too long, and abandons those that do not end.
    fn end_late(&mut self) -> Result<(), Stop> {
        let now = Instant::now();
        let is_over = |cancelled| cancelled + GRACE <= now;
        let mut given_up = Vec::new();
        for (index, running) in &mut self.running {
            if running.deadline.is_some_and(|deadline| deadline <= now) {
                running.cancel.cancel();
                running.cancelled.get_or_insert(now);
            }
            if running.cancelled.is_some_and(is_over) {
                given_up.push(*index);
            }
        }
        for index in given_up {
            let Some(running) = self.running.remove(&index) else {
                continue;
            };
            let duration = running.start.elapsed();
            if self.is_ending {
                let message = "the node did not end when the run ended";
                let failure = Failure::is_final(Diagnostic::new(Code::Timeout, message));
                self.fail(index, failure, duration)?;
            } else {
                self.time_out(index, duration)?;
            }
        }
        Ok(())
    }

    /// Starts nothing further. What runs is still recorded.
    fn abandon(&mut self, reason: &SkipReason) -> Result<(), Stop> {
        self.is_ending = true;
        let running: BTreeSet<usize> = self.running.keys().copied().collect();
        for index in self.schedule.abandon(&running) {
            self.observer.on(&Event::Skipped {
                node: &self.graph.nodes()[index].id,
                reason,
            })?;
            let id = self.graph.nodes()[index].id.clone();
            self.states.insert(id, State::Skipped(reason.clone()));
        }
        Ok(())
    }

    fn end_running(&mut self) {
        for running in self.running.values_mut() {
            running.cancel.cancel();
            running.cancelled.get_or_insert_with(Instant::now);
        }
    }

    fn set(&mut self, index: usize, state: State, progress: Progress) {
        let id = self.graph.nodes()[index].id.clone();
        self.states.insert(id, state);
        self.schedule.end(&self.graph, index, progress);
    }
}

/// Options of a run. The default runs one node at a time, and ends nothing.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Maximum number of nodes that run at the same time; at least one.
    pub max_parallel: usize,
    /// Consequence of a failed attempt or node.
    pub on_failure: OnFailure,
    /// Results of an earlier run: these nodes do not run again.
    pub done: BTreeMap<String, Value>,
    /// Failures of an earlier run that others have dealt with: these nodes do not run again, either.
    pub failed: BTreeMap<String, Failure>,
    /// Ends the run, and the attempts that run.
    pub cancel: Cancel,
    /// Ends the run after the attempts that run; a second time, it cancels them.
    pub interrupt: Cancel,
}

/// Consequence of a node that has failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Nothing further starts.
    Stop,
    /// Nodes that need it do not run; the others do.
    #[default]
    SkipDependents,
}

/// The end of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// With a result.
    Succeeded(Arc<Value>),
    /// It failed.
    Failed(Failure),
    /// It did not run.
    Skipped(SkipReason),
}

/// A run that has ended: each node with its state.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The states, by node. Only after a [`crate::Stop`], some are missing.
    pub states: BTreeMap<String, State>,
    /// True if an event could not be recorded.
    pub is_stopped: bool,
}

/// Runs `graph`: each node by `work`, after what it needs.
pub fn execute(
    graph: Graph,
    work: Arc<dyn Work>,
    options: Options,
    observer: &mut dyn Observer,
) -> Execution {
    let (sender, ended) = channel();
    let mut run = Run {
        schedule: Schedule::new(&graph),
        results: Arc::new(Results::new(graph.nodes().len())),
        attempts: vec![0; graph.nodes().len()],
        running: BTreeMap::new(),
        states: BTreeMap::new(),
        is_ending: false,
        is_interrupted: false,
        graph: Arc::new(graph),
        work,
        options,
        sender,
        ended,
        observer,
    };
    let is_stopped = run.work_off().is_err();
    if is_stopped {
        run.end_running();
    }
    Execution {
        states: run.states,
        is_stopped,
    }
}

/// Something that happened to a node.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// An attempt begins: its number, from 1.
    Started {
        /// The node.
        node: &'e str,
        /// The number of the attempt.
        attempt: u32,
    },
    /// The node has a result.
    Succeeded {
        /// The node.
        node: &'e str,
        /// Its result.
        value: &'e Value,
        /// Duration of the last attempt.
        duration: Duration,
    },
    /// An attempt has failed, and another one follows.
    Retrying {
        /// The node.
        node: &'e str,
        /// Why it failed.
        failure: &'e Failure,
        /// The delay before the next attempt.
        delay: Duration,
    },
    /// The node has failed.
    Failed {
        /// The node.
        node: &'e str,
        /// Why.
        failure: &'e Failure,
        /// Duration of the last attempt.
        duration: Duration,
    },
    /// The node does not run.
    Skipped {
        /// The node.
        node: &'e str,
        /// Why.
        reason: &'e SkipReason,
    },
}

/// Why a node does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Its own condition does not hold.
    Condition,
    /// This node, which it needs, was skipped or has failed.
    Needs(String),
    /// This node has failed, and that ends the run.
    Stopped(String),
    /// The run was cancelled.
    Cancelled,
}

/// An event cannot be recorded: nothing further may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// Records and shows events, in their order.
pub trait Observer {
    /// Something happened. A node starts only after its [`Event::Started`] was accepted.
    fn on(&mut self, event: &Event<'_>) -> Result<(), Stop>;
}
