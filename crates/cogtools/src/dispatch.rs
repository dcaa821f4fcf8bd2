//! `cogtools NAME`: finds the program of that name and becomes it.

use std::ffi::{OsStr, OsString};
use std::process::Command as Process;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Fault};
use cogtools_program::{Failure, Io, Program, Stdin, args};

use crate::help;
use crate::locate::Places;

/// The porcelain.
pub const PROGRAM: Program = Program {
    name: "cogtools",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "PROGRAMS",
        "cogtools NAME becomes the program cogtools-NAME, with the rest of the command line. It is looked for in the directory of cogtools itself, in node_modules/.bin from the current directory upward, and on PATH, in this order. The programs that belong to cogtools are never taken from node_modules. Any program that is named cogtools-something and lies in one of these places is a subcommand.\n\ncogtools help NAME shows the manual page of a program, or its --help where there is no man; cogtools help --all lists every program found.",
    ),
    (
        "ENVIRONMENT",
        "PATH\n  Where programs and man are looked for.",
    ),
    (
        "EXAMPLES",
        "    cogtools init\n\n    cogtools help call\n\n    cogtools discover --yaml",
    ),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("YAML files become tools for AI agents")
        .long_about(
            "One YAML file is one tool for an AI agent. cogtools finds the tools of the current \
             directory, declares them to hosts such as Gemini CLI, checks calls and runs them.",
        )
        .override_usage(
            "cogtools [OPTIONS] <PROGRAM> [ARGS]...\n       cogtools help [--all | PROGRAM]",
        )
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(clap::value_parser!(OsString))
        .arg(
            Arg::new("exec-path")
                .long("exec-path")
                .action(ArgAction::SetTrue)
                .help("Print the directory of the programs that belong to cogtools"),
        )
        .after_help(help::overview())
}

/// The command line.
struct DispatchArgs {
    exec_path: bool,
    /// The program that is named, with its own arguments.
    program: Option<(String, Vec<OsString>)>,
}

impl DispatchArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let program = matches
            .subcommand()
            .map(|(name, rest)| (name.to_owned(), args::all(rest, "")));
        Self {
            exec_path: matches.get_flag("exec-path"),
            program,
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = DispatchArgs::from_matches(matches);
    let places = Places::new(io)?;
    if args.exec_path {
        return io.show(&format!("{}\n", places.own().display()));
    }
    let Some((name, rest)) = args.program else {
        let fault = Fault::new(Code::Usage, "no program is named");
        return Err(fault
            .hint("usage: cogtools <PROGRAM> [ARGS]...")
            .hint("cogtools help lists the programs")
            .into());
    };
    let args: Vec<&OsStr> = rest.iter().map(OsString::as_os_str).collect();
    if name == "help" {
        return help::run(&args, &places, io);
    }
    become_program(&name, &args, &places, io)
}

/// The end of this process as itself: it goes on as the program of that name.
pub(crate) fn become_program(
    name: &str,
    args: &[&OsStr],
    places: &Places,
    io: &Io<'_>,
) -> Result<(), Failure> {
    let Some(path) = places.find(name) else {
        let mut fault = Fault::new(
            Code::UnknownProgram,
            format!("there is no program `{name}`"),
        );
        let names = places.all();
        fault
            .hints
            .extend(did_you_mean(name, names.keys().map(String::as_str)));
        return Err(fault.hint("cogtools help --all lists every program").into());
    };
    let mut process = Process::new(path);
    process.args(args).current_dir(&io.cwd);
    Err(Failure::Exec(Box::new(process)))
}
