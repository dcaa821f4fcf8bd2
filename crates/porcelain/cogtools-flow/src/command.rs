//! The command line.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::Code;
use cogtools_program::args::{RegistryArgs, all, required};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::manual::MANUAL;
use crate::routing::Capabilities;
use crate::{node, output, resume, run, show, test, trace};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-flow",
    command,
    run: dispatch,
    stdin: Stdin::Read,
    codes: &[
        Code::NodeFailed,
        Code::AnswerWanted,
        Code::AmbiguousCapability,
        Code::ToolNotFound,
        Code::ToolFailed,
        Code::TemplateFailed,
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::Denied,
        Code::InvalidSession,
        Code::SessionInUse,
        Code::SessionNotFound,
        Code::TestFailed,
        Code::IoFailed,
        Code::Timeout,
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Run, show, trace and resume flows")
        .long_about(
            "Work with tools that are flows: nodes that call tools, ask models and use each \
             other's results. A flow is a tool like any other, so hosts call it, too.",
        )
        .arg_required_else_help(true)
        .subcommand(run::command())
        .subcommand(run::call_command())
        .subcommand(resume::command())
        .subcommand(show::command())
        .subcommand(trace::command())
        .subcommand(node::command())
        .subcommand(output::command())
        .subcommand(test::command())
        .subcommand(route_command())
}

fn route_command() -> Command {
    Command::new("route")
        .about("Print the name of the tool that has a capability")
        .arg(
            Arg::new("capability")
                .value_name("CAPABILITY")
                .required(true)
                .help("The capability, such as calendar.list_events"),
        )
        .arg(
            Arg::new("among")
                .long("among")
                .value_name("CAPABILITY")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .help("The only capabilities that count"),
        )
        .args(RegistryArgs::options())
}

fn dispatch(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("run", matches)) => run::run(matches, io),
        Some(("call", matches)) => run::call(matches, io),
        Some(("resume", matches)) => resume::run(matches, io),
        Some(("show", matches)) => show::run(matches, io),
        Some(("trace", matches)) => trace::run(matches, io),
        Some(("node", matches)) => node::run(matches, io),
        Some(("output", matches)) => output::run(matches, io),
        Some(("test", matches)) => test::run(matches, io),
        Some(("route", matches)) => route(matches, io),
        _ => Err(PROGRAM.missing_subcommand()),
    }
}

fn route(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let capability: String = required(matches, "capability")?;
    let among: Vec<String> = all(matches, "among");
    let (registry, _) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let routing = Capabilities::new(&registry).route(&capability, &among);
    let tool = routing.tool().map_err(|error| *error)?;
    io.show(&format!("{tool}\n"))
}
