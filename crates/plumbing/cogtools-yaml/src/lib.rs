//! `cogtools-yaml`: runs one tool file.
//!
//! It is the interpreter in the first line of a tool file, which makes an executable
//! tool file a program: `./tools/facepalm.yaml < arguments.json`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command, value_parser};
use cogtools_core::hint::Callee;
use cogtools_core::{self as core, Code, Tool};
use cogtools_program::args::{
    EnvArgs, RegistryArgs, locked_arg, locked_from_matches, required, sandbox_arg, system_env_arg,
};
use cogtools_program::call::{
    Call, accept_and_run, reject_words, verbose_arg, words_arg, yaml_arg,
};
use cogtools_program::project::{ProjectContext, may_be_locked, project, read_scope, registry};
use cogtools_program::{Failure, Io, Program, Stdin, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-yaml",
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Code::ToolFailed,
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::TemplateFailed,
        Code::Denied,
        Code::SandboxUnavailable,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::Timeout,
    ],
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

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Run a tool file: arguments on stdin, result on stdout")
        .long_about(
            "Run the tool in FILE, which need not belong to a project. The arguments are read from \
             standard input and checked; the result is printed on standard output.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(OsString))
                .help("The tool file"),
        )
        .arg(words_arg())
        .arg(yaml_arg())
        .arg(verbose_arg())
        .arg(system_env_arg())
        .arg(sandbox_arg())
        .arg(locked_arg())
}

/// The command line.
struct YamlArgs {
    file: PathBuf,
    call: Call,
    env: EnvArgs,
    locked: Option<bool>,
}

impl YamlArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let file = PathBuf::from(required::<OsString>(matches, "file")?);
        let call = Call::from_matches(matches, Callee::File(file.clone()));
        reject_words(matches, &call)?;
        Ok(Self {
            file,
            call,
            env: EnvArgs::from_matches(matches),
            locked: locked_from_matches(matches),
        })
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let YamlArgs {
        file,
        call,
        env,
        locked,
    } = YamlArgs::from_matches(matches)?;
    let path = io.cwd.join(&file);
    let tool = Tool::load(&path, &file, &read_scope(&path, io))
        .map_err(|error| Failure::from(error.diagnostics()))?;
    let tool = pinned(tool, env, locked, io)?;
    if call.verbose {
        io.note(&format!("{}: {}", tool.name(), file.display()));
    }
    let prepare = |tool, arguments| Ok(core::Call::new(Arc::new(tool), arguments));
    accept_and_run(io, tool, &call, |io| ProjectContext::load(env, io), prepare)
}

/// `tool` if `cogtools.lock` pins it, or if it need not. A template in a project without
/// that file needs no configuration, unless a layer of it mentions the key.
fn pinned(tool: Tool, env: EnvArgs, locked: Option<bool>, io: &Io<'_>) -> Result<Tool, Failure> {
    let is_asked = locked == Some(true) || tool.runs_programs();
    if !is_asked && !may_be_locked(&project(io), io) {
        return Ok(tool);
    }
    let args = RegistryArgs {
        env,
        locked,
        ..RegistryArgs::default()
    };
    registry(&args, io, None)?
        .check_file(tool)
        .map_err(Failure::from)
}
