//! A call through a program's streams: arguments in, result out.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};

use clap::{Arg, ArgAction};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{
    Cancel, Code, Config, EnvPriority, Environment, Fault, Project, Registry, Surroundings, Tool,
};

use crate::failure::Failure;
use crate::input::{Input, InputError};
use crate::io::Io;
use crate::work;

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
/// the tool and prints its result. `line` is the command line that makes this
/// call, for whoever left the arguments out.
pub fn answer(io: &mut Io<'_>, tool: Tool, syntax: Syntax, line: &str) -> Result<(), Failure> {
    let bytes = io.stdin.read();
    let bytes = bytes.map_err(|error| input_fault(&error, &tool, line))?;
    let arguments = Arguments::read(bytes, syntax)
        .map_err(|error| error.fault().about(tool.name().as_str()))?;
    let surroundings = surroundings(io, &tool);
    let result = bounded(tool, arguments, surroundings)?;
    io.print(result.as_bytes())
}

/// What is around a call of `tool`. A template looks at nothing, so nothing is
/// looked for.
fn surroundings(io: &Io<'_>, tool: &Tool) -> Surroundings {
    if !tool.implementation().runs_programs() {
        return Surroundings::default();
    }
    let project = project(io);
    let environment = Environment::new(io.vars.clone());
    Surroundings {
        root: project.root().to_path_buf(),
        environment: environment.within(
            &io.cwd,
            project.root(),
            project.shown(),
            EnvPriority::default(),
        ),
        cancel: Cancel::default(),
    }
}

/// The result of the call, if it comes in time.
fn bounded(
    tool: Tool,
    arguments: Arguments,
    surroundings: Surroundings,
) -> Result<String, Failure> {
    let name = tool.name().to_string();
    let timeout = tool.timeout();
    let (sender, receiver) = channel();
    let work = move || {
        let _ = sender.send(work::outcome(&tool, arguments, &surroundings));
    };
    work::start(&name, work)?;
    match receiver.recv_timeout(timeout) {
        Ok(outcome) => outcome.map_err(Failure::from),
        Err(RecvTimeoutError::Timeout) => Err(work::timed_out(&name, timeout).into()),
        // A panic, which has been reported where it happened.
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Status(Code::Internal.status())),
    }
}

/// A word as a shell takes it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn input_fault(error: &InputError, tool: &Tool, line: &str) -> Fault {
    let name = tool.name().as_str();
    match error {
        InputError::Terminal => {
            let example = tool.skeleton().unwrap_or_else(|| "{…}".to_owned());
            Fault::new(
                Code::Usage,
                "the arguments come on standard input, which is a terminal here",
            )
            .about(name)
            .hint(format!("echo {} | {line}", quote(&example)))
            .hint(format!("{line} < arguments.json"))
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
