//! `cogtools session diff`: the first difference of two sessions.

use cogtools_agent::locate_session;
use cogtools_log::{Event, Session, response_text};
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::locate::read;

/// Prints how many steps two sessions have in common, and the first one that differs.
pub(crate) fn diff(one: &str, other: &str, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut steps = Vec::new();
    for name in [one, other] {
        let file = locate_session(Some(name), io)?;
        let (session, _) = read(&file, io)?;
        steps.push(self::steps(&session));
    }
    let (others, ones) = (
        steps.pop().unwrap_or_default(),
        steps.pop().unwrap_or_default(),
    );
    let same = ones.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let (a, b) = (ones.get(same), others.get(same));
    if json {
        let report = json!({"same": same, "a": a, "b": b});
        return io.show_json(&format!("{report:#}\n"));
    }
    if a.is_none() && b.is_none() {
        return io.show(&format!("the same: {same} steps\n"));
    }
    let shown = |step: Option<&Value>| step.map_or_else(|| "ended".to_owned(), line);
    io.page(&format!(
        "{same} steps are the same, and then:\n{one}: {}\n{other}: {}\n",
        shown(a),
        shown(b)
    ))
}

/// Returns the steps of the last branch that do not depend on time: tasks, calls, results and
/// answers.
fn steps(session: &Session) -> Vec<Value> {
    let branch = session.branch(session.head());
    let step = |event: &Event| match event {
        Event::Task { parts } => Some(json!({"task": parts})),
        Event::Call {
            tool, arguments, ..
        } => Some(json!({"call": tool, "arguments": arguments})),
        Event::Result {
            outcome, content, ..
        } => Some(json!({"result": content, "outcome": outcome})),
        Event::Response { content, .. } => {
            let text = response_text(content);
            (!text.is_empty()).then(|| json!({ "answer": text }))
        }
        Event::End { status } => Some(json!({ "end": status })),
        _ => None,
    };
    branch
        .iter()
        .filter_map(|entry| step(&entry.event))
        .collect()
}

/// Returns a step in one line.
fn line(step: &Value) -> String {
    let fields = step.as_object().into_iter().flatten();
    let fields = fields.map(|(key, value)| match value {
        Value::String(text) => format!("{key} {text}"),
        value => format!("{key} {value}"),
    });
    fields.collect::<Vec<_>>().join(", ").replace('\n', " ")
}
