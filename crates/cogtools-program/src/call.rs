//! A call through a program's streams: arguments in, result out.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use clap::{Arg, ArgAction};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Code, Config, Fault, Project, Registry, Tool};

use crate::failure::Failure;
use crate::input::{Input, InputError};
use crate::io::Io;

/// The stack of the thread in which a tool works: as much as a main thread has.
const STACK: usize = 8 << 20;

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
    let result = call(&Arc::new(tool), bytes, syntax)?;
    io.print(result.as_bytes())
}

/// What a call of `tool` with the arguments in `bytes` prints.
pub fn call(tool: &Arc<Tool>, bytes: Vec<u8>, syntax: Syntax) -> Result<String, Failure> {
    let arguments = Arguments::read(bytes, syntax)
        .map_err(|error| error.fault().about(tool.name().as_str()))?;
    bounded(Arc::clone(tool), arguments)
}

/// The result of the call, if it comes in time. The tool works in a thread of its
/// own: hosts wait for ever, so a tool that does not end must be left behind.
fn bounded(tool: Arc<Tool>, arguments: Arguments) -> Result<String, Failure> {
    let name = tool.name().to_string();
    let timeout = tool.timeout();
    let (sender, receiver) = channel();
    let thread = thread::Builder::new().name("tool".into()).stack_size(STACK);
    let work = move || {
        let _ = sender.send(result(&tool, arguments));
    };
    if let Err(error) = thread.spawn(work) {
        let message = format!("no thread can be started for the tool: {error}");
        return Err(Fault::new(Code::Internal, message).about(name).into());
    }
    match receiver.recv_timeout(timeout) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => {
            let message = format!("the tool did not end within {} s", timeout.as_secs_f64());
            let fault = Fault::new(Code::Timeout, message).about(name);
            Err(fault
                .hint("send less, or give the tool more time with `timeout`")
                .into())
        }
        // A panic, which has been reported where it happened.
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Status(Code::Internal.status())),
    }
}

fn result(tool: &Tool, arguments: Arguments) -> Result<String, Failure> {
    let accepted = tool
        .accept(arguments)
        .map_err(|error| Failure::from(error.faults(tool)))?;
    tool.run(accepted).map_err(|fault| Failure::from(*fault))
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
