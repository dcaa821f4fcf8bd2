//! A call through a program's streams: arguments in, result out.

use std::path::Path;

use clap::{Arg, ArgAction};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Code, Config, Fault, Project, Registry, Tool};

use crate::failure::Failure;
use crate::input::{Input, InputError};
use crate::io::Io;

/// `--yaml` for arguments.
pub fn yaml_arg() -> Arg {
    Arg::new("yaml")
        .long("yaml")
        .action(ArgAction::SetTrue)
        .help("Read the arguments as YAML instead of JSON")
}

/// `--verbose`.
pub fn verbose_arg() -> Arg {
    Arg::new("verbose")
        .long("verbose")
        .action(ArgAction::SetTrue)
        .help("Say on stderr what is done; some hosts take any stderr for a failure")
}

/// The tools of the project around `io`'s working directory.
pub fn registry(io: &Io<'_>) -> Result<Registry, Failure> {
    Ok(Registry::new(config(&project(io))?))
}

/// The project around `io`'s working directory.
pub fn project(io: &Io<'_>) -> Project {
    Project::find(&io.cwd, io.var("HOME").map(Path::new))
}

/// What `project` says of its tools.
pub fn config(project: &Project) -> Result<Config, Failure> {
    Config::load(project).map_err(|error| Failure::from(error.faults()))
}

/// Reads the arguments of a call of `tool` from standard input, checks them, runs
/// the tool and prints its result.
pub fn answer(io: &mut Io<'_>, tool: &Tool, syntax: Syntax) -> Result<(), Failure> {
    let bytes = io.stdin.read().map_err(|error| input_fault(&error, tool))?;
    let arguments = Arguments::read(bytes, syntax)
        .map_err(|error| error.fault().about(tool.name().as_str()))?;
    let accepted = tool
        .accept(arguments)
        .map_err(|error| Failure::from(error.faults(tool)))?;
    let result = tool.run(accepted).map_err(|fault| Failure::from(*fault))?;
    io.print(result.as_bytes())
}

fn input_fault(error: &InputError, tool: &Tool) -> Fault {
    let name = tool.name().as_str();
    match error {
        InputError::Terminal => {
            let example = tool.skeleton().unwrap_or_else(|| "{…}".to_owned());
            Fault::new(
                Code::Usage,
                "the arguments come on standard input, which is a terminal here",
            )
            .about(name)
            .hint(format!("echo '{example}' | cogtools-call {name}"))
            .hint(format!("cogtools-call {name} < arguments.json"))
        }
        InputError::TooLarge => {
            let most = Input::LIMIT >> 20;
            let message = format!("the arguments are larger than {most} MiB");
            Fault::new(Code::InvalidArgumentsSyntax, message)
                .about(name)
                .hint("pass the name of a file instead of its content")
        }
        InputError::TimedOut(after) => {
            let message = format!("standard input did not end within {} s", after.as_secs());
            Fault::new(Code::Timeout, message)
                .about(name)
                .hint("close standard input after the arguments; `< /dev/null` sends none")
        }
        InputError::Failed(error) => Fault::new(
            Code::IoFailed,
            format!("standard input cannot be read: {error}"),
        )
        .about(name)
        .hint("check where standard input comes from"),
    }
}
