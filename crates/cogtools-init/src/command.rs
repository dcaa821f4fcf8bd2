//! The program: look, plan, ask where somebody can answer, write, explain.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::{Code, Fault};
use cogtools_gemini::{ApplyError, Plan, Step, command as gemini};
use cogtools_program::format::{format_arg, wants_json};
use cogtools_program::{Failure, Io, Program, Stdin};

use crate::{guidance, starter};

/// `cogtools init`.
pub const PROGRAM: Program = Program {
    name: "cogtools-init",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    ("FILES", FILES),
    ("HEADLESS USE", guidance::HEADLESS),
    ("JSON", JSON),
];

const FILES: &str = "\
.cogtoolrc.yaml says where the project's tools come from. It is written where there \
is none.\n\n\
tools/ holds the tools, one file each. It gets an example when it has no tools yet.\n\n\
.gemini/settings.json tells Gemini CLI which programs list and call tools. What is \
missing is added, every other byte stays, comments too; a key that has another value \
than ours stops the run before anything is written.";

const JSON: &str = "\
With --format json nothing is asked. One object: written, false with --dry-run; and files, a list \
of objects with file, action (created, updated or unchanged) and, with --dry-run, diff.";

fn command() -> Command {
    Command::new("cogtools-init")
        .about("Make the tools of this directory available to Gemini CLI")
        .arg(flag(
            "non-interactive",
            "Ask nothing, and take the default answers",
        ))
        .arg(flag(
            "defaults",
            "Take the default answer to every question",
        ))
        .arg(flag(
            "dry-run",
            "Print what would change as a unified diff, and write nothing",
        ))
        .arg(format_arg())
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let plan = plan(io)?;
    let (json, dry) = (wants_json(matches), matches.get_flag("dry-run"));
    if dry {
        let text = if json { plan.json(dry) } else { plan.diff() };
        return io.print(text.as_bytes());
    }
    if json {
        // A question would stand among the JSON, so none is asked.
        plan.apply().map_err(ApplyError::fault)?;
        return io.print(plan.json(dry).as_bytes());
    }
    if plan.changes().next().is_none() {
        let text = format!("{}\nnothing to do: all of it is in place\n", plan.summary());
        return io.print(text.as_bytes());
    }
    let silent = matches.get_flag("non-interactive") || matches.get_flag("defaults");
    if !silent && io.stdin.is_terminal() && !agreed(&plan, io)? {
        return io.print(b"nothing was written\n");
    }
    plan.apply().map_err(ApplyError::fault)?;
    let example = plan.changes().any(|change| change.executable);
    let text = format!("{}{}", plan.summary(), guidance::next_steps(example));
    io.print(text.as_bytes())
}

/// Looks at every file. What stands in the way is told at once, and then nothing
/// is written.
fn plan(io: &Io<'_>) -> Result<Plan, Failure> {
    if !io.cwd.is_dir() {
        let fault = Fault::new(
            Code::IoFailed,
            "the working directory does not exist any more",
        );
        return Err(fault
            .hint("change to a directory that exists, or name one with -C")
            .into());
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut faults: Vec<Fault> = Vec::new();
    for step in [starter::configuration(&io.cwd), starter::example(&io.cwd)] {
        match step {
            Ok(step) => steps.push(step),
            Err(error) => faults.push(error.fault()),
        }
    }
    match gemini::edit().plan(&io.cwd) {
        Ok(step) => steps.push(step),
        Err(error) => faults.extend(error.faults()),
    }
    match faults.pop() {
        None => Ok(Plan { steps }),
        Some(last) => {
            faults.push(last.hint("no file was written"));
            Err(faults.into())
        }
    }
}

/// Shows `plan` and asks for leave to write it.
fn agreed(plan: &Plan, io: &mut Io<'_>) -> Result<bool, Failure> {
    let question = format!("{}\nwrite these files? [Y/n] ", plan.diff());
    io.print(question.as_bytes())?;
    let answer = io.stdin.line().map_err(|error| {
        Failure::from(
            Fault::new(
                Code::IoFailed,
                format!("the answer cannot be read: {error}"),
            )
            .hint("answer every question beforehand with --defaults"),
        )
    })?;
    let answer = answer.map(|answer| answer.trim().to_lowercase());
    Ok(answer.is_some_and(|answer| matches!(answer.as_str(), "" | "y" | "yes")))
}
