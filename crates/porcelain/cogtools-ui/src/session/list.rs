//! The list of sessions: what each was about, and how it ended.

use cogtools_core::Code;
use cogtools_log::{EndStatus, Event, Index, Line};
use serde_json::{Value, json};

use super::sessions::Known;
use super::state::RunState;
use super::view::ends;
use crate::app::App;
use crate::cut;
use crate::respond::{Answer, PageError, failure};

/// How many lines at both ends are looked at.
const END_LINES: usize = 24;
/// How many sessions a page lists.
const MAX_SESSIONS: usize = 200;

/// The page.
pub(crate) fn list(app: &App) -> Result<Answer, PageError> {
    let all = app.sessions.all()?;
    let total = all.len();
    let rows: Vec<Value> = all
        .iter()
        .take(MAX_SESSIONS)
        .map(|known| row(app, known))
        .collect();
    let context = json!({
        "page": "sessions",
        "sessions": rows,
        "left_out": total.saturating_sub(MAX_SESSIONS),
    });
    app.pages.answer("sessions.njk", context, app)
}

fn row(app: &App, known: &Known) -> Value {
    let described = app.sessions.with_index(&known.file, describe);
    let mut row = match described {
        Ok(row) => row,
        Err(PageError::Failed(diagnostics)) => {
            let failures: Vec<Value> = diagnostics.iter().map(failure).collect();
            json!({"failures": failures})
        }
        Err(_) => json!({}),
    };
    row["name"] = known.name.as_str().into();
    row["file"] = known.file.display_path().display().to_string().into();
    row["modified"] = json!(known.modified);
    row
}

fn describe(index: &Index) -> Result<Value, PageError> {
    let (first, last) = ends(index, END_LINES)?;
    let header = index.header();
    let mut model = header.model.clone();
    for event in last.iter().filter_map(event) {
        if let Event::Request { model: used, .. } = event {
            model.clone_from(used);
        }
    }
    let mut subjects = first.iter().filter_map(event).filter_map(subject);
    let mut lasts = last.iter().rev().filter_map(event);
    let end = lasts.find_map(|event| match event {
        Event::End { status } => Some(Some(status)),
        Event::Task { .. } | Event::Request { .. } => Some(None),
        _ => None,
    });
    let state = RunState::of(index)?;
    Ok(json!({
        "session": header.session,
        "began": header.time,
        "model": model,
        "lines": index.lines(),
        "subject": subjects.next().unwrap_or_default(),
        "end": end.flatten().map(end_name),
        "state": state,
    }))
}

/// How a session has ended, in a word.
fn end_name(status: &EndStatus) -> &str {
    match status {
        EndStatus::Failed { code } if code == Code::AnswerWanted.name() => "answer_wanted",
        status => status.name(),
    }
}

fn event(line: &Line) -> Option<&Event> {
    line.entry.as_ref().ok().map(|entry| &entry.event)
}

/// What a session is about.
fn subject(event: &Event) -> Option<String> {
    let text = match event {
        Event::Plan { plan, .. } => plan.get("restatement")?.as_str()?,
        Event::Flow { tool, .. } => tool,
        event => event.text()?,
    };
    Some(cut::row(text))
}
