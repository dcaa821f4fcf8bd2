//! The command line.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use cogtools_core::Code;
use cogtools_log::Id;
use cogtools_program::args::all;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::export::{Format, export};
use crate::fork::fork;
use crate::list::list;
use crate::manual::MANUAL;
use crate::prompt::prompt;
use crate::prune::{Prune, parse_age, prune};
use crate::resume::resume;
use crate::show::show;
use crate::tree::tree;
use crate::verify::verify;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-session",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::SessionDamaged,
        Code::InvalidSession,
        Code::SessionInUse,
        Code::Denied,
        Code::SessionNotFound,
    ],
    variables: man::SESSIONS,
    manual: MANUAL,
};

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("List, show, fork, export and check sessions with a model")
        .long_about(
            "Read the logs that `cogtools ask` writes: list the sessions of this project, show \
             what happened in one, go on with it or with a copy, export it, and check its file.",
        )
        .subcommands(reading_commands())
        .subcommands(writing_commands())
}

fn reading_commands() -> [Command; 6] {
    [
        Command::new("list")
            .about("List the sessions of this project, newest first")
            .arg(flag("json").help("Print a JSON array")),
        Command::new("show")
            .about("Show the turns, calls, times and tokens of a session")
            .arg(session_arg())
            .arg(from_arg().help("Show the branch that ends at this entry"))
            .arg(flag("json").help("Print the header, the entries and a summary as JSON")),
        Command::new("prompt")
            .about("Show what a request sent to the model, layer by layer")
            .arg(session_arg())
            .arg(from_arg().help("Show the last request up to this entry")),
        Command::new("tree")
            .about("Show all branches of a session, with the numbers of the entries")
            .arg(session_arg()),
        Command::new("export")
            .about("Print a session as a document or as a request to a model")
            .arg(session_arg())
            .arg(from_arg().help("Export the branch that ends at this entry"))
            .arg(
                Arg::new("format")
                    .long("format")
                    .value_name("FORMAT")
                    .value_parser(PossibleValuesParser::new(Format::NAMES))
                    .default_value("md")
                    .help("Markdown, JSON, or the turns in the form of an API"),
            ),
        Command::new("verify")
            .about("Check each line of a session, and its blobs")
            .arg(session_arg()),
    ]
}

fn writing_commands() -> [Command; 3] {
    [
        Command::new("resume")
            .about("Go on with a session: cogtools ask --continue --session SESSION")
            .arg(session_arg())
            .arg(
                Arg::new("prompt")
                    .value_name("PROMPT")
                    .num_args(0..)
                    .requires("session")
                    .help("What to ask; without it, standard input or a conversation"),
            ),
        Command::new("fork")
            .about("Copy a branch of a session to a new session")
            .arg(session_arg())
            .arg(from_arg().help("Copy up to this entry (default: the last one)"))
            .arg(
                Arg::new("to")
                    .long("to")
                    .value_name("FILE")
                    .help("Write the new session to FILE, which must not exist"),
            ),
        Command::new("prune")
            .about("Remove old sessions of this project, with their blobs")
            .arg(
                Arg::new("older-than")
                    .long("older-than")
                    .value_name("AGE")
                    .value_parser(parse_age)
                    .help("Remove those last written to longer ago: 12h, 30d, 8w"),
            )
            .arg(
                Arg::new("keep")
                    .long("keep")
                    .value_name("N")
                    .value_parser(value_parser!(usize))
                    .help("Keep the newest N in any case"),
            )
            .arg(flag("dry-run").help("Remove nothing, and print what would be removed"))
            .group(
                ArgGroup::new("which")
                    .args(["older-than", "keep"])
                    .multiple(true)
                    .required(true),
            ),
    ]
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn session_arg() -> Arg {
    Arg::new("session")
        .value_name("SESSION")
        .help("A name, the beginning of one, or a path (default: the newest)")
}

fn from_arg() -> Arg {
    Arg::new("from")
        .long("from")
        .value_name("ID")
        .value_parser(value_parser!(Id))
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(PROGRAM.missing_subcommand());
    };
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let from = || matches.get_one::<Id>("from").copied();
    match name {
        "list" => list(matches.get_flag("json"), io),
        "show" => show(text("session"), from(), matches.get_flag("json"), io),
        "prompt" => prompt(text("session"), from(), io),
        "tree" => tree(text("session"), io),
        "export" => {
            let format = text("format").map_or(Format::Markdown, Format::parse);
            export(text("session"), from(), format, io)
        }
        "verify" => verify(text("session"), io),
        "resume" => resume(text("session"), &all::<String>(matches, "prompt"), io),
        "fork" => fork(text("session"), from(), text("to"), io),
        _ => {
            let args = Prune {
                older_than: matches.get_one("older-than").copied(),
                keep: matches.get_one("keep").copied(),
                dry_run: matches.get_flag("dry-run"),
            };
            prune(args, io)
        }
    }
}
