//! `cogtools session show`: a session as a person reads it.

use clap::Args;
use cogtools_log::view::View;
use cogtools_log::{Event, Id};
use cogtools_program::format::FormatArg;
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::locate::{Opened, SessionArg};
use crate::report::Report;

/// Show the turns, calls, times and tokens of a session
#[derive(Args)]
#[group(skip)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    session: SessionArg,
    /// Show the branch that ends at this entry
    #[arg(long, value_name = "ID")]
    from: Option<Id>,
    #[command(flatten)]
    format: FormatArg,
}

/// Shows the branch of a session that ends at an entry, or the one that was written to last.
pub(crate) fn show(args: &ShowArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let opened = args.session.read(io)?;
    let leaf = opened.leaf(args.from)?;
    if args.format.is_json() {
        let document = document(&opened, leaf);
        return io.show_json(&format!("{document:#}\n"));
    }
    let session = &opened.session;
    let view = View::of_branch(session, leaf);
    let mut report = Report::new(io.colour(Stream::Stdout));
    report.header(&session.header);
    let nested = session.nested();
    for step in &view.steps {
        report.step(step);
        if matches!(step.entry.event, Event::Call(_)) && !nested.is_empty() {
            let entries = session.agents(step.entry);
            let summary = View::new(session, &entries).summary;
            match entries.first().map(|first| &first.event) {
                Some(Event::Program { program, .. }) => report.program(program, &summary),
                Some(_) => report.agent(&summary),
                None => {}
            }
        }
    }
    report.summary(&view.summary);
    let branches = session.leaves().len();
    if branches > 1 {
        report.note(&format!(
            "{branches} branches; `cogtools session tree` shows them"
        ));
    }
    io.page(&report.text())
}

/// A session as one JSON object: its header, the entries of a branch as they are in the file,
/// and the sums.
pub(crate) fn document(opened: &Opened, leaf: Option<Id>) -> Value {
    let parsed = |line: &String| serde_json::from_str::<Value>(line).unwrap_or_default();
    let entries = branch_lines(opened, leaf).map(parsed);
    let summary = View::of_branch(&opened.session, leaf).summary;
    json!({
        "header": opened.lines.first().map(parsed),
        "entries": entries.collect::<Vec<Value>>(),
        "summary": {
            "model": summary.model,
            "turns": summary.turns,
            "calls": summary.calls,
            "ms": summary.ms,
            "usage": summary.usage,
            "end": summary.end,
        },
    })
}

/// The lines of the entries from the root to `leaf`.
pub(crate) fn branch_lines(opened: &Opened, leaf: Option<Id>) -> impl Iterator<Item = &String> {
    let Opened { session, lines, .. } = opened;
    let index = |id: Id| session.entries.binary_search_by_key(&id, |entry| entry.id);
    let branch = session.branch(leaf);
    let indexes: Vec<usize> = branch.iter().filter_map(|it| index(it.id).ok()).collect();
    // The first line is the header.
    indexes.into_iter().filter_map(|index| lines.get(index + 1))
}
