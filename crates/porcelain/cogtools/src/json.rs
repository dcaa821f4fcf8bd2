//! `cogtools json`: the JSON value in a model's text.
//!
//! A thin program on `cogtools_lenient_json`: it reads the text, prints the value, and
//! explains why there is none, or how it violates a schema.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::schema::{Schema, Validator};
use cogtools_core::{Code, Diagnostic, Location, Violation, ViolationKind, fail_on, pluralize};
use cogtools_lenient_json::{Found, NoJson, Options, Which, find};
use cogtools_program::{Failure, Io, Program, Stdin, args, named_file, text_input};
use serde_json::{Map, Value};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-json",
    command: JsonArgs::command,
    run,
    stdin: Stdin::Read,
    codes: &[&[
        Code::InvalidArgumentsSyntax,
        Code::SchemaViolation,
        Code::NoJson,
        Code::Timeout,
    ]],
    variables: &[],
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "SEARCH",
        "A text that is JSON is the value, whatever its strings contain. Otherwise fences are searched, and their contents are the values if each is one as a whole; then prose, where the values are the outermost objects and arrays; then lines that consist of a scalar, such as a number or `true`. The first of these that has a value decides, also for --first and --all. Of several values, an object or array is preferred to a scalar.\n\nValid JSON is never altered: its numbers keep their spelling, and nothing is searched inside of it. Of a key that occurs again, the last value is taken, and a surrogate without its partner becomes U+FFFD, because no UTF-8 text can have one.",
    ),
    (
        "REPAIRS",
        "Only what does not parse is repaired: commas, colons, quotes and brackets that are missing, too many, or of another kind, such as curly quotes and full-width punctuation; keys and text without quotes; quotes and line ends inside strings that are not escaped; comments and ellipses; None, True, False, undefined and NaN; numbers such as .5 or 0x1f; strings joined with +; calls around a value, such as ObjectId(\"1\"); JSON with escaped quotes; and a text that was cut off. What has leading zeros becomes a string, since it is an identifier as often as a number. A backslash that escapes nothing is kept.\n\n--explain names each repair with its line and column.",
    ),
    (
        "GROWING TEXTS",
        "--partial is for a text that a model is still writing. The value is what is certain of it: strings that are cut off end where the text ends, a key without a value is left out, and `tr` can only be `true`. Each such value grows with the text; only the last number may get more digits. Together with --no-repair, nothing but the end is completed.",
    ),
    (
        "SCHEMA",
        "FILE is a JSON Schema, draft 2020-12. Each violation is reported with a JSON pointer to the value. With --all, the schema describes the array of all values.",
    ),
    (
        "LIMITS",
        "Standard input is read to its end, at most 16 MiB of it. A value may nest 128 levels and have 4,000,000 values in it. A number that a double cannot hold is no value. The time is linear in the length of the text.",
    ),
    (
        "EXAMPLES",
        "    cogtools json < answer.txt\n\n    cogtools json --schema invoice.schema.json --explain < answer.txt\n\n    cogtools json --all --no-repair < lines.jsonl",
    ),
];

/// Print the JSON value in a model's text
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(
    long_about = "Read a text from standard input, find the JSON value in it, repair it where it \
        is not valid, and print it in one line. Of several values, the last object or array is \
        printed, or else the last scalar."
)]
struct JsonArgs {
    /// Print the first object or array, else the first scalar
    #[arg(long, group = "which")]
    first: bool,
    /// Print the last object or array, else the last scalar (default)
    #[arg(long, group = "which")]
    last: bool,
    /// Print an array of all values
    #[arg(long, group = "which")]
    all: bool,
    /// Accept only valid JSON
    #[arg(long)]
    no_repair: bool,
    /// Check the value against the JSON Schema in FILE
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Print what is certain of a text that is still growing
    #[arg(long)]
    partial: bool,
    /// Print what was repaired, as notes on stderr
    #[arg(long)]
    explain: bool,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: JsonArgs = args::parse(matches)?;
    let which = match (args.first, args.all) {
        (true, _) => Which::First,
        (_, true) => Which::All,
        _ => Which::Last,
    };
    let options = Options {
        which,
        repair: !args.no_repair,
        partial: args.partial,
    };
    let schema = args
        .schema
        .as_deref()
        .map(|path| SchemaFile::load(path, io));
    let schema = schema.transpose()?;
    let text = text_input::read_text(io, "cogtools json < answer.txt")?;
    let found = find(&text, options).map_err(|error| no_json(error, &text, options))?;
    let values: Vec<String> = found.iter().map(|found| found.value.to_string()).collect();
    let values = values.join(",");
    if let Some(schema) = schema {
        schema.check(&found, args.all)?;
    }
    if args.explain {
        explain(&found, &text, io);
    }
    io.show_json(&if args.all {
        format!("[{values}]\n")
    } else {
        format!("{values}\n")
    })
}

/// The diagnostic for a text without a value.
fn no_json(error: NoJson, text: &str, options: Options) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::NoJson, error.to_string());
    let repaired = Options {
        repair: true,
        ..options
    };
    match error {
        NoJson::Absent if text.trim().is_empty() => diagnostic.hint("the text is empty"),
        NoJson::Absent if !options.repair && find(text, repaired).is_ok() => {
            diagnostic.hint("there is one that is not valid; leave out --no-repair to repair it")
        }
        NoJson::Absent => diagnostic
            .hint("ask the model for one JSON value; a scalar counts if it fills its line"),
        NoJson::Stray(offset) => diagnostic
            .at(location(text, offset))
            .hint("ask the model to write the value as JSON, with texts in quotes"),
        NoJson::TooDeep(offset) => diagnostic
            .at(location(text, offset))
            .hint("ask the model for a flatter value"),
        NoJson::NumberRange(offset) => diagnostic
            .at(location(text, offset))
            .hint("ask the model to write the number as a string"),
        NoJson::TooMany | NoJson::TooIntricate => {
            diagnostic.hint("send only the part of the text that has the value")
        }
    }
}

fn location(text: &str, offset: usize) -> Location {
    Location::of(Path::new("<stdin>"), text, offset..offset)
}

/// Prints a note for each repair.
fn explain(found: &[Found], text: &str, io: &mut Io<'_>) {
    for Found { repairs, .. } in found {
        for (repair, position) in repairs.positions(text) {
            let (line, column) = (position.line, position.column);
            io.note(&format!("line {line}, column {column}: {}", repair.kind));
        }
        let more = repairs.count - repairs.listed.len();
        if more > 0 {
            io.note(&format!("{} more", pluralize(more, "repair")));
        }
    }
    left_out(found, text, io);
}

/// Prints a note for each text between the values, around them, and in others than they.
fn left_out(found: &[Found], text: &str, io: &mut Io<'_>) {
    let mut start = 0;
    let ends = found.iter().map(|found| found.span.clone());
    for span in ends.chain(std::iter::once(text.len()..text.len())) {
        let rest = &text[start..span.start.max(start)];
        let outside = rest.trim_matches(|c: char| c.is_whitespace() || c == '`');
        if !outside.is_empty() {
            let at = location(text, start + rest.find(outside).unwrap_or_default());
            let bytes = pluralize(outside.len(), "byte");
            let (line, column) = (at.line, at.column);
            io.note(&format!(
                "line {line}, column {column}: {bytes} outside of the value left out"
            ));
        }
        start = span.end;
    }
}

/// The largest file with a schema, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A schema from a file.
struct SchemaFile {
    schema: Schema,
    validator: Validator,
}

impl SchemaFile {
    /// Reads and compiles the schema at `path`.
    fn load(path: &Path, io: &Io<'_>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let invalid = |message: String| {
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(&name);
            diagnostic.hint("name a file with a JSON Schema, which is one object")
        };
        let bytes = named_file::read(path, MAX_BYTES, io)?;
        let schema: Map<String, Value> = serde_json::from_slice(&bytes)
            .map_err(|error| invalid(format!("this is not a JSON Schema: {error}")))?;
        let schema = Schema::from_json_schema(schema);
        let validator = schema
            .validator()
            .map_err(|error| invalid(error.to_string()).with_pointer(error.pointer))?;
        Ok(Self { schema, validator })
    }

    /// Checks the value that was found, or the array of all.
    fn check(&self, found: &[Found], is_array: bool) -> Result<(), Failure> {
        let mut values = found.iter().map(|found| Value::from(found.value.clone()));
        let value = if is_array {
            values.collect()
        } else {
            values.next().unwrap_or_default()
        };
        let violations = self.validator.violations(&self.schema, &value);
        let diagnostics = violations.into_iter().map(diagnostic);
        Ok(fail_on(Diagnostic::truncate(diagnostics))?)
    }
}

fn diagnostic(violation: Violation) -> Diagnostic {
    let pointer = violation.pointer;
    let new = |message: String| Diagnostic::new(Code::SchemaViolation, message);
    let mut diagnostic = match violation.kind {
        ViolationKind::Missing => new("required but missing".to_owned()),
        ViolationKind::Invalid(reason) => new(reason),
        ViolationKind::Unknown => {
            return new("the schema has no such property".to_owned())
                .with_pointer(pointer)
                .hint("leave it out, or use a name that the schema has");
        }
    };
    // Hints are about properties and items; the whole value has no name.
    if !pointer.is_empty() {
        diagnostic.hints = violation.hints;
    }
    diagnostic.with_pointer(pointer)
}
