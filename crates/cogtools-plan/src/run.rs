//! `cogtools plan run`: the steps of a plan, one after the other, through the project's tools.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_agent::Journal;
use cogtools_journal::{self as session, Target};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};

use crate::execution::PlanRun;
use crate::plan_file;
use crate::recorder::Recorder;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("run")
        .about("Run the steps of a plan, and print its reply")
        .arg(plan_file::arg())
        .arg(session_arg())
        .arg(
            Arg::new("no-session")
                .long("no-session")
                .action(ArgAction::SetTrue)
                .conflicts_with("session")
                .help("Keep no session; the run cannot be resumed"),
        )
        .arg(stream_json_arg())
        .args(RegistryArgs::options())
}

/// Runs the plan that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let contract = plan_file::read(matches, "run", io)?;
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let target = if matches.get_flag("no-session") {
        Target::None
    } else {
        target(matches)
    };
    let log = session::create(&target, "", io)?;
    let mut recorder = Recorder::new(log.map(Journal::new), target.file());
    recorder
        .plan(&contract)
        .map_err(|error| session::failure(&error))?;
    let run = PlanRun {
        contract,
        done: BTreeMap::new(),
        registry,
        cx: context.context(io),
        recorder,
        streams: matches.get_flag("stream-json"),
    };
    run.run(io)
}

/// The file of the session.
pub(crate) fn session_arg() -> Arg {
    Arg::new("session")
        .long("session")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("The file of the new session; by default, it is among those of the project")
}

/// What [`session_arg`] says.
pub(crate) fn target(matches: &ArgMatches) -> Target {
    let path = matches.get_one::<PathBuf>("session");
    path.map_or(Target::Stored, |path| Target::File(path.clone()))
}

/// Prints events.
pub(crate) fn stream_json_arg() -> Arg {
    Arg::new("stream-json")
        .long("stream-json")
        .action(ArgAction::SetTrue)
        .help("Print what happens, one JSON object per line")
}
