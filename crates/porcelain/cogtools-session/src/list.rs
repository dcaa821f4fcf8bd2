//! `cogtools session list` and `prune`: the sessions of a project.

use std::fmt::Write as _;

use clap::Args;
use cogtools_agent::session_store;
use cogtools_log::view::View;
use cogtools_log::{LogError, Session, SessionId, Store, Stored, Timestamp};
use cogtools_program::format::FormatArg;
use cogtools_program::terminal::{Column, Stream, Table, pluralize, truncate};
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use crate::locate::stored;
use crate::phrase;

/// The number of characters of a task that are shown.
const MAX_TASK_CHARS: usize = 50;

/// Lists the sessions, the one that was written to last first; those that tools have begun only if
/// `all` are wanted.
pub(crate) fn list(all: bool, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let (store, _) = session_store(io)?;
    let mut sessions = Vec::new();
    for stored in stored(&store)? {
        match Session::read(&store.file(&stored.id)) {
            Ok(session) if session.header.of_tool && !all => {}
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
    io.page(&table.render(colour))
}

fn row(stored: &Stored, session: &Session, now: Timestamp) -> [String; 7] {
    let summary = View::of_branch(session, None).summary;
    let task = phrase::first_line(summary.task);
    [
        stored.id.to_string(),
        phrase::age(now, stored.modified),
        summary.model.clone(),
        summary.turns.to_string(),
        session.usage().total.to_string(),
        summary.end_name().unwrap_or_default().to_owned(),
        truncate(&task, MAX_TASK_CHARS).into_owned(),
    ]
}

fn item(store: &Store, stored: &Stored, session: &Session) -> Value {
    let summary = View::of_branch(session, None).summary;
    json!({
        "session": stored.id,
        "file": store.file(&stored.id).path().display().to_string(),
        "began": session.header.time,
        "modified": stored.modified,
        "model": summary.model,
        "turns": summary.turns,
        "calls": summary.calls,
        "usage": session.usage(),
        "task": summary.task,
        "end": summary.end_name(),
    })
}

/// The sessions that are removed.
#[derive(Args)]
#[group(skip)]
pub(crate) struct PruneArgs {
    #[command(flatten)]
    age: AgeArgs,
    /// Remove nothing, and print what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArg,
}

/// The conditions of removal, which all apply.
#[derive(Args)]
#[group(required = true, multiple = true)]
struct AgeArgs {
    /// Remove those last written to longer ago, and trials and reports of evals: 12h, 30d, 8w
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older_than: Option<u64>,
    /// Keep the newest N in any case
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
}

/// Removes sessions, except those that a process writes to.
pub(crate) fn prune(args: &PruneArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let (store, _) = session_store(io)?;
    let stored = stored(&store)?;
    let now = Timestamp::now();
    let old = stored.into_iter().enumerate();
    let old = old.filter(|(index, stored)| args.age.covers(*index, stored, now));
    // Trials cost money, and no list shows them: they go by their age alone.
    let is_old = |time| {
        args.age
            .older_than
            .is_some_and(|limit| now.millis_since(time) > limit)
    };
    let trials = store.trials().map_err(|error| store.unreadable(&error))?;
    let trials = trials.into_iter().filter(|trial| is_old(trial.modified));
    let old = old.map(|(_, stored)| stored).chain(trials);
    let mut removed = Vec::new();
    for stored in old {
        if !args.dry_run {
            match store.remove(&stored.id) {
                Ok(()) => {}
                Err(error @ LogError::InUse(_)) => {
                    io.report(Severity::Warning, &error.diagnostic());
                    continue;
                }
                Err(error) => {
                    if !removed.is_empty() {
                        args.report(&removed, io)?;
                    }
                    return Err(error.diagnostic().into());
                }
            }
        }
        removed.push(stored.id);
    }
    if !args.dry_run {
        // A report is younger than its trials.
        let removed = store.remove_reports(is_old);
        removed.map_err(|error| store.unreadable(&error))?;
    }
    args.report(&removed, io)
}

impl PruneArgs {
    /// Prints the sessions that were removed, or would be.
    fn report(&self, removed: &[SessionId], io: &mut Io<'_>) -> Result<(), Failure> {
        if self.format.is_json() {
            let report = json!({"removed": removed, "dry_run": self.dry_run});
            return io.show_json(&format!("{report:#}\n"));
        }
        if removed.is_empty() {
            return io.show("no session is old enough\n");
        }
        let verb = if self.dry_run {
            "would remove"
        } else {
            "removed"
        };
        let mut text = String::new();
        for id in removed {
            let _ = writeln!(text, "{verb} {id}");
        }
        if self.dry_run {
            let count = pluralize(removed.len(), "session");
            let _ = writeln!(text, "{count} would be removed");
        }
        io.show(&text)
    }
}

impl AgeArgs {
    fn covers(&self, index: usize, stored: &Stored, now: Timestamp) -> bool {
        let is_old = |limit: u64| now.millis_since(stored.modified) > limit;
        self.keep.is_none_or(|keep| index >= keep) && self.older_than.is_none_or(is_old)
    }
}

/// Reads an age: a number and `h`, `d` or `w`.
fn parse_age(text: &str) -> Result<u64, String> {
    const HOUR: u64 = 60 * 60 * 1_000;
    let invalid = || "not an age such as 12h, 30d or 8w".to_owned();
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(invalid)?;
    let hours = match unit {
        "h" => 1,
        "d" => 24,
        "w" => 24 * 7,
        _ => return Err(invalid()),
    };
    let number: u64 = number.parse().map_err(|_| invalid())?;
    number.checked_mul(hours * HOUR).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_a_unit() {
        assert_eq!(parse_age("2h"), Ok(7_200_000));
        assert_eq!(parse_age("30d"), Ok(30 * 86_400_000));
        assert_eq!(parse_age("1w"), Ok(7 * 86_400_000));
        for invalid in [
            "",
            "d",
            "3",
            "3m",
            "-1d",
            "1.5d",
            "3é",
            "99999999999999999d",
        ] {
            assert!(parse_age(invalid).is_err(), "{invalid}");
        }
    }
}
