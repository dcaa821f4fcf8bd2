//! `cogtools session tree`: all branches of a session.

use std::collections::HashMap;
use std::fmt::Write as _;

use cogtools_log::{Entry, Event, Id, duration, response_text};
use cogtools_program::terminal::style::{BOLD, GREEN};
use cogtools_program::terminal::{Stream, paint, sanitize};
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::locate::SessionArg;
use crate::phrase;

/// The number of levels that are indented; deeper ones are not indented further.
const MAX_LEVELS: usize = 20;
/// The width of the column of kinds.
const KIND_WIDTH: usize = 10;

/// Shows all entries, one on each line. A branch is indented below the entry where it begins.
pub(crate) fn tree(session: &SessionArg, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let session = session.read(io)?.session;
    if json {
        let entries = session.nodes().map(|entry| {
            let note = note(&entry.event);
            let kind = entry.event.kind();
            json!({"id": entry.id, "parent": entry.parent, "kind": kind, "note": note})
        });
        let report = json!({
            "session": session.header.session, "head": session.head(),
            "entries": entries.collect::<Vec<_>>(),
        });
        return io.show_json(&format!("{report:#}\n"));
    }
    let colour = io.colour(Stream::Stdout);
    let title = format!("session {}", session.header.session);
    let mut text = format!("{}\n", paint(&title, BOLD, colour));
    let mut children: HashMap<Option<Id>, Vec<&Entry>> = HashMap::new();
    for entry in session.nodes() {
        children.entry(entry.parent).or_default().push(entry);
    }
    let head = session.head();
    let width = head.map_or(1, |head| head.to_string().len());
    // A stack of its own: a file may have any number of branches in branches.
    let mut waiting = Vec::new();
    push(&mut waiting, children.get(&None), 0);
    while let Some((entry, level)) = waiting.pop() {
        let indent = "  ".repeat(level.min(MAX_LEVELS));
        let kind = format!("{:KIND_WIDTH$}", sanitize(entry.event.kind()));
        let note = phrase::first_line(&note(&entry.event));
        let note = sanitize(&note);
        let line = format!("{indent}{:width$}  {kind}  {note}", entry.id);
        let line = line.trim_end();
        let mark = if Some(entry.id) == head {
            paint("  (last)", GREEN, colour)
        } else {
            String::new()
        };
        let _ = writeln!(text, "{line}{mark}");
        push(&mut waiting, children.get(&Some(entry.id)), level);
    }
    io.print(text.as_bytes())
}

/// Adds the entries that follow another; several of them are branches.
fn push<'s>(
    waiting: &mut Vec<(&'s Entry, usize)>,
    children: Option<&Vec<&'s Entry>>,
    level: usize,
) {
    let children = children.map_or(&[][..], Vec::as_slice);
    let level = if children.len() > 1 { level + 1 } else { level };
    waiting.extend(children.iter().rev().map(|child| (*child, level)));
}

/// The content of an entry, briefly.
fn note(event: &Event) -> String {
    match event {
        Event::Task { .. } => event.text().unwrap_or("").to_owned(),
        Event::Request { turn, model, .. } => format!("turn {turn}, {model}"),
        Event::Response { content, .. } => {
            let text = response_text(content);
            if text.trim().is_empty() {
                called_tools(content).join(", ")
            } else {
                text
            }
        }
        Event::Call(call) => format!("{} {}", call.tool, phrase::arguments(&call.arguments)),
        Event::Result(result) => {
            format!(
                "{}, {}",
                phrase::outcome(&result.outcome),
                duration(result.ms)
            )
        }
        Event::Agent { tool } | Event::Flow { tool, .. } => tool.clone(),
        Event::Program { program, .. } | Event::ProgramEnd { program, .. } => program.clone(),
        Event::Node(event) => format!("{} {}", event.node, event.state.name()),
        Event::Plan { intent, .. } => intent.clone(),
        Event::Reply { text, .. } => text.clone(),
        Event::Compaction { up_to, .. } => format!("up to {up_to}"),
        Event::Usage(usage) => phrase::tokens(usage),
        Event::Error { code, message, .. } => format!("{code}: {message}"),
        Event::Undone { task } => format!("task {task}"),
        Event::End { status } => status.name().replace('_', " "),
        _ => String::new(),
    }
}

/// The names of the tools that a response calls.
fn called_tools(content: &Value) -> Vec<&str> {
    let list = ["parts", "tool_calls"]
        .iter()
        .find_map(|key| content.get(key)?.as_array());
    let calls = list.into_iter().flatten();
    let calls = calls.filter_map(|part| part.get("functionCall").or_else(|| part.get("function")));
    calls
        .filter_map(|call| call.get("name")?.as_str())
        .collect()
}
