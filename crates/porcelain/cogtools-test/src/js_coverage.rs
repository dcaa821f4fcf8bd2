//! Branches of JavaScript that examples take.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cogtools_core::tool::{Branch, Coverage, Flow, JsSource};
use cogtools_core::{Context, Tool};
use cogtools_js_syntax::{CountedCode, JsBranch, count_branches};
use cogtools_program::Syntax;
use serde::Deserialize;

use crate::invocation::{EncodedArguments, call_in_process, runs_once};
use crate::suite::Case;

/// The longest condition that is shown, in characters.
const MAX_CONDITION: usize = 80;

/// The counted code of the nodes of a flow.
pub(crate) struct CountedNodes(Vec<CountedNode>);

struct CountedNode {
    id: String,
    js: JsSource,
    counted: CountedCode,
}

impl CountedNodes {
    /// Counts the branches of the code of the nodes of `tool`, if it is a flow.
    pub(crate) fn of(tool: &Tool) -> Self {
        let nodes = tool.flow().into_iter().flat_map(Flow::nodes);
        let nodes = nodes.filter_map(|node| {
            let js = node.js(tool.text())?;
            let counted = count_branches(js.source(), !js.tools().is_empty())?;
            Some(CountedNode {
                id: node.id.clone(),
                js,
                counted,
            })
        });
        Self(nodes.collect())
    }

    /// Returns the code that counts, by node.
    pub(crate) fn code(&self) -> Arc<BTreeMap<String, String>> {
        let code = self.0.iter();
        Arc::new(
            code.map(|node| (node.id.clone(), node.counted.code.clone()))
                .collect(),
        )
    }
}

/// Returns the branches that `events` of a run of a flow say were taken: the node and the number of
/// each.
pub(crate) fn taken(events: &[String]) -> BTreeSet<(String, usize)> {
    #[derive(Deserialize)]
    struct Counted {
        node: String,
        branches: Vec<usize>,
    }
    let counted = events.iter().filter_map(|line| {
        let counted: Counted = serde_json::from_str(line).ok()?;
        let node = counted.node;
        Some(
            counted
                .branches
                .into_iter()
                .map(move |it| (node.clone(), it)),
        )
    });
    counted.flatten().collect()
}

/// Measures the reach of the examples of `tool`, whose tests were `cases`.
pub(crate) fn measure(tool: &Tool, nodes: CountedNodes, cases: &[Case], cx: &Context) -> Coverage {
    let ways: Vec<String> = cases.iter().map(|case| case.way.clone()).collect();
    let mut coverage = tool.coverage(&ways);
    coverage.branches.extend(js_branches(tool, cx));
    for node in nodes.0 {
        let is_taken = |index| {
            let branch = (node.id.clone(), index);
            cases.iter().any(|case| case.taken.contains(&branch))
        };
        let found = branches(&node.js, node.counted.branches, is_taken);
        coverage.branches.extend(found);
    }
    coverage
        .branches
        .sort_by_key(|it| (it.location.file.clone(), it.location.line));
    coverage
}

/// Returns the branches of the code of `tool`. It runs for each example once more, unless it would
/// call tools that the example does not answer for.
fn js_branches(tool: &Tool, cx: &Context) -> Vec<Branch> {
    let Some(js) = tool.js() else {
        return Vec::new();
    };
    let Some(counted) = count_branches(js.source(), !js.tools().is_empty()) else {
        return Vec::new();
    };
    let Some(counting) = tool.with_js(&counted.code).map(Arc::new) else {
        return Vec::new();
    };
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    for example in tool.tests() {
        let presets = &example.presets;
        if runs_once(tool) && !js.tools().iter().all(|name| presets.contains_key(name)) {
            continue;
        }
        let mut cx = cx.clone();
        cx.call.presets = Arc::new(presets.clone());
        let json = EncodedArguments::new(&example.arguments()).json;
        // That it fails is what the test of the example reports.
        let indexes = call_in_process(&counting, &json, Syntax::Json, &cx).ok();
        let indexes = indexes.and_then(|it| serde_json::from_slice::<Vec<usize>>(&it).ok());
        taken.extend(indexes.into_iter().flatten());
    }
    branches(&js, counted.branches, |index| taken.contains(&index))
}

/// Returns the `counted` branches of the code `js`, as they are in its file.
fn branches(
    js: &JsSource,
    counted: Vec<JsBranch>,
    is_taken: impl Fn(usize) -> bool,
) -> Vec<Branch> {
    let branches = counted.into_iter().enumerate();
    let branches = branches.map(|(index, branch)| {
        let before = &js.source()[..branch.range.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default();
        let width = js.source()[branch.range].chars().count();
        Branch {
            location: js.location(line, column.chars().count() + 1, width),
            condition: branch.condition.chars().take(MAX_CONDITION).collect(),
            is_taken: is_taken(index),
        }
    });
    branches.collect()
}
