//! Agents: the tools that they may call, and the limits of a call.

use cogtools_code::CodeTools;
use cogtools_core::source::Skills;
use cogtools_core::yaml::Node;
use cogtools_core::{Level, Pattern};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "agent-tools",
        level: Level::Warn,
        summary: "a name under `agent.tools` that no tool of the project has, and no built-in one",
        why: "the model is never offered the tool, and works without it",
        fix: "correct the name, or write the tool",
        example: example!("agent-tools"),
        check: agent_tools,
    },
    Rule {
        name: "agent-limits",
        level: Level::Warn,
        summary: "an agent whose budget of seconds is more than the `timeout` of its tool",
        why: "the call ends before the budget is spent, and has no answer",
        fix: "raise `timeout`, or lower `budget.seconds`",
        example: example!("agent-limits"),
        check: agent_limits,
    },
];

/// A key of the agent, if the tool is one.
fn agent<'f>(file: &'f LintFile, key: &str) -> Option<&'f Node> {
    file.implementation("agent")?.get(key)
}

fn agent_tools(file: &LintFile, findings: &mut Findings<'_>) {
    let all = &file.neighbours;
    if !all.has_all_names() || all.names().next().is_none() {
        return;
    }
    let tools = agent(file, "tools").and_then(Node::items);
    for node in tools.into_iter().flatten() {
        let Some(name) = node.text() else { continue };
        let pattern = Pattern::new(name);
        // An agent has these however its project is.
        let is_known = [CodeTools::RUN, Skills::READ, Skills::RUN].contains(&name);
        if !is_known && !all.names().any(|tool| pattern.matches(tool)) {
            findings
                .report(node.span, format!("there is no tool `{name}`"))
                .meant_among(name, all.names());
        }
    }
}

fn agent_limits(file: &LintFile, findings: &mut Findings<'_>) {
    let seconds = agent(file, "budget").and_then(|budget| budget.get("seconds"));
    let (Some(node), Some(tool)) = (seconds, &file.tool) else {
        return;
    };
    let limit = tool.timeout.as_secs_f64();
    if let Some(seconds) = node.to_json().as_f64().filter(|seconds| *seconds > limit) {
        let message = format!("a budget of {seconds} s, and the call ends after {limit} s");
        findings.report(node.span, message);
    }
}
