//! The live tree of a run at a terminal: each node with its state and its time.

use std::collections::BTreeMap;
use std::time::Duration;

use cogtools_core::tool::Flow;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::show;

/// The time between two pictures of a node that runs.
const TICK: Duration = Duration::from_millis(100);

/// The tree on standard error. Where that is no terminal, nothing is drawn.
#[derive(Debug)]
pub(crate) struct LiveTree {
    all: MultiProgress,
    nodes: BTreeMap<String, ProgressBar>,
}

impl LiveTree {
    /// Draws the nodes of `flow`, as `flow show` does.
    pub(crate) fn new(flow: &Flow) -> Self {
        let (all, mut nodes) = (MultiProgress::new(), BTreeMap::new());
        for (id, row) in show::rows(flow) {
            let bar = ProgressBar::new_spinner().with_style(style("{prefix}{msg}"));
            let bar = all.add(bar).with_prefix(row);
            bar.tick();
            id.map(|id| nodes.insert(id.to_owned(), bar));
        }
        Self { all, nodes }
    }

    /// Shows that a node runs.
    pub(crate) fn start(&self, node: &str) {
        if let Some(bar) = self.nodes.get(node) {
            bar.reset_elapsed();
            bar.set_style(style("{prefix} {spinner} {elapsed}"));
            bar.enable_steady_tick(TICK);
        }
    }

    /// Shows how a node has ended.
    pub(crate) fn end(&self, node: &str, state: &str) {
        if let Some(bar) = self.nodes.get(node) {
            bar.disable_steady_tick();
            bar.set_style(style("{prefix}{msg}"));
            bar.abandon_with_message(format!(" {state}"));
        }
    }
}

impl Drop for LiveTree {
    fn drop(&mut self) {
        // What follows, such as the output, begins where the tree was.
        let _ = self.all.clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
