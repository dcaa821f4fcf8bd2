//! `cogtools-yaml`: runs one tool file.
//!
//! It is the interpreter in the first line of a tool file, which makes an executable
//! tool file a program: `./tools/facepalm.yaml < arguments.json`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::hint::Callee;
use cogtools_core::{self as core, Tool};
use cogtools_program::args::{self, EnvArgs, LockedArg, RegistryArgs};
use cogtools_program::call::{Call, CallOptions, accept_and_run};
use cogtools_program::project::{ProjectContext, may_be_locked, project, read_scope, registry};
use cogtools_program::{Failure, Io, Program, Stdin, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-yaml",
    command: YamlArgs::command,
    run,
    stdin: Stdin::Read,
    codes: &[Program::SOURCE_CODES, Program::CALL_CODES],
    variables: man::TOOLS,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "SHEBANG",
        "A tool file that begins with the line\n\n    #! /usr/bin/env cogtools-yaml\n\nand is executable can be run as a program. Options after its name are passed to `cogtools-yaml`, so that --yaml, for instance, works there too.",
    ),
    (
        "EXAMPLES",
        "    cogtools-yaml tools/facepalm.yaml < arguments.json\n\n    ./tools/facepalm.yaml --yaml < arguments.yaml",
    ),
];

/// Run a tool file: arguments on stdin, result on stdout
#[derive(Parser)]
#[command(
    long_about = "Run the tool in FILE, which need not belong to a project. The arguments are read \
        from standard input and checked; the result is printed on standard output."
)]
struct YamlArgs {
    /// The tool file
    file: PathBuf,
    #[command(flatten)]
    options: CallOptions,
    #[command(flatten)]
    env: EnvArgs,
    #[command(flatten)]
    locked: LockedArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let YamlArgs {
        file,
        options,
        env,
        locked,
    } = args::parse(matches)?;
    let call = Call::new(&options, Callee::File(file.clone()))?;
    let path = io.cwd.join(&file);
    let tool = Tool::load(&path, &file, &read_scope(&path, io))
        .map_err(|error| Failure::from(error.diagnostics()))?;
    let args = RegistryArgs {
        env,
        locked,
        ..RegistryArgs::default()
    };
    let tool = pinned(tool, &args, io)?;
    if call.verbose {
        io.note(&format!("{}: {}", tool.name(), file.display()));
    }
    let prepare = |tool, arguments| Ok(core::Call::new(Arc::new(tool), arguments));
    accept_and_run(
        io,
        tool,
        &call,
        |io| ProjectContext::load(&args, io),
        prepare,
    )
}

/// `tool` if `cogtools.lock` pins it, or if it need not. A template in a project without
/// that file needs no configuration, unless a layer of it mentions the key.
fn pinned(tool: Tool, args: &RegistryArgs, io: &Io<'_>) -> Result<Tool, Failure> {
    let is_asked = args.locked.locked == Some(true) || tool.runs_programs() || tool.lists_values();
    if !is_asked && !may_be_locked(&project(io), io) {
        return Ok(tool);
    }
    registry(args, io, None)?
        .check_file(tool)
        .map_err(Failure::from)
}
