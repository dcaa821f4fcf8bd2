//! A valid graph: every node has its own name, what it needs exists, and nothing needs itself.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use cogtools_core::http::Retry;
use cogtools_core::tool::find_cycle;

use crate::SkipReason;

/// A graph of nodes.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    /// For each node, the nodes that it needs, and the worst end of each with which it still runs.
    needs: Vec<Vec<(usize, Progress)>>,
    /// For each node, the nodes that need it.
    dependents: Vec<Vec<usize>>,
    indexes: HashMap<String, usize>,
}

/// Why nodes are not a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Two nodes have this name.
    #[error("two nodes are named `{0}`")]
    Duplicate(String),
    /// A node needs one that does not exist.
    #[error("`{node}` needs `{need}`, which does not exist")]
    Unknown {
        /// The node.
        node: String,
        /// The node that it needs.
        need: String,
    },
    /// These nodes need each other, each the next one, and the last one the first.
    #[error("nodes need each other: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// There are more nodes than [`Graph::MAX_NODES`].
    #[error("{0} nodes; a graph has at most {max}", max = Graph::MAX_NODES)]
    TooMany(usize),
}

impl Graph {
    /// Maximum number of nodes of a graph.
    pub const MAX_NODES: usize = 1_000;

    /// The graph of `nodes`.
    pub fn new(nodes: Vec<Node>) -> Result<Self, GraphError> {
        if nodes.len() > Self::MAX_NODES {
            return Err(GraphError::TooMany(nodes.len()));
        }
        let mut indexes = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            if indexes.insert(node.id.clone(), index).is_some() {
                return Err(GraphError::Duplicate(node.id.clone()));
            }
        }
        let needs = nodes
            .iter()
            .map(|node| resolve(node, &indexes))
            .collect::<Result<Vec<_>, _>>()?;
        let plain = |needs: &Vec<(usize, Progress)>| needs.iter().map(|(need, _)| *need).collect();
        if let Some(cycle) = find_cycle(&needs.iter().map(plain).collect::<Vec<_>>()) {
            let ids = cycle.into_iter().map(|index| nodes[index].id.clone());
            return Err(GraphError::Cycle(ids.collect()));
        }
        let mut dependents = vec![Vec::new(); nodes.len()];
        for (index, needs) in needs.iter().enumerate() {
            for (need, _) in needs {
                dependents[*need].push(index);
            }
        }
        Ok(Self {
            nodes,
            needs,
            dependents,
            indexes,
        })
    }

    /// The graph in which each node needs the one before, too.
    pub fn chain(nodes: Vec<Node>) -> Result<Self, GraphError> {
        let ids: Vec<String> = nodes.iter().map(|node| node.id.clone()).collect();
        let nodes = nodes.into_iter().enumerate().map(|(index, node)| {
            match index.checked_sub(1).and_then(|before| ids.get(before)) {
                Some(before) if !node.needs.iter().any(|need| need.node == *before) => {
                    node.after(before.as_str())
                }
                _ => node,
            }
        });
        Self::new(nodes.collect())
    }

    /// The nodes, in the order in which they were given.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the nodes that the one at `index` needs, and the worst end of each with which it
    /// still runs.
    pub(crate) fn needs(&self, index: usize) -> &[(usize, Progress)] {
        &self.needs[index]
    }

    /// The nodes that need the one at `index`.
    pub(crate) fn dependents(&self, index: usize) -> &[usize] {
        &self.dependents[index]
    }

    /// The index of the node `id`.
    pub(crate) fn index(&self, id: &str) -> Option<usize> {
        self.indexes.get(id).copied()
    }

    /// Returns true if the node at `index` needs the one at `other`, directly or not.
    pub(crate) fn is_after(&self, index: usize, other: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting = vec![index];
        while let Some(index) = waiting.pop() {
            for &(need, _) in &self.needs[index] {
                if need == other {
                    return true;
                }
                if !std::mem::replace(&mut seen[need], true) {
                    waiting.push(need);
                }
            }
        }
        false
    }
}

/// The indexes of what `node` needs.
fn resolve(
    node: &Node,
    indexes: &HashMap<String, usize>,
) -> Result<Vec<(usize, Progress)>, GraphError> {
    let mut needs: Vec<(usize, Progress)> = Vec::new();
    for need in &node.needs {
        let Some(index) = indexes.get(&need.node) else {
            return Err(GraphError::Unknown {
                node: node.id.clone(),
                need: need.node.clone(),
            });
        };
        match needs.iter_mut().find(|(other, _)| other == index) {
            // What is needed twice is optional only if it is both times.
            Some((_, worst)) => *worst = need.worst().min(*worst),
            None => needs.push((*index, need.worst())),
        }
    }
    Ok(needs)
}

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its name, unique in the graph.
    pub id: String,
    /// The nodes that must end before it starts.
    pub needs: Vec<Need>,
    /// Attempts after a failure.
    pub retry: Retry,
    /// Time limit of an attempt, if there is one.
    pub timeout: Option<Duration>,
}

/// A node that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Its name.
    pub node: String,
    /// True if the other one runs even if this one was skipped by its own condition.
    pub is_optional: bool,
    /// True if the other one runs even if this one has failed.
    pub may_fail: bool,
}

impl Need {
    /// The worst end of the node with which the other one still runs.
    const fn worst(&self) -> Progress {
        match (self.is_optional, self.may_fail) {
            (true, true) => Progress::Failed,
            (true, false) => Progress::Missing,
            (false, _) => Progress::Succeeded,
        }
    }
}

impl Node {
    /// A node that needs nothing, and runs once for as long as it takes.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Adds `node`, which has to succeed, to the needs.
    #[must_use]
    pub fn after(mut self, node: impl Into<String>) -> Self {
        self.needs.push(Need {
            node: node.into(),
            is_optional: false,
            may_fail: false,
        });
        self
    }
}

/// State of a node, as its dependents see it; of its ends, the worse ones come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// It has not ended.
    Open,
    /// It has a result.
    Succeeded,
    /// Its condition does not hold, or the condition of a node that it needs.
    Missing,
    /// It has failed, or a node that it needs has.
    Failed,
    /// It has failed so that nothing that needs it may run, or a node that it needs has.
    Blocked,
}

/// Nodes that can run next.
#[derive(Debug)]
pub struct Schedule {
    progress: Vec<Progress>,
    /// Number of needs of each node that have not ended.
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
        let missing = self.obstacles(graph, index).next()?;
        Some(SkipReason::Needs(graph.nodes()[missing].id.clone()))
    }

    /// The needs of the node at `index` whose ends keep it from running.
    fn obstacles(&self, graph: &Graph, index: usize) -> impl Iterator<Item = usize> {
        let needs = graph.needs(index).iter();
        needs.filter_map(|(need, worst)| (self.progress[*need] > *worst).then_some(*need))
    }

    /// The node at `index` has ended: others may run now. One that was skipped because of a failure
    /// counts as failed itself: its absence says nothing, either.
    pub fn end(&mut self, graph: &Graph, index: usize, mut progress: Progress) {
        if progress == Progress::Missing {
            let obstacles = self.obstacles(graph, index);
            let ends = obstacles.map(|need| self.progress[need]);
            progress = ends.fold(progress, Progress::max);
        }
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
