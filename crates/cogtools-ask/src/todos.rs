//! The list of things to do of a session: what the model has last written in it.

use cogtools_core::todo::{Todo, TodoList};
use cogtools_log::{CallId, Event, Id, Outcome, Session};
use serde_json::Value;

/// The tool that writes the list.
const TOOL: &str = "todo_write";

/// Sets `list` to the one on the way to the entry `from`, or to the end of the session. So each
/// branch has its own.
pub(crate) fn restore(list: &TodoList, session: &Session, from: Option<Id>) {
    list.set(written(session, from).unwrap_or_default());
}

fn written(session: &Session, from: Option<Id>) -> Option<Vec<Todo>> {
    let leaf = from.or_else(|| session.head())?;
    let mut calls: Vec<(&CallId, &Value)> = Vec::new();
    let mut last = None;
    for entry in session.path_to(leaf) {
        match &entry.event {
            Event::Call {
                call,
                tool,
                arguments,
                resolved,
                ..
            } if tool == TOOL => calls.push((call, resolved.as_ref().unwrap_or(arguments))),
            Event::Result {
                call,
                outcome: Outcome::Succeeded,
                ..
            } => {
                let written = calls.iter().rfind(|(id, _)| *id == call);
                last = written.map(|(_, arguments)| *arguments).or(last);
            }
            _ => {}
        }
    }
    let todos = last?.get("todos")?;
    serde_json::from_value(todos.clone()).ok()
}
