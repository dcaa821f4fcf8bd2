//! `cogtools-call`: checks the arguments of one tool and runs it.
//!
//! The call command of Gemini CLI and compatible hosts: the tool's name is the only
//! argument, and the arguments are JSON on standard input. Hosts treat any output on
//! stderr as a failure and pass it to the model.

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::Code;
use cogtools_core::hint::Callee;
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::call::{Call, CallOptions, accept_and_run};
use cogtools_program::project::registry_and_context;
use cogtools_program::{EACH, Failure, Io, Program, Stdin, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-call",
    command: CallArgs::command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Program::SOURCE_CODES,
        Program::JS_CODES,
        Program::CALL_CODES,
        &[Code::AmbiguousEditor, Code::ToolNotFound],
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "ARGUMENTS",
        "The arguments are one JSON object on standard input; empty input is an empty object. They are checked against the tool's parameters, and every violation is reported at once. An argument that the tool does not declare is a violation, except wait_for_previous, which some hosts add to every call: it is dropped. Values are not converted: a number in quotes is a string. Parameters with a default are filled in.\n\nInput is limited to 16 MiB. It is read to its end before the program exits, even after a failure.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    echo '{\"facepalm\": \"ouch\"}' | cogtools-call facepalm\n\n    cogtools-call --yaml facepalm < arguments.yaml",
    ),
];

/// Call a tool: arguments on stdin, result on stdout
#[derive(Parser)]
#[command(
    long_about = "Call a tool of the project that contains the current directory. The arguments \
        are read from standard input and checked; the result is printed on standard output."
)]
struct CallArgs {
    /// The tool's name
    tool: String,
    #[command(flatten)]
    options: CallOptions,
    #[command(flatten)]
    registry: RegistryArgs,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut args: CallArgs = args::parse(matches)?;
    args.registry.lenient = true;
    let call = Call::new(&args.options, Callee::Tool(args.tool.clone()))?;
    let (registry, context) = registry_and_context(&args.registry, io, None)?;
    let tool = registry.find(&args.tool);
    let tool = tool.map_err(|error| io.summarize(&error.diagnostics(), &EACH))?;
    if call.verbose {
        io.note(&format!("{}: {}", args.tool, tool.file().display()));
    }
    let prepare = |tool, arguments| registry.prepare_tool(tool, arguments);
    accept_and_run(io, tool, &call, |_| Ok(context), prepare)
}
