//! The program: plan the changes, ask at a terminal, write, print the next steps.

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use cogtools_core::{Code, Diagnostic};
use cogtools_edit::{ApplyError, Plan, Step};
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::trust_created_project;
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args};

use crate::host::Host;
use crate::interview::Answers;
use crate::manual::MANUAL;
use crate::refresh::Refresh;
use crate::setup_context::SetupContext;
use crate::survey::Survey;
use crate::{documents, finish, gemini, host, print, server, starter};

/// `cogtools init`.
pub const PROGRAM: Program = Program {
    name: "cogtools-init",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::InvalidConfig],
    variables: &[],
    manual: MANUAL,
};

fn command() -> Command {
    Command::new("cogtools-init")
        .about("Make the tools of this directory available to Gemini CLI and other hosts")
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("HOST")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(PossibleValuesParser::new(Host::NAMES))
                .default_value("gemini")
                .help("Host to configure; can be given several times"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .value_parser(server::name)
                .help("Name of the MCP server and the extension; cogtools by default"),
        )
        .arg(flag(
            "packages",
            "Use the tools of installed packages, too: node_modules in a new .cogtoolrc.yaml",
        ))
        .arg(flag(
            "docs",
            "Write the table of tools into GEMINI.md, CLAUDE.md or AGENTS.md, as the hosts read",
        ))
        .arg(
            Arg::new("docs-refresh")
                .long("docs-refresh")
                .value_name("WHAT")
                .requires("docs")
                .value_parser(PossibleValuesParser::new(Refresh::NAMES))
                .help(
                    "Also renew that table: with a script of package.json, or before each commit",
                ),
        )
        .arg(
            flag(
                "print",
                "Print the resulting files of the hosts, and write nothing",
            )
            .conflicts_with_all(["dry-run", "format"]),
        )
        .arg(flag(
            "non-interactive",
            "Ask no questions, and accept the default answers",
        ))
        .arg(flag(
            "defaults",
            "Accept the default answer to every question",
        ))
        .arg(flag(
            "dry-run",
            "Print the changes as a unified diff, and write nothing",
        ))
        .arg(format_arg())
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// The command line.
struct InitArgs {
    answers: Answers,
    name: Option<String>,
    action: Action,
    json: bool,
}

/// The action on the files.
enum Action {
    Print,
    DryRun,
    /// Write them after confirmation.
    Ask,
    /// Write them.
    Write,
}

impl InitArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let flag = |name: &str| matches.get_flag(name);
        let action = match () {
            () if flag("print") => Action::Print,
            () if flag("dry-run") => Action::DryRun,
            () if flag("non-interactive") || flag("defaults") => Action::Write,
            () => Action::Ask,
        };
        Self {
            answers: Answers {
                hosts: hosts(&args::all(matches, "host")),
                packages: flag("packages"),
                docs: flag("docs"),
                refresh: matches
                    .get_one::<String>("docs-refresh")
                    .and_then(|name| Refresh::parse(name)),
            },
            name: matches.get_one::<String>("name").cloned(),
            action,
            json: json_from_matches(matches),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let InitArgs {
        answers,
        name,
        action,
        json,
    } = InitArgs::from_matches(matches);
    let cx = SetupContext::new(name, io);
    let requested = answers;
    let answers = requested.clone().resolve(&cx, io)?;
    if matches!(action, Action::Print) {
        let steps = host::steps(&cx, &answers.hosts).map_err(nothing_written)?;
        return print::files(&cx, &steps, io);
    }
    check_directory(&cx)?;
    let survey = Survey::new(io).map_err(nothing_written)?;
    let plan = plan(&cx, &survey, &answers, io)?;
    let duplicate = gemini::duplicate(&answers.hosts);
    for warning in survey.warnings.iter().chain(&duplicate) {
        io.report(Severity::Warning, warning);
    }
    if matches!(action, Action::DryRun) {
        return if json {
            io.show_json(&plan.json(true))
        } else {
            io.show(&plan.diff())
        };
    }
    if json {
        // A question would corrupt the JSON.
        plan.apply().map_err(ApplyError::diagnostic)?;
        trust_created_project(io, None);
        return io.show_json(&plan.json(false));
    }
    if plan.changes().next().is_none() {
        let review = finish::review_advice(io);
        let summary = plan.summary();
        let table = finish::table_advice(&survey, &answers);
        let text =
            format!("{summary}\nnothing to do: everything is set up already\n{table}{review}");
        return io.show(&text);
    }
    if !matches!(action, Action::Ask) {
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

/// The requested hosts, without duplicates.
fn hosts(names: &[String]) -> Vec<Host> {
    let mut hosts = Vec::new();
    for host in names.iter().filter_map(|name| Host::parse(name)) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
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
    let mut steps: Vec<Step> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let configuration = starter::configuration(&cx.root, survey, answers.packages);
    let example = survey.folder.as_ref();
    let example = example.map(|folder| starter::example(&cx.root, folder));
    for created in std::iter::once(configuration.map(|step| vec![step])).chain(example) {
        match created {
            Ok(created) => steps.extend(created),
            Err(error) => diagnostics.push(error.diagnostic()),
        }
    }
    match host::steps(cx, &answers.hosts) {
        Ok(edits) => steps.extend(edits),
        Err(errors) => diagnostics.extend(errors),
    }
    if answers.docs {
        match documents::steps(survey, answers, &steps, io) {
            Ok(written) => steps.extend(written),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if let Some(refresh) = answers.refresh {
        match refresh.step(&cx.root, io) {
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
