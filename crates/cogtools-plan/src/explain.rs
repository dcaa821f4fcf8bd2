//! `cogtools plan explain`: what a plan will do, in words, before it does anything.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use cogtools_core::approval::approve;
use cogtools_core::{Context, Registry, Tool};
use cogtools_log::StepState;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::style::BOLD;
use cogtools_program::terminal::{Stream, paint, pluralize, sanitize, truncate};
use cogtools_program::{Failure, Io};
use serde_json::Value;

use crate::logged::LoggedPlan;
use crate::plan_file;
use crate::references;
use crate::step::Step;

/// How much of arguments and texts is shown, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("explain")
        .about("Say what a plan will do, with which tools; nothing runs")
        .arg(plan_file::file_or_session_arg())
        .args(RegistryArgs::options())
}

/// Explains the plan that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let plan = plan_file::read_any(matches, "explain", io)?;
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let cx = context.context(io);
    let text = text(&plan, &registry, &cx, io.colour(Stream::Stdout));
    io.print(text.as_bytes())
}

/// The text of an explanation.
pub(crate) fn text(plan: &LoggedPlan, registry: &Registry, cx: &Context, colour: bool) -> String {
    let contract = &plan.contract;
    let steps = contract.steps();
    let mut text = format!(
        "{}: {}\n",
        pluralize(steps.len(), "step"),
        shown(contract.restatement()),
    );
    let mut before = BTreeSet::new();
    for (number, step) in (1..).zip(steps) {
        let name = paint(&shown(step.save_as()), BOLD, colour);
        let _ = writeln!(text, "\n{number}. {name}{}", reason(step));
        let state = plan.step(step.save_as()).map(|logged| &logged.state);
        if state == Some(&StepState::Executed) {
            text.push_str("   It has run already; its result is in the session.\n");
        }
        for line in lines(step, &before, registry, cx) {
            let _ = writeln!(text, "   {}", sanitize(&line));
        }
        before.insert(step.save_as());
    }
    text.push('\n');
    let needs = references::of_reply(contract.visible_reply());
    if needs.is_empty() {
        text.push_str("The reply needs no step by name.");
    } else {
        let _ = write!(
            text,
            "The reply contains results of {}.",
            shown(&list(&needs))
        );
    }
    text.push_str(" If a step fails, those after it are skipped.\n");
    text
}

fn reason(step: &Step) -> String {
    match step.reason() {
        "" => String::new(),
        reason => format!(": {}", shown(reason)),
    }
}

/// What a step does, what it needs, and what keeps it from running.
fn lines(step: &Step, before: &BTreeSet<&str>, registry: &Registry, cx: &Context) -> Vec<String> {
    let Some(name) = step.tool().filter(|_| step.needs_tool()) else {
        return vec!["It calls no tool.".to_owned()];
    };
    let args = step.args().filter(|args| !args.is_empty());
    let args = args.map(|args| {
        let args = Value::Object(args.clone()).to_string();
        format!(" with {}", truncate(&args, MAX_SHOWN_CHARS))
    });
    let mut lines = vec![format!("It calls `{name}`{}.", args.unwrap_or_default())];
    let needs = references::of_step(step);
    let (there, missing): (Vec<&str>, Vec<&str>) =
        needs.iter().partition(|name| before.contains(**name));
    if !there.is_empty() {
        lines.push(format!("It needs the result of {}.", there.join(", ")));
    }
    if !missing.is_empty() {
        let missing = missing.join(", ");
        lines.push(format!("It will fail: no step before it saves {missing}."));
    }
    match registry.find(name) {
        Ok(tool) => lines.extend(tool_lines(&tool, cx)),
        Err(error) => {
            let diagnostics = error.diagnostics();
            let reasons = diagnostics.iter().map(cogtools_core::Diagnostic::summary);
            lines.extend(reasons.map(|reason| format!("It will fail: {reason}.")));
        }
    }
    lines
}

/// What kind of tool it is, and whether it may run.
fn tool_lines(tool: &Tool, cx: &Context) -> Vec<String> {
    let mut lines = Vec::new();
    let kind = if tool.is_agent() {
        "The tool is an agent: it asks a model, which may call other tools"
    } else if tool.is_template() {
        "The tool is a template; it runs no program"
    } else if tool.js().is_some() {
        "The tool is JavaScript in a sandbox; it runs no program"
    } else if tool.runs_programs() {
        "The tool runs a program"
    } else {
        "The tool is built in; it runs no program"
    };
    let hints = tool.annotations();
    let hints: Vec<&str> = [
        (hints.read_only, "changes nothing"),
        (hints.destructive, "may destroy something"),
        (hints.open_world, "reaches an open world"),
    ]
    .into_iter()
    .filter_map(|(hint, words)| (hint == Some(true)).then_some(words))
    .collect();
    let hints = match hints.as_slice() {
        [] => String::new(),
        hints => format!(", and says that it {}", hints.join(" and ")),
    };
    lines.push(format!("{kind}{hints}."));
    match approve(tool, cx) {
        Ok(_) if tool.runs_programs() => lines.push("You have approved it.".to_owned()),
        Ok(_) => {}
        Err(diagnostic) => lines.push(format!("It will fail: {}.", diagnostic.summary())),
    }
    lines
}

fn list(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<&str>>().join(", ")
}

fn shown(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    sanitize(&truncate(line, MAX_SHOWN_CHARS)).into_owned()
}
