//! The command line.

use clap::{ArgMatches, Command};
use cogtools_core::Code;
use cogtools_program::{Failure, Io, Program, Stdin, man, text_input};

use crate::contract::Contract;
use crate::hydrate::hydrate;
use crate::input::{HydrateInput, ResolveInput};
use crate::limit::TooLarge;
use crate::manual::MANUAL;
use crate::resolve::resolve;
use crate::run;

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
        .about("Check a model's plan, run it, and fill results into its reply")
        .long_about(
            "Work with plans that a model writes as one JSON object. Each command reads standard \
             input and prints its result; only run calls tools.",
        )
        .subcommand_required(true)
        .subcommand(run::command())
        .subcommand(Command::new("check").about("Print the contract in a model's text, normalised"))
        .subcommand(
            Command::new("resolve").about("Print arguments with references replaced by results"),
        )
        .subcommand(
            Command::new("hydrate").about("Print a reply with placeholders replaced by results"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match matches.subcommand_name() {
        Some("check") => {
            let text = text_input::read_text(io, "cogtools plan check < answer.txt")?;
            let contract = Contract::parse(&text)?;
            io.show_json(&format!("{}\n", contract.to_json()))
        }
        Some("resolve") => {
            let bytes = text_input::read_bytes(io, "cogtools plan resolve < step.json")?;
            let ResolveInput { args, records } = ResolveInput::read(bytes)?;
            let resolved = resolve(args, &records)?;
            io.show_json(&format!("{resolved}\n"))
        }
        Some("hydrate") => {
            let bytes = text_input::read_bytes(io, "cogtools plan hydrate < reply.json")?;
            let input = HydrateInput::read(bytes)?;
            let text = hydrate(&input.template, &input.last, &input.records)
                .map_err(TooLarge::diagnostic)?;
            io.show(&format!("{text}\n"))
        }
        Some("run") => match matches.subcommand() {
            Some((_, matches)) => run::run(matches, io),
            None => Err(PROGRAM.missing_subcommand()),
        },
        _ => Err(PROGRAM.missing_subcommand()),
    }
}
