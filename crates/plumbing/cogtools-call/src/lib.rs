//! `cogtools-call`: checks the arguments of one tool and runs it.
//!
//! The call command of Gemini CLI and compatible hosts: the tool's name is the only
//! argument, and the arguments are JSON on standard input. Hosts treat any output on
//! stderr as a failure and pass it to the model.

use clap::{Arg, ArgMatches, Command};
use cogtools_core::Code;
use cogtools_core::hint::Callee;
use cogtools_program::args::{RegistryArgs, required};
use cogtools_program::call::{
    Call, accept_and_run, reject_words, verbose_arg, words_arg, yaml_arg,
};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, Program, Stdin, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-call",
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Code::ToolFailed,
        Code::JsRuntime,
        Code::JsSyntax,
        Code::JsForbidden,
        Code::JsMemory,
        Code::JsResult,
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::TemplateFailed,
        Code::Denied,
        Code::SandboxUnavailable,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::AmbiguousEditor,
        Code::Timeout,
        Code::JsTimeout,
        Code::ToolNotFound,
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

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Call a tool: arguments on stdin, result on stdout")
        .long_about(
            "Call a tool of the project that contains the current directory. The arguments are read \
             from standard input and checked; the result is printed on standard output.",
        )
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .required(true)
                .help("The tool's name"),
        )
        .arg(words_arg())
        .arg(yaml_arg())
        .arg(verbose_arg())
        .args(RegistryArgs::options())
}

/// The command line.
struct CallArgs {
    tool: String,
    call: Call,
    registry: RegistryArgs,
}

impl CallArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let tool: String = required(matches, "tool")?;
        let call = Call::from_matches(matches, Callee::Tool(tool.clone()));
        reject_words(matches, &call)?;
        Ok(Self {
            tool,
            call,
            registry: RegistryArgs {
                lenient: true,
                ..RegistryArgs::from_matches(matches)
            },
        })
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = CallArgs::from_matches(matches)?;
    let (registry, context) = registry_and_context(&args.registry, io, None)?;
    let tool = registry
        .find(&args.tool)
        .map_err(|error| Failure::from(error.diagnostics()))?;
    if args.call.verbose {
        io.note(&format!("{}: {}", args.tool, tool.file().display()));
    }
    let prepare = |tool, arguments| registry.prepare_tool(tool, arguments);
    accept_and_run(io, tool, &args.call, |_| Ok(context), prepare)
}
