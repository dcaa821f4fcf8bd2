//! A valid graph: every node has its own name, what it needs exists, and nothing needs itself.

use std::collections::{BTreeSet, HashMap};

use crate::Node;

/// How many nodes fit into a word of bits.
const WORD: usize = 64;

/// A graph of nodes.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    /// For each node, the nodes that it needs, and whether it runs whatever becomes of them.
    needs: Vec<Vec<(usize, bool)>>,
    /// For each node, the nodes that need it.
    dependents: Vec<Vec<usize>>,
    /// For each node, all that it needs, directly or not: a bit for each other node.
    ancestors: Vec<Vec<u64>>,
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
        /// What it needs.
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
    /// How many nodes a graph has at most.
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
        let mut dependents = vec![Vec::new(); nodes.len()];
        for (index, needs) in needs.iter().enumerate() {
            for (need, _) in needs {
                dependents[*need].push(index);
            }
        }
        let mut graph = Self {
            ancestors: Vec::new(),
            nodes,
            needs,
            dependents,
            indexes,
        };
        let order = graph.sort()?;
        graph.ancestors = graph.collect_ancestors(&order);
        Ok(graph)
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

    /// What the node at `index` needs, and whether it runs whatever becomes of that.
    pub(crate) fn needs(&self, index: usize) -> &[(usize, bool)] {
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

    /// Whether the node at `index` needs the one at `other`, directly or not.
    pub(crate) fn is_after(&self, index: usize, other: usize) -> bool {
        let word = self.ancestors[index].get(other / WORD);
        word.is_some_and(|word| word >> (other % WORD) & 1 == 1)
    }

    /// The indexes of the nodes, each after what it needs.
    fn sort(&self) -> Result<Vec<usize>, GraphError> {
        let mut open: Vec<usize> = self.needs.iter().map(Vec::len).collect();
        let mut ready: BTreeSet<usize> = (0..open.len()).filter(|it| open[*it] == 0).collect();
        let mut order = Vec::with_capacity(open.len());
        while let Some(index) = ready.pop_first() {
            order.push(index);
            for dependent in &self.dependents[index] {
                open[*dependent] -= 1;
                if open[*dependent] == 0 {
                    ready.insert(*dependent);
                }
            }
        }
        match open.iter().position(|open| *open > 0) {
            Some(start) => Err(self.cycle(start, &open)),
            None => Ok(order),
        }
    }

    /// The cycle that `start` is in or leads to, among the nodes that are still open.
    fn cycle(&self, start: usize, open: &[usize]) -> GraphError {
        let mut path = vec![start];
        let mut current = start;
        loop {
            let mut needs = self.needs[current].iter();
            // An open node needs another open one, so there always is a next one.
            let next = needs.find(|(need, _)| open[*need] > 0);
            let Some((next, _)) = next else {
                break;
            };
            if let Some(first) = path.iter().position(|index| index == next) {
                path.drain(..first);
                break;
            }
            path.push(*next);
            current = *next;
        }
        GraphError::Cycle(
            path.into_iter()
                .map(|index| self.nodes[index].id.clone())
                .collect(),
        )
    }

    fn collect_ancestors(&self, order: &[usize]) -> Vec<Vec<u64>> {
        let words = self.nodes.len().div_ceil(WORD);
        let mut ancestors = vec![vec![0; words]; self.nodes.len()];
        for index in order {
            let mut all = vec![0; words];
            for (need, _) in &self.needs[*index] {
                all[need / WORD] |= 1 << (need % WORD);
                for (word, more) in all.iter_mut().zip(&ancestors[*need]) {
                    *word |= more;
                }
            }
            ancestors[*index] = all;
        }
        ancestors
    }
}

/// The indexes of what `node` needs.
fn resolve(
    node: &Node,
    indexes: &HashMap<String, usize>,
) -> Result<Vec<(usize, bool)>, GraphError> {
    let mut needs: Vec<(usize, bool)> = Vec::new();
    for need in &node.needs {
        let Some(index) = indexes.get(&need.node) else {
            return Err(GraphError::Unknown {
                node: node.id.clone(),
                need: need.node.clone(),
            });
        };
        match needs.iter_mut().find(|(other, _)| other == index) {
            // What is needed twice is optional only if it is both times.
            Some((_, is_optional)) => *is_optional &= need.is_optional,
            None => needs.push((*index, need.is_optional)),
        }
    }
    Ok(needs)
}
