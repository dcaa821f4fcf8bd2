//! `cogtools session list`: the sessions of a project.

use cogtools_log::{EndStatus, Session, Store, Stored, Timestamp};
use cogtools_program::terminal::{Column, Stream, Table, truncate};
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use crate::locate::{store, stored};
use crate::phrase;
use crate::transcript::Transcript;

/// How many characters of a task are shown.
const MAX_TASK_CHARS: usize = 50;

/// Lists the sessions, the one that was written to last first.
pub(crate) fn list(json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let (store, _) = store(io)?;
    let mut sessions = Vec::new();
    for stored in stored(&store)? {
        match Session::read(&store.file(&stored.id)) {
            Ok(session) => sessions.push((stored, session)),
            Err(error) => io.report(Severity::Warning, &error.diagnostic()),
        }
    }
    if json {
        let items = sessions
            .iter()
            .map(|(stored, session)| item(&store, stored, session));
        let items = Value::Array(items.collect());
        return io.show_json(&format!("{items:#}\n"));
    }
    if sessions.is_empty() {
        return io.show("this project has no sessions\n");
    }
    let now = Timestamp::now();
    let mut table = Table::new([
        Column::text("SESSION"),
        Column::number("AGE"),
        Column::text("MODEL"),
        Column::number("TURNS"),
        Column::number("TOKENS"),
        Column::text("END").optional(),
        Column::text("TASK"),
    ]);
    for (stored, session) in &sessions {
        table.row(row(stored, session, now));
    }
    let colour = io.colour(Stream::Stdout);
    io.print(table.render(colour).as_bytes())
}

fn transcript(session: &Session) -> Transcript<'_> {
    let path = session.head().map(|head| session.path_to(head));
    Transcript::new(session, &path.unwrap_or_default())
}

fn row(stored: &Stored, session: &Session, now: Timestamp) -> [String; 7] {
    let summary = transcript(session).summary;
    let task = phrase::first_line(summary.task);
    [
        stored.id.to_string(),
        phrase::age(now, stored.modified),
        summary.model,
        summary.turns.to_string(),
        summary.usage.total.to_string(),
        summary
            .end
            .map_or_else(String::new, |end| end.name().to_owned()),
        truncate(&task, MAX_TASK_CHARS).into_owned(),
    ]
}

fn item(store: &Store, stored: &Stored, session: &Session) -> Value {
    let summary = transcript(session).summary;
    json!({
        "session": stored.id,
        "file": store.file(&stored.id).path().display().to_string(),
        "began": session.header.time,
        "modified": stored.modified,
        "model": summary.model,
        "turns": summary.turns,
        "calls": summary.calls,
        "usage": summary.usage,
        "task": summary.task,
        "end": summary.end.map(EndStatus::name),
    })
}
