//! A call through a program's streams: arguments in, result out.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::hint::{Callee, Command};
use cogtools_core::{
    self as core, Code, Context, Diagnostic, Hint, ProgressUpdate, Target, Tool, ToolOutput, media,
};

use crate::args;
use crate::call_timeout;
use crate::failure::Failure;
use crate::hint::command_line;
use crate::input::InputError;
use crate::io::Io;
use crate::project::ProjectContext;
use crate::terminal::{sanitize, status_line};

/// Options of a call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The syntax of the arguments.
    pub syntax: Syntax,
    /// True if the steps and the standard error of the tool's program are printed.
    pub verbose: bool,
    /// The called tool or file, for hints.
    pub callee: Callee,
    /// The format of the declaration that the caller has.
    pub declared: Target,
}

impl Call {
    /// A call of `callee` with these options.
    ///
    /// # Errors
    /// `USAGE` if arguments are on the command line: they are read from standard input.
    pub fn new(options: &CallOptions, callee: Callee) -> Result<Self, Failure> {
        let syntax = if options.yaml {
            Syntax::Yaml
        } else {
            Syntax::Json
        };
        let call = Self {
            syntax,
            verbose: options.verbose.verbose,
            callee,
            declared: options.declared.target,
        };
        call.reject(&options.words).map(|()| call)
    }

    fn reject(&self, words: &[String]) -> Result<(), Failure> {
        let Some(first) = words.first() else {
            return Ok(());
        };
        let message =
            format!("unexpected argument '{first}': arguments are read from standard input");
        let mut diagnostic = Diagnostic::new(Code::Usage, message);
        if words.len() == 1 && first.starts_with('{') {
            let command = self.command(Some(first.clone()), false);
            diagnostic = diagnostic.hint(Hint::run("", command, " sends them"));
        }
        let is_assignment = |word: &String| word.starts_with('{') || word.contains('=');
        if let Callee::Tool(name) = &self.callee
            && words.iter().all(is_assignment)
        {
            let command = Command::Run(name.clone(), words.to_vec());
            diagnostic =
                diagnostic.hint(Hint::run("", command, " takes them from the command line"));
        }
        Err(diagnostic.hint("--help explains every option").into())
    }

    /// The command that makes this call.
    fn command(&self, input: Option<String>, yaml: bool) -> Command {
        Command::Call {
            callee: self.callee.clone(),
            input,
            yaml,
        }
    }
}

/// The options of a call whose arguments are on standard input.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct CallOptions {
    /// Words that belong to standard input.
    #[arg(hide = true)]
    words: Vec<String>,
    /// Read the arguments as YAML instead of JSON
    #[arg(long)]
    yaml: bool,
    #[command(flatten)]
    declared: DeclaredArg,
    #[command(flatten)]
    verbose: VerboseArg,
}

/// `--format`: the format of the declaration that a model had when it wrote the arguments.
#[derive(Args, Clone, Copy, Debug)]
#[group(skip)]
pub struct DeclaredArg {
    /// Format of the declaration; after openai-strict, null is no argument where it is no value
    #[arg(long = "format", id = "format", value_name = "HOST", value_parser = args::host())]
    #[arg(default_value = "gemini")]
    pub target: Target,
}

/// `--verbose`.
#[derive(Args, Clone, Copy, Debug)]
#[group(skip)]
pub struct VerboseArg {
    /// Print what is done on stderr; some hosts treat any stderr output as a failure
    #[arg(long)]
    pub verbose: bool,
}

/// Reads the arguments of a call of `tool` from standard input, runs the call that `prepare`
/// returns for both, and prints the result. A template needs no context, so `context` is only
/// called for tools that use it.
pub fn accept_and_run(
    io: &mut Io<'_>,
    tool: Tool,
    call: &Call,
    context: impl FnOnce(&Io<'_>) -> Result<ProjectContext, Failure>,
    prepare: impl FnOnce(Tool, Arguments) -> Result<core::Call, Vec<Diagnostic>>,
) -> Result<(), Failure> {
    let name = tool.name().to_string();
    let takes_nothing = tool.schema.names().is_some_and(|names| names.is_empty());
    let bytes = if takes_nothing && io.stdin.is_terminal() {
        Vec::new()
    } else {
        io.stdin.read().map_err(|error| {
            let line = command_line(&call.command(None, false));
            input_diagnostic(&error, &name, || tool.skeleton(), &line)
        })?
    };
    let read = |tool: &Tool| {
        let arguments = input_arguments(tool.name().as_str(), bytes, call)?;
        Ok(call.declared.read(arguments, tool))
    };
    let output = run(io, tool, call.verbose, read, context, prepare)?;
    print(&output, io)
}

/// Prints the result of a call. The bytes of a picture or another file go into a file with the
/// extension of its type only: a model may read anything else, such as the files to which shells of
/// agents redirect all output.
pub fn print(output: &ToolOutput, io: &mut Io<'_>) -> Result<(), Failure> {
    let path = io.context.stdout_path.as_deref();
    let named = path.and_then(media::named);
    match output.file() {
        Some((_, bytes)) if named.is_some_and(|named| media::is(named, &bytes)) => io.print(&bytes),
        Some((media, bytes)) if io.terminals.stdout => {
            let extension = media::extension(media).unwrap_or("bin");
            let size = bytes.len();
            io.show(&format!(
                "{media}, {size} bytes; `> FILE.{extension}` writes them\n"
            ))
        }
        _ => io.show(&output.text),
    }
}

/// Runs a call of `tool` with the arguments that `read` returns, like [`accept_and_run`], and
/// returns the result.
pub fn run(
    io: &mut Io<'_>,
    tool: Tool,
    verbose: bool,
    read: impl FnOnce(&Tool) -> Result<Arguments, Failure>,
    context: impl FnOnce(&Io<'_>) -> Result<ProjectContext, Failure>,
    prepare: impl FnOnce(Tool, Arguments) -> Result<core::Call, Vec<Diagnostic>>,
) -> Result<ToolOutput, Failure> {
    let name = tool.name().to_string();
    let is_program = tool.runs_programs();
    let cx = if tool.needs_context() {
        context(io)?.context(io)
    } else {
        Context {
            programs: io.program.parent().map(Path::to_path_buf),
            ..Context::default()
        }
    };
    let arguments = read(&tool)?;
    let prepared = prepare(tool, arguments).map_err(Failure::from)?;
    let shows = io.terminals.stderr && !verbose && !io.context.is_quiet;
    let (stderr, mut is_shown) = (&mut *io.stderr, false);
    let show = |update: ProgressUpdate| {
        let amount = update
            .total
            .map(|total| format!("{}/{total} ", update.progress));
        let text = amount.unwrap_or_default() + &update.message.unwrap_or_default();
        let _ = stderr.write_all(status_line::replace(&sanitize(&text)).as_bytes());
        let _ = stderr.flush();
        is_shown = true;
    };
    let output = call_timeout::run_with_deadline(prepared, cx, shows.then_some(show));
    if is_shown {
        let _ = io.stderr.write_all(status_line::ERASE.as_bytes());
    }
    let output = output?;
    if verbose && !output.stderr.trim().is_empty() {
        let message = if is_program {
            format!("{name}: the program wrote to standard error:")
        } else {
            format!("{name}: the tool logged:")
        };
        io.note_with(&message, output.stderr.trim_end());
    }
    Ok(output)
}

/// Calls `tool` with the arguments in `bytes`.
pub fn call(
    tool: &Arc<Tool>,
    bytes: Vec<u8>,
    syntax: Syntax,
    cx: Context,
) -> Result<ToolOutput, Failure> {
    let arguments = arguments(tool.name().as_str(), bytes, syntax)?;
    let call = core::Call::new(Arc::clone(tool), arguments);
    call_timeout::run_with_deadline(call, cx, None::<fn(ProgressUpdate)>)
}

/// Parses the arguments of a call of the tool `name`.
fn arguments(name: &str, bytes: Vec<u8>, syntax: Syntax) -> Result<Arguments, Failure> {
    Arguments::read(bytes, syntax).map_err(|error| error.diagnostic().with_subject(name).into())
}

/// Parses the arguments on standard input. YAML that should be JSON gets a hint.
fn input_arguments(name: &str, bytes: Vec<u8>, call: &Call) -> Result<Arguments, Failure> {
    let is_json = call.syntax == Syntax::Json;
    let is_valid_json = || serde_json::from_slice::<serde_json::Value>(&bytes).is_ok();
    let bracketed = is_bracketed(&bytes);
    let unlike_json = (is_json && !is_valid_json()).then(|| bytes.clone());
    let arguments = arguments(name, bytes, call.syntax);
    let is_yaml = |bytes| Arguments::read(bytes, Syntax::Yaml).is_ok();
    arguments.map_err(|failure| match failure {
        Failure::Diagnostics(mut diagnostics) if unlike_json.is_some_and(is_yaml) => {
            let command = call.command(None, true);
            let hint = if bracketed {
                Hint::run("cogtools json repairs it; ", command, " reads it as YAML")
            } else {
                Hint::run("this is YAML, which ", command, " reads")
            };
            for diagnostic in &mut diagnostics {
                diagnostic.hints.insert(0, hint.clone());
            }
            Failure::Diagnostics(diagnostics)
        }
        failure => failure,
    })
}

/// Returns true if the arguments begin as a JSON object or array.
fn is_bracketed(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first.is_none_or(|byte| matches!(byte, b'{' | b'['))
}

/// Quotes a word for a shell.
pub fn quote(word: &str) -> String {
    // Words of a command line and file names contain no NUL.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

/// Joins words to a command line for a shell, each of them quoted.
pub fn command<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.into_iter().map(quote).collect();
    words.join(" ")
}

/// The diagnostic for a call of `name` whose arguments could not be read. `line` is the command
/// line of the call, and `example` returns arguments that it accepts.
pub fn input_diagnostic(
    error: &InputError,
    name: &str,
    example: impl FnOnce() -> Option<String>,
    line: &str,
) -> Diagnostic {
    let smaller = "pass the name of a file instead of its content";
    let end = "close standard input after the arguments; `< /dev/null` sends none";
    let lines = || {
        let example = example().unwrap_or_else(|| "{…}".to_owned());
        let echo = format!("echo {} | {line}", quote(&example));
        [echo, format!("{line} < arguments.json")]
    };
    let diagnostic = error.diagnostic("the arguments are", smaller, end, lines);
    diagnostic.with_subject(name)
}
