//! `cogtools NAME`: continues as the program of that name, which is built in or searched for.

use std::ffi::{OsStr, OsString};
use std::process::Command as Process;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::hint::Command as HintCommand;
use cogtools_core::{Code, Diagnostic, Hint};
use cogtools_program::project::project;
use cogtools_program::{Failure, Io, Next, Program, Stdin, args, man};

use crate::locate::{ProgramPath, Untrusted};
use crate::{built_in, help, welcome, words};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::UnknownProgram, Code::Denied, Code::InvalidConfig],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "PROGRAMS",
        "cogtools alone lists the tools of the project, and the next steps.\n\ncogtools NAME runs the program cogtools-NAME with the rest of the command line. The programs that are part of cogtools run in its own process and are never searched for. Any other program is searched for in the directory of cogtools itself, in node_modules/.bin from the current directory upward, and on PATH, in this order, and replaces cogtools: any executable named cogtools-something in one of these places is a subcommand. Those of a project, in its node_modules/.bin or where PATH leads into it, are found only if the project is trusted (see `cogtools-trust(1)`).\n\nA link to cogtools that is named cogtools-NAME is that program.\n\ncogtools help NAME shows the manual page of a program, or its --help if man is not installed; cogtools help --all lists every program found. cogtools version is the same as --version.",
    ),
    (
        "ENVIRONMENT",
        "PATH\n  Where to search for programs and man.",
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
             project, declares them to hosts such as Gemini CLI, validates calls and runs them.",
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
                .help("Print the directory of the programs that are part of cogtools"),
        )
        .after_help(help::overview())
}

/// The command line.
struct DispatchArgs {
    exec_path: bool,
    /// The named program, with its arguments.
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
    let path = ProgramPath::new(io)?;
    if args.exec_path {
        return io.show(&format!("{}\n", path.exec_dir().display()));
    }
    let Some((name, rest)) = args.program else {
        return welcome::run(io);
    };
    let args: Vec<&OsStr> = rest.iter().map(OsString::as_os_str).collect();
    if name == "help" {
        return help::run(&args, &path, io);
    }
    if name == "version" {
        let version = Next::Program(&PROGRAM, vec!["--version".into()]);
        return Err(Failure::Exec(version));
    }
    exec(&name, &args, &path, io)
}

/// Continues as the program `name`. Built-in programs are never searched for.
pub(crate) fn exec(
    name: &str,
    args: &[&OsStr],
    program_path: &ProgramPath,
    io: &Io<'_>,
) -> Result<(), Failure> {
    if let Some(program) = built_in(name) {
        let args = args.iter().map(|&arg| arg.to_owned()).collect();
        return Err(Failure::Exec(Next::Program(program, args)));
    }
    let Some(file) = program_path.find(name) else {
        if let Some(untrusted) = program_path.find_untrusted(name) {
            return Err(denied(name, &untrusted, io).into());
        }
        return Err(words::unknown(name, args, program_path, io).into());
    };
    let mut process = Process::new(file);
    process.args(args).current_dir(&io.cwd);
    Err(Failure::Exec(process.into()))
}

/// The error for a program of a project that the user does not trust.
fn denied(name: &str, untrusted: &Untrusted, io: &Io<'_>) -> Diagnostic {
    let file = untrusted.file.display();
    let message = format!("`{file}` belongs to a project that is not trusted");
    let elsewhere = (project(io).root() != untrusted.project).then(|| untrusted.project.clone());
    Diagnostic::new(Code::Denied, message)
        .with_subject(name)
        .hint(Hint::run(
            "only the user can trust it, after a review: ",
            HintCommand::TrustProject(elsewhere),
            "",
        ))
}
