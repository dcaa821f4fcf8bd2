//! `cogtools session stats`: calls, failures and repairs of each tool, over all sessions.
//!
//! A tool that no model calls, or that models mistake for another, costs tokens in every request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cogtools_agent::session_store;
use cogtools_log::{Session, ToolCounts};
use cogtools_program::project::unfiltered_registry;
use cogtools_program::terminal::{Column, Stream, Table, pluralize, sanitize};
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use crate::locate::stored;

/// Prints the counts of each tool that a session of the project has called, and names the tools
/// that no session has called.
pub(crate) fn stats(with_trials: bool, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let (store, _) = session_store(io)?;
    let mut all: BTreeMap<String, ToolCounts> = BTreeMap::new();
    let mut sessions = stored(&store)?;
    if with_trials {
        let trials = store.trials();
        sessions.extend(trials.map_err(|error| store.unreadable(&error))?);
    }
    for stored in &sessions {
        match Session::read(&store.file(&stored.id)) {
            Ok(session) => ToolCounts::add(&session, &mut all),
            Err(error) => io.report(Severity::Warning, &error.diagnostic()),
        }
    }
    let registry = unfiltered_registry(io, None)?;
    let names = registry.map(|tool| tool.ok().map(|tool| tool.name().to_string()));
    let never: BTreeSet<String> = names.items.into_iter().flatten().collect();
    let never: Vec<&String> = never
        .iter()
        .filter(|name| !all.contains_key(*name))
        .collect();
    if json {
        let tools = all.iter().map(|(name, counts)| counts_json(name, counts));
        let report = json!({
            "sessions": sessions.len(), "tools": tools.collect::<Vec<_>>(), "never": never,
        });
        return io.show_json(&format!("{report:#}\n"));
    }
    let mut text = table(&all).render(io.colour(Stream::Stdout));
    for (name, counts) in &all {
        for (pointer, count) in counts.wrong() {
            let calls = counts.calls;
            let _ = writeln!(
                text,
                "{}: `{}` was wrong in {count} of {calls} calls",
                sanitize(name),
                sanitize(pointer)
            );
        }
        for (other, count) in &counts.then {
            let times = pluralize(*count, "time");
            let _ = writeln!(
                text,
                "{}: `{}` was called next after a failure, {times}",
                sanitize(name),
                sanitize(other)
            );
        }
    }
    if !never.is_empty() {
        let names: Vec<_> = never.iter().map(|name| sanitize(name)).collect();
        let _ = writeln!(text, "never called: {}", names.join(", "));
    }
    let _ = writeln!(text, "{}", pluralize(sessions.len(), "session"));
    io.page(&text)
}

fn table(all: &BTreeMap<String, ToolCounts>) -> Table<8> {
    let mut table = Table::new([
        Column::text("TOOL"),
        Column::number("SESSIONS"),
        Column::number("CALLS"),
        Column::number("REJECTED"),
        Column::number("REPAIRED"),
        Column::number("FAILED"),
        Column::number("DENIED"),
        Column::number("TOKENS"),
    ]);
    for (name, counts) in all {
        let numbers = [
            counts.sessions,
            counts.calls,
            counts.rejected,
            counts.repaired,
            counts.failed,
            counts.denied,
            counts.tokens,
        ];
        let [sessions, calls, rejected, repaired, failed, denied, tokens] =
            numbers.map(|number| number.to_string());
        table.row([
            name.clone(),
            sessions,
            calls,
            rejected,
            repaired,
            failed,
            denied,
            tokens,
        ]);
    }
    table
}

fn counts_json(name: &str, counts: &ToolCounts) -> Value {
    json!({
        "tool": name,
        "sessions": counts.sessions,
        "calls": counts.calls,
        "rejected": counts.rejected,
        "repaired": counts.repaired,
        "failed": counts.failed,
        "denied": counts.denied,
        "tokens": counts.tokens,
        "wrong": counts.wrong(),
        "then": counts.then,
    })
}
