//! Flows: what a compiler would say about the nodes and the tools that they call.

use cogtools_core::Level;
use cogtools_core::text::Span;
use cogtools_core::tool::{Flow, FlowNode, ToolNode};
use cogtools_core::yaml::Node;

use crate::finding::Findings;
use crate::flow;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::parameter_types::ParameterTypes;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "flow-target",
        level: Level::Error,
        summary: "a node of a flow that calls a tool or a capability that no tool of the project has, or a capability that several have; a flow that calls itself",
        why: "the node fails whenever it runs",
        fix: "correct the name, or write the tool",
        example: example!("flow-target": ["tools/say.yaml", "tools/first.yaml", "tools/second.yaml"], ["tools/say.yaml", "tools/first.yaml", "tools/second.yaml"]),
        check: flow_target,
    },
    Rule {
        name: "deprecated-tool",
        level: Level::Warn,
        summary: "a deprecated tool under `agent.tools` or `tools`, or a call of it, or one with a deprecated parameter, in a flow",
        why: "its author takes it away sooner or later, and says what to use instead",
        fix: "use what the text under `deprecated` names",
        example: example!("deprecated-tool": ["tools/say.yaml", "tools/old.yaml"], ["tools/say.yaml", "tools/old.yaml"]),
        check: deprecated_tool,
    },
    Rule {
        name: "flow-arguments",
        level: Level::Error,
        summary: "a call in a flow with an argument that the tool does not have, without one that it needs, or with a value that it does not take; `each` over no list",
        why: "the call is rejected before the tool runs",
        fix: "pass what the tool's parameters say",
        example: example!("flow-arguments": ["tools/say.yaml", "tools/search.yaml"], ["tools/say.yaml", "tools/search.yaml"]),
        check: flow_arguments,
    },
    Rule {
        name: "unreachable-node",
        level: Level::Warn,
        summary: "a node of a flow that never runs: no router can choose it, or it needs two nodes of which a router chooses one",
        why: "it has no result, and what needs it does not run either",
        fix: "correct the condition, or make a need optional: `NAME?`",
        example: example!("unreachable-node"),
        check: unreachable_node,
    },
    Rule {
        name: "unused-result",
        level: Level::Warn,
        summary: "a parameter of a flow, or a node that only computes a value, that nothing uses",
        why: "it is left over, or what should use it has another name",
        fix: "remove it, or use it",
        example: example!("unused-result"),
        check: unused_result,
    },
    Rule {
        name: "missing-fallback",
        level: Level::Warn,
        summary: "a router of a flow whose choices all have conditions",
        why: "if none of them holds, nothing behind the router runs, and the output is empty",
        fix: "add a last choice without `when`",
        example: example!("missing-fallback"),
        check: missing_fallback,
    },
    Rule {
        name: "flow-limits",
        level: Level::Warn,
        summary: "limits of a flow that have no effect or are missing: `cache` or `retry` for a tool that may not run twice, a `timeout` longer than that of the flow, a model for each item without a budget",
        why: "the limit is not what a reader takes it for: a call is repeated that must not be, or a long list costs more than expected",
        fix: "correct the limit",
        example: example!("flow-limits": ["tools/say.yaml", "tools/act.yaml"], ["tools/say.yaml", "tools/act.yaml"]),
        check: flow_limits,
    },
];

/// The nodes that call tools.
fn calls(file: &LintFile) -> impl Iterator<Item = (&FlowNode, &ToolNode)> {
    let nodes = file.flow().map(Flow::nodes);
    let nodes = nodes.unwrap_or_default().iter();
    nodes.filter_map(|node| Some((node, node.call()?)))
}

fn flow_target(file: &LintFile, findings: &mut Findings<'_>) {
    let all = &file.neighbours;
    for (node, call) in calls(file) {
        let own = file.tool.as_ref();
        if let Some(way) = own.and_then(|tool| flow::way_to_itself(node, tool, all)) {
            let through = match way.as_slice() {
                [_] => String::new(),
                [others @ .., _] => format!(" through `{}`", others.join("`, `")),
                [] => continue,
            };
            findings
                .report(
                    file.call_span(node, &[]),
                    format!("the flow calls itself{through}"),
                )
                .fix("write `each` for a list, or `retry: {until: …}` to do something again");
        }
        if let Some(name) = call.name()
            && all.has_all_names()
            && !all.names().any(|it| it == name)
        {
            let span = file.call_span(node, &["name"]);
            findings
                .report(span, format!("there is no tool `{name}`"))
                .meant_among(name, all.names());
        }
        let among: Vec<&str> = call.among.iter().map(|name| all.resolve(name)).collect();
        if let Some(capability) = call.capability() {
            let span = file.call_span(node, &["capability"]);
            if !among.is_empty() && !among.contains(&all.resolve(capability)) {
                findings.report(
                    span,
                    format!("`{capability}` is not among the capabilities of the node"),
                );
            } else if among.is_empty() {
                capability_problem(file, capability, span, findings);
            }
        }
        for (index, capability) in call.among.iter().enumerate() {
            let span = file.call_span(node, &["among", &index.to_string()]);
            capability_problem(file, capability, span, findings);
        }
    }
}

/// Reports a capability that no tool has, or several.
fn capability_problem(file: &LintFile, capability: &str, span: Span, findings: &mut Findings<'_>) {
    let all = &file.neighbours;
    match all.with_capability(capability).as_slice() {
        [] if all.is_complete() => {
            let message = format!("no tool has the capability `{capability}`");
            let known = all.capabilities();
            findings
                .report(span, message)
                .meant_among(capability, known.iter().map(String::as_str));
        }
        [] | [_] => {}
        several => {
            let names = several.iter().map(|tool| format!("`{}`", tool.name()));
            let names: Vec<String> = names.collect();
            let message = format!(
                "several tools have the capability `{capability}`: {}",
                names.join(", ")
            );
            findings
                .report(span, message)
                .fix("give them different capabilities");
        }
    }
}

fn flow_arguments(file: &LintFile, findings: &mut Findings<'_>) {
    let Some((own, flow)) = file.tool.as_ref().zip(file.flow()) else {
        return;
    };
    let parameters = ParameterTypes::of(&own.schema).types;
    let results = flow::ResultTypes::of(flow, &file.neighbours);
    let variables = |node| {
        let mut variables = parameters.clone();
        variables.extend(results.of_node(Some(node), false));
        variables
    };
    for node in flow.nodes() {
        if let Some(value) = flow::no_list(node, &variables(node)) {
            let span = file.node_span(&node.id, &["each", "in"]);
            let finding = findings.report(span, format!("`in` is {value}, not a list"));
            finding.fix("write one expression in braces whose value is a list");
        }
    }
    for (node, call) in calls(file) {
        let Some(tool) = file.callee(call) else {
            continue;
        };
        let mut variables = variables(node);
        node.item_variable().map(|item| variables.remove(item));
        for problem in flow::problems(call, tool, &variables) {
            let span = match &problem.argument {
                Some(name) => file.call_span(node, &["arguments", name]),
                None => file.call_span(node, &["arguments"]),
            };
            let finding = findings.report(span, problem.message);
            if let Some(fix) = problem.fix {
                finding.fix(fix);
            }
        }
    }
}

fn deprecated_tool(file: &LintFile, findings: &mut Findings<'_>) {
    let lists = [
        file.implementation("agent").and_then(|it| it.get("tools")),
        file.implementation("tools"),
    ];
    let names = lists
        .into_iter()
        .flatten()
        .filter_map(Node::items)
        .flatten();
    let mut named: Vec<(&str, Span)> = names
        .filter_map(|node| Some((node.text()?, node.span)))
        .collect();
    for (node, call) in calls(file) {
        named.extend(
            call.name()
                .map(|name| (name, file.call_span(node, &["name"]))),
        );
        let schema = file.callee(call).map(|tool| &tool.schema);
        for (name, _) in call.arguments().unwrap_or_default() {
            let declared = schema.and_then(|schema| schema.at([name.as_str()].into_iter()));
            if declared.is_some_and(|it| it.get("deprecated") == Some(&true.into())) {
                let span = file.call_span(node, &["arguments", name]);
                findings.report(span, format!("the parameter `{name}` is deprecated"));
            }
        }
    }
    for (name, span) in named {
        let tool = file.neighbours.find(name);
        if let Some(note) = tool.and_then(|tool| tool.deprecated.as_deref()) {
            findings.report(span, format!("`{name}` is deprecated: {note}"));
        }
    }
}

fn unreachable_node(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(flow) = file.flow() else {
        return;
    };
    for (node, [router, one, other]) in flow::contradictions(flow) {
        let message = format!(
            "`{node}` never runs: it needs `{one}` and `{other}`, and `{router}` chooses one of them"
        );
        findings.report(file.node_span(node, &[]), message);
    }
    for (router, index, to) in flow::untaken(flow) {
        let span = file.node_span(router, &["router", &index.to_string()]);
        let message = format!("`{to}` is never chosen: a choice before it has no condition");
        findings
            .report(span, message)
            .fix("put the choice without `when` last");
    }
}

fn unused_result(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(flow) = file.flow() else {
        return;
    };
    let uses = flow::Uses::of(flow, &file.text);
    for (name, _, sub_schema) in file.parameters() {
        if !uses.has_parameter(name) {
            let span = file.locate(&sub_schema.pointer);
            findings.report(span, format!("no node uses the parameter `{name}`"));
        }
    }
    // Without `output`, the result may be that of any node that others do not need.
    let nodes = flow.nodes().iter().filter(|_| flow.output.is_some());
    for node in nodes.filter(|node| !uses.has_node(node)) {
        let message = format!("nothing uses the result of `{}`", node.id);
        findings.report(file.node_span(&node.id, &[]), message);
    }
}

fn missing_fallback(file: &LintFile, findings: &mut Findings<'_>) {
    let routers = file.flow().map(flow::without_fallback);
    for router in routers.unwrap_or_default() {
        let message = format!("`{router}` chooses nothing if none of its conditions holds");
        findings.report(file.node_span(router, &["router"]), message);
    }
}

fn flow_limits(file: &LintFile, findings: &mut Findings<'_>) {
    let Some((tool, flow)) = file.tool.as_ref().zip(file.flow()) else {
        return;
    };
    for node in flow.nodes() {
        let id = node.id.as_str();
        let limit = tool.timeout;
        if let Some(timeout) = node.timeout.filter(|timeout| *timeout > limit) {
            let (own, whole) = (timeout.as_secs_f64(), limit.as_secs_f64());
            let message = format!("{own} s are longer than a call of the flow may take: {whole} s");
            let finding = findings.report(file.node_span(id, &["timeout"]), message);
            finding.fix("raise `timeout` of the tool, or lower this one");
        }
        let asks_for_each = node.kind() == "each" && node.asks_a_model();
        if asks_for_each && !file.has_node_key(id, &["each", "agent", "budget"]) {
            let message = "a model is asked for each item, without a budget";
            let finding = findings.report(file.node_span(id, &["each", "agent"]), message);
            finding.fix("add `budget: {turns: …, tokens: …}` to the agent");
        }
    }
    for (node, call) in calls(file) {
        let Some(callee) = file.callee(call) else {
            continue;
        };
        let annotations = &callee.annotations;
        let is = |hint: Option<bool>| hint == Some(true);
        let may_repeat = is(annotations.read_only) || is(annotations.idempotent);
        if node.is_cached && !may_repeat {
            let message = format!(
                "`cache` has no effect: `{}` neither only reads nor is idempotent",
                callee.name()
            );
            let finding = findings.report(file.node_span(&node.id, &["cache"]), message);
            finding.fix("annotate the tool with `read_only: true`, if it only reads");
        }
        let is_harmful =
            annotations.destructive == Some(true) || annotations.idempotent == Some(false);
        if node.retry.times > 0 && is_harmful && !may_repeat {
            let message = format!(
                "`retry` calls `{}` again, which is not idempotent",
                callee.name()
            );
            let finding = findings.report(file.node_span(&node.id, &["retry"]), message);
            finding.fix("remove `retry`, or make the tool idempotent");
        }
    }
}
