//! The command line.

use clap::{ArgMatches, Command};
use cogtools_core::Code;
use cogtools_program::{Failure, Io, Program, Stdin, man, text_input};

use crate::hydrate::hydrate;
use crate::input::{HydrateInput, ResolveInput};
use crate::limit::TooLarge;
use crate::manual::MANUAL;
use crate::resolve::resolve;
use crate::{explain, plan_file, question, resume, run, show};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-plan",
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::NoJson,
        Code::ContractViolation,
        Code::MissingReference,
        Code::StepFailed,
        Code::ModelFailed,
        Code::ModelRefused,
        Code::BudgetSpent,
        Code::Unavailable,
        Code::ApprovalWanted,
        Code::InvalidSession,
        Code::SessionInUse,
        Code::SessionNotFound,
        Code::Denied,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::Timeout,
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Plan with a model; check, run, show and resume plans")
        .long_about(
            "Work with plans that a model writes as one JSON object. With a question, a model \
             plans, and the plan runs once you agree. Each command reads a file or standard \
             input; only run and resume call tools.",
        )
        .args_conflicts_with_subcommands(true)
        .args(question::args())
        .subcommand(
            Command::new("check")
                .about("Print the contract in a model's text, normalised")
                .arg(plan_file::arg()),
        )
        .subcommand(run::command())
        .subcommand(show::command())
        .subcommand(explain::command())
        .subcommand(resume::command())
        .subcommand(
            Command::new("resolve").about("Print arguments with references replaced by results"),
        )
        .subcommand(
            Command::new("hydrate").about("Print a reply with placeholders replaced by results"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        let commands = command();
        let names: Vec<&str> = commands.get_subcommands().map(Command::get_name).collect();
        return question::run(matches, names.into_iter(), io);
    };
    match name {
        "check" => {
            let contract = plan_file::read(matches, "check", io)?;
            io.show_json(&format!("{}\n", contract.to_json()))
        }
        "resolve" => {
            let bytes = text_input::read_bytes(io, "cogtools plan resolve < step.json")?;
            let ResolveInput { args, records } = ResolveInput::read(bytes)?;
            let resolved = resolve(args, &records)?;
            io.show_json(&format!("{resolved}\n"))
        }
        "hydrate" => {
            let bytes = text_input::read_bytes(io, "cogtools plan hydrate < reply.json")?;
            let input = HydrateInput::read(bytes)?;
            let text = hydrate(&input.template, &input.last, &input.records)
                .map_err(TooLarge::diagnostic)?;
            io.show(&format!("{text}\n"))
        }
        "run" => run::run(matches, io),
        "show" => show::run(matches, io),
        "explain" => explain::run(matches, io),
        "resume" => resume::run(matches, io),
        _ => Err(PROGRAM.missing_subcommand()),
    }
}
