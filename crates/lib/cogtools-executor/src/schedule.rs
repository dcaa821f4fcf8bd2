//! What can run next: nodes whose needs have ended, in the order of the graph.
//!
//! It is public for engines that replay a run: the same ends in the same order give the same
//! choices, and the time only counts for what was delayed.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::{Graph, SkipReason};

/// How far a node is, for those that need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has not ended.
    Open,
    /// It has a result.
    Succeeded,
    /// It has failed, or was skipped.
    Missing,
}

/// What can run next.
#[derive(Debug)]
pub struct Schedule {
    progress: Vec<Progress>,
    /// How many needs of each node have not ended.
    open: Vec<usize>,
    ready: BTreeSet<usize>,
    /// Nodes that are run again, and when.
    delayed: Vec<(Instant, usize)>,
}

impl Schedule {
    /// Nothing of `graph` has run.
    pub fn new(graph: &Graph) -> Self {
        let count = graph.nodes().len();
        let open: Vec<usize> = (0..count).map(|index| graph.needs(index).len()).collect();
        Self {
            progress: vec![Progress::Open; count],
            ready: (0..count).filter(|index| open[*index] == 0).collect(),
            open,
            delayed: Vec::new(),
        }
    }

    /// The next node that can run now.
    pub fn next(&mut self, now: Instant) -> Option<usize> {
        let due = self.delayed.iter().position(|(time, _)| *time <= now);
        if let Some(position) = due {
            return Some(self.delayed.remove(position).1);
        }
        self.ready.pop_first()
    }

    /// When the next node is run again, if one is.
    pub fn next_time(&self) -> Option<Instant> {
        self.delayed.iter().map(|(time, _)| *time).min()
    }

    /// Runs the node at `index` again at `time`.
    pub fn delay(&mut self, index: usize, time: Instant) {
        self.delayed.push((time, index));
    }

    /// Why the node at `index`, which could run, does not: one that it needs has no result.
    pub fn reason_to_skip(&self, graph: &Graph, index: usize) -> Option<SkipReason> {
        let mut needs = graph.needs(index).iter();
        let (missing, _) = needs.find(|(need, is_optional)| {
            !is_optional && self.progress[*need] == Progress::Missing
        })?;
        Some(SkipReason::Needs(graph.nodes()[*missing].id.clone()))
    }

    /// The node at `index` has ended: others may run now.
    pub fn end(&mut self, graph: &Graph, index: usize, progress: Progress) {
        self.ready.remove(&index);
        self.progress[index] = progress;
        for dependent in graph.dependents(index) {
            self.open[*dependent] -= 1;
            if self.open[*dependent] == 0 && self.progress[*dependent] == Progress::Open {
                self.ready.insert(*dependent);
            }
        }
    }

    /// Everything that has not ended, and will not: nothing further starts.
    pub(crate) fn abandon(&mut self, running: &BTreeSet<usize>) -> Vec<usize> {
        self.ready.clear();
        self.delayed.clear();
        let open = self.progress.iter().enumerate();
        let open = open
            .filter(|(index, progress)| **progress == Progress::Open && !running.contains(index));
        let open: Vec<usize> = open.map(|(index, _)| index).collect();
        for index in &open {
            self.progress[*index] = Progress::Missing;
        }
        open
    }
}
