//! Branches of JavaScript that examples take.

use std::collections::BTreeSet;
use std::sync::Arc;

use cogtools_core::tool::Branch;
use cogtools_core::{Context, Tool};
use cogtools_js_syntax::count_branches;
use cogtools_program::Syntax;

use crate::invocation::{EncodedArguments, call_in_process, runs_once};

/// The longest condition that is shown, in characters.
const MAX_CONDITION: usize = 80;

/// Returns the branches of the code of `tool`. It runs for each example once more, unless it would
/// call tools that the example does not answer for.
pub(crate) fn js_branches(tool: &Tool, cx: &Context) -> Vec<Branch> {
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
        let presets = example.presets();
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
    let branches = counted.branches.into_iter().enumerate();
    let branches = branches.map(|(index, branch)| {
        let before = &js.source()[..branch.range.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default();
        let width = js.source()[branch.range].chars().count();
        Branch {
            location: js.location(line, column.chars().count() + 1, width),
            condition: branch.condition.chars().take(MAX_CONDITION).collect(),
            is_taken: taken.contains(&index),
        }
    });
    branches.collect()
}
