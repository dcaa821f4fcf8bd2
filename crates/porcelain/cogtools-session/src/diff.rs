//! `cogtools session diff`: the first difference of two sessions.

use cogtools_log::{Event, NodeEvent, NodeState, Session, response_text};
use cogtools_program::terminal::{pluralize, sanitize};
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::locate::Opened;

/// Prints how many steps two sessions have in common, and the first one that differs.
pub(crate) fn diff(one: &str, other: &str, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut read = |name| Ok::<_, Failure>(steps(&Opened::read(Some(name), io)?.session));
    let (ones, others) = (read(one)?, read(other)?);
    let same = ones.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let (a, b) = (ones.get(same), others.get(same));
    if json {
        let report = json!({"same": same, "a": a, "b": b});
        return io.show_json(&format!("{report:#}\n"));
    }
    if a.is_none() && b.is_none() {
        return io.show(&format!("the same: {}\n", pluralize(same, "step")));
    }
    let shown = |step: Option<&Value>| step.map_or_else(|| "ended".to_owned(), line);
    io.page(&format!(
        "{} {} the same, and then:\n{}: {}\n{}: {}\n",
        pluralize(same, "step"),
        if same == 1 { "is" } else { "are" },
        sanitize(one),
        shown(a),
        sanitize(other),
        shown(b)
    ))
}

/// Returns the steps of the last branch that do not depend on time: tasks, calls, results and
/// answers; flows and plans, and the ends of their nodes.
fn steps(session: &Session) -> Vec<Value> {
    let branch = session.branch(session.head());
    let is_kind = |kind: &str| branch.iter().any(|entry| entry.event.kind() == kind);
    let (is_flow, is_plan) = (is_kind("flow"), is_kind("plan"));
    let step = |event: &Event| match event {
        Event::Task { parts } => Some(json!({"task": parts})),
        Event::Call(call) => Some(json!({"call": call.tool, "arguments": call.arguments})),
        Event::Result(it) => Some(json!({"result": it.content, "outcome": it.outcome})),
        Event::Response { content, .. } => {
            let text = response_text(content);
            (!text.is_empty()).then(|| json!({ "answer": text }))
        }
        Event::Flow {
            tool, arguments, ..
        } => Some(json!({"flow": tool, "arguments": arguments})),
        Event::Plan { plan, .. } => Some(json!({ "plan": plan })),
        Event::Node(event) => node(event),
        Event::Reply { text, .. } if is_flow || is_plan => Some(json!({ "reply": text })),
        Event::End { status } => Some(json!({ "end": status })),
        _ => None,
    };
    let steps = branch.iter().filter_map(|entry| step(&entry.event));
    let mut steps: Vec<Value> = steps.collect();
    if is_flow {
        // Nodes that run at the same time end in any order.
        let is_node = |step: &Value| step.get("node").is_some();
        let chunks = steps.chunk_by_mut(|a, b| is_node(a) && is_node(b));
        let name = |step: &Value| step["node"].as_str().map(str::to_owned);
        chunks.for_each(|chunk| chunk.sort_by_key(name));
    }
    steps
}

/// Returns the end of a node; its start says nothing more.
fn node(event: &NodeEvent) -> Option<Value> {
    let mut step = json!({"node": event.node, "state": event.state.name()});
    match &event.state {
        NodeState::Started => return None,
        NodeState::Failed { code, message } => step["error"] = json!([code, message]),
        NodeState::Waiting { question } => step["question"] = json!(question),
        NodeState::Succeeded | NodeState::Skipped { .. } => {}
    }
    for (key, value) in [("inputs", &event.inputs), ("output", &event.output)] {
        if let Some(value) = value {
            step[key] = value.clone();
        }
    }
    Some(step)
}

/// Returns a step in one line.
fn line(step: &Value) -> String {
    let fields = step.as_object().into_iter().flatten();
    let fields = fields.map(|(key, value)| match value {
        Value::String(text) => format!("{key} {text}"),
        value => format!("{key} {value}"),
    });
    let line = fields.collect::<Vec<_>>().join(", ").replace('\n', " ");
    sanitize(&line).into_owned()
}
