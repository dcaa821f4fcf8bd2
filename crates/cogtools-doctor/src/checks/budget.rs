//! What the tools cost: every declaration is sent with every request.

use std::cmp::Reverse;

use crate::context::Context;
use crate::finding::Finding;

/// More tokens than this are worth a thought.
pub(crate) const TOKENS: usize = 8_000;
/// More tools than this confuse a model, and some hosts refuse 129.
pub(crate) const TOOLS: usize = 100;
/// How many of the heaviest are named.
const NAMED: usize = 3;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut costs: Vec<(usize, &str)> = cx
        .tools
        .valid()
        .map(|tool| (tool.tokens(), tool.name().as_str()))
        .collect();
    costs.sort_by_key(|(tokens, name)| (Reverse(*tokens), *name));
    let count = costs.len();
    let total: usize = costs.iter().map(|(tokens, _)| tokens).sum();
    let tools = if count == 1 {
        "tool costs"
    } else {
        "tools cost"
    };
    let cost = format!("{count} {tools} about {total} tokens with every request");
    if total <= TOKENS && count <= TOOLS {
        return vec![Finding::ok(cost)];
    }
    let heaviest: Vec<String> = costs
        .iter()
        .take(NAMED)
        .map(|(tokens, name)| format!("{name} ({tokens})"))
        .collect();
    let message = format!(
        "{cost}; up to {TOKENS} tokens and {TOOLS} tools are reasonable; the heaviest are {}",
        heaviest.join(", ")
    );
    vec![Finding::warning(message).fix("cogtools list, then shorten or remove the heaviest")]
}
