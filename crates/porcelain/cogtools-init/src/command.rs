//! The program: plan the changes, ask at a terminal, write, print the next steps.

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_edit::{ApplyError, Plan};
use cogtools_program::format::FormatArg;
use cogtools_program::project::trust_created_project;
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args};

use crate::host::Host;
use crate::interview::Answers;
use crate::manual::MANUAL;
use crate::setup_context::SetupContext;
use crate::survey::Survey;
use crate::{documents, finish, gemini, host, print, server, starter};

/// `cogtools init`.
pub const PROGRAM: Program = Program {
    name: "cogtools-init",
    command: InitArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::Denied, Code::InvalidConfig]],
    variables: &[],
    manual: MANUAL,
};

/// Make the tools of this directory available to Gemini CLI and other hosts
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
struct InitArgs {
    #[command(flatten)]
    answers: Answers,
    /// Name of the MCP server and the extension; cogtools by default
    #[arg(long, value_name = "NAME", value_parser = server::name)]
    name: Option<String>,
    /// Print the resulting files of the hosts, and write nothing
    #[arg(long, conflicts_with_all = ["dry_run", "format", "json"])]
    print: bool,
    /// Ask no questions, and accept the default answers
    #[arg(long)]
    non_interactive: bool,
    /// Accept the default answer to every question
    #[arg(long)]
    defaults: bool,
    /// Print the changes as a unified diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut args: InitArgs = args::parse(matches)?;
    args.answers.deduplicate();
    let json = args.format.is_json();
    let cx = SetupContext::new(args.name, io);
    let requested = args.answers;
    let answers = requested.clone().resolve(&cx, io)?;
    if args.print {
        let mut steps = host::steps(&cx, &answers.hosts).map_err(nothing_written)?;
        if answers.hosts.contains(&Host::Agents) {
            let survey = Survey::new(io).map_err(nothing_written)?;
            let (created, _) = starter::steps(&cx.root, &survey, answers.packages);
            let written = documents::steps(&survey, &answers, &created, io);
            steps.extend(written.map_err(nothing_written)?);
        }
        return print::files(&cx, &steps, io);
    }
    check_directory(&cx)?;
    let survey = Survey::new(io).map_err(nothing_written)?;
    let plan = plan(&cx, &survey, &answers, io)?;
    let duplicate = gemini::duplicate(&answers.hosts);
    for warning in survey.warnings.iter().chain(&duplicate) {
        io.report(Severity::Warning, warning);
    }
    if args.dry_run {
        return if json {
            io.show_json(&plan.json(true))
        } else {
            io.show(&plan.diff())
        };
    }
    if json {
        // A question would corrupt the JSON.
        plan.apply().map_err(ApplyError::diagnostic)?;
        trust_created_project(io, cx.is_new);
        return io.show_json(&plan.json(false));
    }
    if plan.changes().next().is_none() {
        let review = finish::review_advice(&cx, io);
        let summary = plan.summary();
        let table = finish::table_advice(&survey, &answers);
        let text =
            format!("{summary}\nnothing to do: everything is set up already\n{table}{review}");
        return io.show(&text);
    }
    if args.non_interactive || args.defaults {
        return finish::write(&plan, &cx, &survey, &answers, io);
    }
    if let Some(prompt) = Prompt::of(io) {
        return finish::interview(&prompt, &cx, &survey, requested, io);
    }
    if io.is_person() && !finish::confirm(&plan, io)? {
        return io.print(b"nothing was written\n");
    }
    finish::write(&plan, &cx, &survey, &answers, io)
}

/// Fails if the working directory has been removed.
fn check_directory(cx: &SetupContext) -> Result<(), Failure> {
    if cx.root.is_dir() {
        return Ok(());
    }
    let diagnostic = Diagnostic::new(Code::IoFailed, "the working directory no longer exists");
    let hint = "change to a directory that exists, or name one with -C";
    Err(diagnostic.hint(hint).into())
}

/// Plans the changes to every file. All problems are reported together, and any
/// problem prevents writing.
pub(crate) fn plan(
    cx: &SetupContext,
    survey: &Survey,
    answers: &Answers,
    io: &Io<'_>,
) -> Result<Plan, Failure> {
    let (mut steps, mut diagnostics) = starter::steps(&cx.root, survey, answers.packages);
    match host::steps(cx, &answers.hosts) {
        Ok(edits) => steps.extend(edits),
        Err(errors) => diagnostics.extend(errors),
    }
    match documents::steps(survey, answers, &steps, io) {
        Ok(written) => steps.extend(written),
        Err(errors) => diagnostics.extend(errors),
    }
    if let Some(refresh) = answers.refresh {
        let has_skills = answers.hosts.contains(&Host::Agents);
        match refresh.step(&cx.root, has_skills, io) {
            Ok(step) => steps.push(step),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if diagnostics.is_empty() {
        return Ok(Plan { steps });
    }
    Err(nothing_written(diagnostics))
}

fn nothing_written(mut diagnostics: Vec<Diagnostic>) -> Failure {
    if let Some(last) = diagnostics.last_mut() {
        last.hints.push("no file was written".into());
    }
    diagnostics.into()
}
