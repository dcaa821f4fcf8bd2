//! `cogtools session stats`: calls, failures and repairs of each tool, over all sessions.
//!
//! A tool that no model calls, or that models mistake for another, costs tokens in every request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cogtools_core::estimate_tokens;
use cogtools_log::{Event, Outcome, Session, rejected_arguments};
use cogtools_program::project::unfiltered_registry;
use cogtools_program::terminal::{Column, Stream, Table, pluralize};
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use crate::locate::{store, stored};

/// Counts of the calls of one tool.
#[derive(Debug, Default)]
struct Counts {
    sessions: u64,
    calls: u64,
    rejected: u64,
    failed: u64,
    denied: u64,
    /// Rejected calls after which the tool took another in the same session.
    repaired: u64,
    /// Tokens of the results, as estimated.
    tokens: u64,
    /// Rejected arguments: pointers, with their number.
    wrong: BTreeMap<String, u64>,
    /// Tools that were called next, after a call that was rejected or failed.
    then: BTreeMap<String, u64>,
}

/// Prints the counts of each tool that a session of the project has called, and names the tools
/// that no session has called.
pub(crate) fn stats(with_trials: bool, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let (store, _) = store(io)?;
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    let mut sessions = stored(&store)?;
    if with_trials {
        let trials = store.trials();
        sessions.extend(trials.map_err(|error| store.unreadable(&error))?);
    }
    for stored in &sessions {
        match Session::read(&store.file(&stored.id)) {
            Ok(session) => count(&session, &mut all),
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
        let tools = all.iter().map(|(name, counts)| counts.to_json(name));
        let report = json!({
            "sessions": sessions.len(), "tools": tools.collect::<Vec<_>>(), "never": never,
        });
        return io.show_json(&format!("{report:#}\n"));
    }
    let mut text = table(&all).render(io.colour(Stream::Stdout));
    for (name, counts) in &all {
        for (pointer, count) in &counts.wrong {
            let calls = counts.calls;
            let _ = writeln!(
                text,
                "{name}: `{pointer}` was wrong in {count} of {calls} calls"
            );
        }
        for (other, count) in &counts.then {
            let times = pluralize(usize::try_from(*count).unwrap_or(usize::MAX), "time");
            let _ = writeln!(
                text,
                "{name}: `{other}` was called next after a failure, {times}"
            );
        }
    }
    if !never.is_empty() {
        let names: Vec<&str> = never.iter().map(|name| name.as_str()).collect();
        let _ = writeln!(text, "never called: {}", names.join(", "));
    }
    let _ = writeln!(text, "{}", pluralize(sessions.len(), "session"));
    io.page(&text)
}

/// Adds the calls of a session, on all of its branches.
fn count(session: &Session, all: &mut BTreeMap<String, Counts>) {
    let mut open: Vec<(&str, &str)> = Vec::new();
    let mut rejected: BTreeSet<&str> = BTreeSet::new();
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut last_failed: Option<&str> = None;
    for entry in session.nodes() {
        match &entry.event {
            Event::Call { call, tool, .. } => {
                open.push((call.as_str(), tool));
                let counts = all.entry(tool.clone()).or_default();
                counts.calls += 1;
                counts.sessions += u64::from(called.insert(tool));
                if let Some(before) = last_failed.take().filter(|before| before != tool)
                    && let Some(counts) = all.get_mut(before)
                {
                    *counts.then.entry(tool.clone()).or_default() += 1;
                }
            }
            Event::Result {
                call,
                outcome,
                content,
                ..
            } => {
                let Some((_, tool)) = open.iter().rev().find(|(id, _)| *id == call.as_str()) else {
                    continue;
                };
                let Some(counts) = all.get_mut(*tool) else {
                    continue;
                };
                counts.tokens += estimate_tokens(&content.to_string()) as u64;
                match outcome {
                    outcome if outcome.is_rejection() => {
                        counts.rejected += 1;
                        rejected.insert(tool);
                        let wrong: BTreeSet<String> =
                            rejected_arguments(tool, content).into_iter().collect();
                        for pointer in wrong {
                            *counts.wrong.entry(pointer).or_default() += 1;
                        }
                        last_failed = Some(tool);
                    }
                    Outcome::Failed { .. } | Outcome::TimedOut => {
                        counts.failed += 1;
                        last_failed = Some(tool);
                    }
                    Outcome::Denied => counts.denied += 1,
                    Outcome::Succeeded => counts.repaired += u64::from(rejected.remove(tool)),
                    Outcome::Cancelled => {}
                }
            }
            _ => {}
        }
    }
}

fn table(all: &BTreeMap<String, Counts>) -> Table<8> {
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

impl Counts {
    fn to_json(&self, name: &str) -> Value {
        json!({
            "tool": name,
            "sessions": self.sessions,
            "calls": self.calls,
            "rejected": self.rejected,
            "repaired": self.repaired,
            "failed": self.failed,
            "denied": self.denied,
            "tokens": self.tokens,
            "wrong": self.wrong,
            "then": self.then,
        })
    }
}
