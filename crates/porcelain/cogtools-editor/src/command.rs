//! The command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::Code;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::install::{Install, install};
use crate::manual::MANUAL;
use crate::print::Snippet;
use crate::status::status;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-editor",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::ToolFailed,
        Code::UnknownProgram,
        Code::AmbiguousEditor,
    ],
    variables: man::TOOLS,
    manual: MANUAL,
};

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Connect the editor around the terminal, and say which one answers")
        .long_about(
            "Tools of the source `editor` ask the editor in whose terminal they run for its \
             selection and its files. This program says which editor answers, and connects one.",
        )
        .subcommand(
            Command::new("status")
                .about("Say which editor answers here, and why not another one")
                .arg(
                    Arg::new("json")
                        .long("json")
                        .action(ArgAction::SetTrue)
                        .help("Print a JSON object"),
                ),
        )
        .subcommand(
            Command::new("install")
                .about("Install the extension for VS Code and editors that are built on it")
                .arg(
                    Arg::new("program")
                        .value_name("PROGRAM")
                        .help("The program of the editor (default: each that is on PATH)"),
                )
                .arg(
                    Arg::new("to")
                        .long("to")
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .conflicts_with("program")
                        .help(
                            "Write the extension to FILE, such as cogtools.vsix, and run nothing",
                        ),
                ),
        )
        .subcommand(
            Command::new("print")
                .about("Print what connects an editor without an extension")
                .arg(
                    Arg::new("editor")
                        .value_name("EDITOR")
                        .required(true)
                        .value_parser(PossibleValuesParser::new(Snippet::NAMES))
                        .help("The editor"),
                ),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("status", matches)) => status(matches.get_flag("json"), io),
        Some(("install", matches)) => {
            let args = Install {
                program: matches.get_one::<String>("program").cloned(),
                to: matches.get_one::<PathBuf>("to").cloned(),
            };
            install(&args, io)
        }
        Some(("print", matches)) => {
            let name = matches.get_one::<String>("editor");
            io.show(
                name.and_then(|name| Snippet::parse(name))
                    .unwrap_or_default(),
            )
        }
        _ => Err(PROGRAM.missing_subcommand()),
    }
}
