//! The command line.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use cogtools_core::Code;
use cogtools_lenient_json::{Found, Options, Which, find};
use cogtools_program::{Failure, Io, Program, Stdin, text_input};

use crate::json::manual::MANUAL;
use crate::json::report::{explain, no_json};
use crate::json::schema::SchemaFile;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-json",
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::NoJson,
        Code::Timeout,
    ],
    variables: &[],
    manual: MANUAL,
};

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Print the JSON value in a model's text")
        .long_about(
            "Read a text from standard input, find the JSON value in it, repair it where it is \
             not valid, and print it in one line. Of several values, the last object or array is \
             printed, or else the last scalar.",
        )
        .arg(flag("first").help("Print the first object or array, else the first scalar"))
        .arg(flag("last").help("Print the last object or array, else the last scalar (default)"))
        .arg(flag("all").help("Print an array of all values"))
        .group(ArgGroup::new("which").args(["first", "last", "all"]))
        .arg(flag("no-repair").help("Accept only valid JSON"))
        .arg(
            Arg::new("schema")
                .long("schema")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Check the value against the JSON Schema in FILE"),
        )
        .arg(flag("partial").help("Print what is certain of a text that is still growing"))
        .arg(flag("explain").help("Print what was repaired, as notes on stderr"))
}

/// The command line.
struct JsonArgs {
    options: Options,
    schema: Option<PathBuf>,
    explain: bool,
}

impl JsonArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let which = match (matches.get_flag("first"), matches.get_flag("all")) {
            (true, _) => Which::First,
            (_, true) => Which::All,
            _ => Which::Last,
        };
        Self {
            options: Options {
                which,
                repair: !matches.get_flag("no-repair"),
                partial: matches.get_flag("partial"),
            },
            schema: matches.get_one("schema").cloned(),
            explain: matches.get_flag("explain"),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = JsonArgs::from_matches(matches);
    let schema = args
        .schema
        .as_deref()
        .map(|path| SchemaFile::load(path, io));
    let schema = schema.transpose()?;
    let text = text_input::read_text(io, "cogtools json < answer.txt")?;
    let found = find(&text, args.options).map_err(|error| no_json(error, &text, args.options))?;
    let mut printed = print(&found, args.options.which == Which::All);
    if let Some(schema) = schema {
        schema.check(&found, args.options.which == Which::All)?;
    }
    if args.explain {
        explain(&found, &text, io);
    }
    printed.push('\n');
    io.show_json(&printed)
}

/// The value that was found, or an array of all.
fn print(found: &[Found], is_array: bool) -> String {
    let values: Vec<String> = found.iter().map(|found| found.value.to_string()).collect();
    let values = values.join(",");
    if is_array {
        format!("[{values}]")
    } else {
        values
    }
}
