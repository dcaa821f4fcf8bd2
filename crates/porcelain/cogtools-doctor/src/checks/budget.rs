//! The cost of the tools in tokens: every declaration is sent with every request.

use std::cmp::Reverse;

use crate::context::Context;
use crate::finding::Finding;

/// More tokens than this cause a warning.
pub(crate) const MAX_TOKENS: usize = 8_000;
/// More tools than this confuse a model, and some hosts reject 129.
pub(crate) const MAX_TOOLS: usize = 100;
/// The number of heaviest tools to name.
const MAX_NAMED: usize = 3;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut costs: Vec<(usize, &str)> = cx
        .tools
        .valid()
        .map(|tool| (tool.tokens(), tool.name().as_str()))
        .collect();
    costs.sort_by_key(|(tokens, name)| (Reverse(*tokens), *name));
    let cost = |count: usize, tokens: usize, noun: &str| {
        let costs = if count == 1 { " costs" } else { "s cost" };
        format!("{count} {noun}{costs} about {tokens} tokens")
    };
    let (mut count, mut total) = (costs.len(), costs.iter().map(|(tokens, _)| tokens).sum());
    let mut cost_of_all = cost(count, total, "tool");
    if let Some(declared) = &cx.tools.declared_tokens {
        (count, total) = (declared.len(), declared.iter().sum());
        let declared = cost(count, total, "declaration");
        cost_of_all = format!("{cost_of_all}; with the budget {declared}");
    }
    let cost = format!("{cost_of_all} with every request");
    if total <= MAX_TOKENS && count <= MAX_TOOLS {
        return vec![Finding::ok(cost)];
    }
    let heaviest: Vec<String> = costs
        .iter()
        .take(MAX_NAMED)
        .map(|(tokens, name)| format!("{name} ({tokens})"))
        .collect();
    let message = format!(
        "{cost}; up to {MAX_TOKENS} tokens and {MAX_TOOLS} tools are reasonable; the heaviest are {}",
        heaviest.join(", ")
    );
    vec![
        Finding::warning(message)
            .hint("shorten or remove the heaviest; cogtools list shows the cost of each"),
    ]
}
