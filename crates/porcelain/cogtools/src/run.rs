//! `cogtools run`: calls a tool with arguments from the command line, for people.
//!
//! Only the source of the arguments and the display of the result on a terminal differ from
//! `cogtools-call`.

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::arguments::{Arguments, WordError};
use cogtools_core::{Code, Diagnostic, Tool};
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::call::{self, DeclaredArg, VerboseArg};
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, Program, Stdin, man, text_input};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-run",
    command: RunArgs::command,
    run,
    stdin: Stdin::Ignored,
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
        "KEY=VALUE
  A parameter and its value, which has the type that the tool declares: a string as it is typed, \
a number, true or false. A value of another type is a violation, as in any call.

KEY=VALUE KEY=VALUE
  A parameter that is an array takes one item per word, or all of them as a JSON array.

OUTER.INNER=VALUE
  A property of an object. A parameter whose name contains the dot comes first.

KEY:=JSON
  Any value: null, a string that looks like a number, an array of objects.

KEY=@-
  What is on standard input, without its last line end: the result of another call in a pipeline. \
KEY:=@- takes it as JSON. The text `@-` itself is KEY:='\"@-\"'.

{...}
  A JSON object with several parameters.

The arguments are checked against the tool's parameters, and every violation is reported at once. \
Parameters with a default are filled in. A parameter that may be a number or a string is a number \
if the value looks like one. The value of a parameter of any type is JSON if it is valid, and else \
a string; strings in quotes are never unquoted, except after `:=`.",
    ),
    (
        "RESULT",
        "The result is that of `cogtools-call(1)`, byte for byte. On a terminal, characters that \
would control it are escaped, and the last line is ended.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools run facepalm facepalm=ouch

    cogtools run trip city=Oslo days=3 stops:='[{\"name\": \"Moss\"}]'

    cogtools run git_log limit=5 | cogtools run shout text=@-",
    ),
];

/// Call a tool: arguments on the command line, result on stdout
#[derive(Parser)]
#[command(
    mut_arg("verbose", |arg| arg.help("Print what is done on stderr")),
    long_about = "Call a tool of the project that contains the current directory, as cogtools-call \
        does for hosts. The arguments are words of the command line, typed by the tool's \
        parameters."
)]
struct RunArgs {
    /// The tool's name
    tool: String,
    /// Its arguments; KEY:=JSON passes any value, KEY=@- standard input
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,
    #[command(flatten)]
    declared: DeclaredArg,
    #[command(flatten)]
    verbose: VerboseArg,
    #[command(flatten)]
    registry: RegistryArgs,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut args: RunArgs = args::parse(matches)?;
    let (registry, context) = registry_and_context(&args.registry, io, None)?;
    let tool = registry
        .find(&args.tool)
        .map_err(|error| Failure::from(error.diagnostics()))?;
    if args.verbose.verbose {
        io.note(&format!("{}: {}", args.tool, tool.file().display()));
    }
    args.arguments = fill_stdin(args.arguments, &args.tool, io)?;
    let read = |tool: &Tool| {
        let errors = |errors: Vec<WordError>| -> Failure {
            let diagnostic = |error: &WordError| error.diagnostic(tool.name().as_str());
            let diagnostics: Vec<Diagnostic> = errors.iter().map(diagnostic).collect();
            diagnostics.into()
        };
        let arguments = Arguments::from_words(&args.arguments, &tool.schema).map_err(errors)?;
        Ok(args.declared.target.read(arguments, tool))
    };
    let prepare = |tool, arguments| registry.prepare_tool(tool, arguments);
    let output = call::run(
        io,
        tool,
        args.verbose.verbose,
        read,
        |_| Ok(context),
        prepare,
    )?;
    if output.file().is_some() {
        return call::print(&output, io);
    }
    let is_unended = io.terminals.stdout && !output.text.ends_with('\n');
    let end = if is_unended { "\n" } else { "" };
    io.show(&format!("{}{end}", output.text))
}

/// The value that stands for standard input.
const STDIN: &str = "@-";

/// Replaces the value `@-`, the result of another call, by standard input without its last line
/// end. The replacement has the type of the parameter like any value.
fn fill_stdin(mut words: Vec<String>, tool: &str, io: &mut Io<'_>) -> Result<Vec<String>, Failure> {
    let mut keys = words.iter().enumerate().filter_map(|(index, word)| {
        let (key, value) = word.split_once('=')?;
        (value == STDIN && !word.starts_with('{')).then(|| (index, key.to_owned()))
    });
    let Some((index, key)) = keys.next() else {
        return Ok(words);
    };
    if let Some((_, second)) = keys.next() {
        let message = format!("`{key}` and `{second}` cannot both be read from standard input");
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(tool);
        return Err(diagnostic
            .hint("write one of the values on the command line")
            .into());
    }
    let line = format!("… | cogtools run {tool} {key}={STDIN}");
    let text = text_input::read_value(io, &line)?;
    words[index] = format!("{key}={text}");
    Ok(words)
}
