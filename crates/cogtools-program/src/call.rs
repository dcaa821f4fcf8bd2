//! A call through a program's streams: arguments in, result out.

use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Answer, Code, Fault, Surroundings, Tool};

use crate::failure::Failure;
use crate::input::{Input, InputError};
use crate::io::Io;
use crate::project::ProjectContext;

/// How a tool is called.
#[derive(Clone, Debug)]
pub struct Call {
    /// What the arguments are written in.
    pub syntax: Syntax,
    /// Whether to say what is done, and what a program said aside.
    pub verbose: bool,
    /// The command line that makes this call, for whoever left the arguments out.
    pub line: String,
}

impl Call {
    /// The call that the options of [`yaml_arg`] and [`verbose_arg`] ask for.
    pub fn from_matches(matches: &ArgMatches, line: String) -> Self {
        Self {
            syntax: Syntax::from_flag(matches.get_flag("yaml")),
            verbose: matches.get_flag("verbose"),
            line,
        }
    }
}

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

/// Reads the arguments of a call of `tool` from standard input, checks them, runs
/// the tool and prints its result. A template looks at nothing around it, so only
/// other tools ask for the `context`.
pub fn answer(
    io: &mut Io<'_>,
    tool: Tool,
    call: &Call,
    context: impl FnOnce(&Io<'_>) -> Result<ProjectContext, Failure>,
) -> Result<(), Failure> {
    let name = tool.name().to_string();
    let bytes = io.stdin.read();
    let bytes =
        bytes.map_err(|error| input_fault(&error, &name, || tool.skeleton(), &call.line))?;
    let surroundings = if tool.implementation().runs_programs() {
        context(io)?.surroundings(io)
    } else {
        Surroundings::default()
    };
    let answer = self::call(&Arc::new(tool), bytes, call.syntax, surroundings)?;
    if call.verbose && !answer.aside.trim().is_empty() {
        let message = format!("{name}: the program wrote on standard error:");
        io.note_with(&message, answer.aside.trim_end());
    }
    io.print(answer.text.as_bytes())
}

/// The answer to a call of `tool` with the arguments in `bytes`.
pub fn call(
    tool: &Arc<Tool>,
    bytes: Vec<u8>,
    syntax: Syntax,
    surroundings: Surroundings,
) -> Result<Answer, Failure> {
    let arguments = Arguments::read(bytes, syntax)
        .map_err(|error| error.fault().about(tool.name().as_str()))?;
    crate::work::bounded(Arc::clone(tool), arguments, surroundings)
}

/// A word as a shell takes it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The fault of a call of `name` whose arguments could not be had: `line` makes the
/// call, and the `example` is what could be sent.
pub fn input_fault(
    error: &InputError,
    name: &str,
    example: impl FnOnce() -> Option<String>,
    line: &str,
) -> Fault {
    match error {
        InputError::Terminal => {
            let example = example().unwrap_or_else(|| "{…}".to_owned());
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
