//! `cogtools plan show`: the steps of a plan as a table: tools, states, and what needs what.

use std::collections::BTreeSet;

use clap::{ArgMatches, Command};
use cogtools_log::StepState;
use cogtools_program::terminal::style::{GREEN, PLAIN, RED, YELLOW};
use cogtools_program::terminal::{Column, Stream, Table, sanitize, truncate};
use cogtools_program::{Failure, Io};

use crate::intent::Intent;
use crate::logged::{LoggedPlan, LoggedStep};
use crate::plan_file;
use crate::preview;
use crate::references;
use crate::step::Step;

/// How much of a text is shown in a cell, in characters.
const MAX_CELL_CHARS: usize = 50;
/// How much of the restatement and the reply is shown, in characters.
const MAX_TEXT_CHARS: usize = 500;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("show")
        .about("Show the steps of a plan, with their states and what they need")
        .arg(plan_file::file_or_session_arg())
}

/// Shows the plan that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let plan = plan_file::read_any(matches, "show", io)?;
    let text = text(&plan, io.colour(Stream::Stdout));
    io.print(text.as_bytes())
}

/// The text of a plan.
pub(crate) fn text(plan: &LoggedPlan, colour: bool) -> String {
    let contract = &plan.contract;
    let mut table = Table::new([
        Column::text("STEP"),
        Column::text("TOOL"),
        Column::text("STATE"),
        Column::text("NEEDS").optional(),
        Column::text("RESULT").optional(),
        Column::text("REASON"),
    ]);
    for step in contract.steps() {
        let logged = plan.step(step.save_as());
        let style = match logged.map(|logged| &logged.state) {
            None => PLAIN,
            Some(StepState::Executed) => GREEN,
            Some(StepState::Failed { .. }) => RED,
            Some(StepState::Executing | StepState::Skipped) => YELLOW,
        };
        let tool = step.tool().filter(|_| step.needs_tool()).unwrap_or("-");
        let cells = [
            step.save_as().to_owned(),
            tool.to_owned(),
            state(logged),
            list(&references::of_step(step)),
            logged
                .map(|logged| result(step, logged))
                .unwrap_or_default(),
            first_line(step.reason()),
        ];
        let cells = cells.map(|cell| truncate(&cell, MAX_CELL_CHARS).into_owned());
        table.styled_row(style, cells);
    }
    let mut needs: Vec<&str> = references::of_reply(contract.visible_reply())
        .into_iter()
        .collect();
    if references::has_last(contract.visible_reply()) {
        needs.push("the last result");
    }
    let needs = match needs.as_slice() {
        [] => String::new(),
        needs => format!(" (needs {})", needs.join(", ")),
    };
    let short = |text: &str| sanitize(&truncate(text, MAX_TEXT_CHARS)).into_owned();
    format!(
        "{} [{}]\n\n{}\nreply{}: {}\n",
        short(contract.restatement()),
        Intent::of(contract).name(),
        table.render(colour),
        short(&needs),
        short(contract.visible_reply()),
    )
}

/// The state of a step in words.
fn state(logged: Option<&LoggedStep>) -> String {
    let Some(logged) = logged else {
        return "planned".to_owned();
    };
    let ms = logged.ms.map(|ms| format!(", {ms} ms")).unwrap_or_default();
    match &logged.state {
        // No process writes to the session any more, or that is not known.
        StepState::Executing => "executing, or interrupted".to_owned(),
        StepState::Failed { code, .. } => format!("failed ({code}){ms}"),
        state => format!("{}{ms}", state.name()),
    }
}

/// The result of a step at a glance.
fn result(step: &Step, logged: &LoggedStep) -> String {
    let result = logged
        .result()
        .map(|result| preview::of(step.tool(), result));
    first_line(&result.unwrap_or_default())
}

fn list(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<&str>>().join(", ")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
