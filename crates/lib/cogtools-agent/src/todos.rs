//! The list of things to do in a session: what the model has last written in it.
//!
//! It is read from the log, so each branch has its own.

use cogtools_core::todo::Todo;
use cogtools_log::{CallId, Event, Outcome};
use serde_json::Value;

/// The tool that writes the list.
const TOOL: &str = "todo_write";

/// The list, and calls that may replace it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TodoState {
    list: Vec<Todo>,
    open: Vec<(CallId, Vec<Todo>)>,
}

impl TodoState {
    /// The list.
    pub(crate) fn list(&self) -> &[Todo] {
        &self.list
    }

    /// Adds the next entry.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::Call {
                call,
                tool,
                arguments,
                resolved,
                ..
            } if tool == TOOL => {
                let todos = todos(resolved.as_ref().unwrap_or(arguments));
                self.open.extend(todos.map(|todos| (call.clone(), todos)));
            }
            Event::Result { call, outcome, .. } => {
                let Some(index) = self.open.iter().position(|(open, _)| open == call) else {
                    return;
                };
                let (_, todos) = self.open.remove(index);
                if *outcome == Outcome::Succeeded {
                    self.list = todos;
                }
            }
            _ => {}
        }
    }
}

fn todos(arguments: &Value) -> Option<Vec<Todo>> {
    serde_json::from_value(arguments.get("todos")?.clone()).ok()
}
