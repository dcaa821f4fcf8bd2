//! `cogtools list`: the tools of a project, and what each costs the model.

mod row;
mod table;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::{Code, Diagnostic, Found};
use cogtools_program::args::{self, FilterArgs, LockedArg, RegistryArgs};
use cogtools_program::format::FormatArg;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{EACH, Failure, Io, Program, Severity, Stdin, man};
use serde_json::{Value, json};

use row::Row;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-list",
    command: ListArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::Denied, Code::InvalidConfig],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "COLUMNS",
        "NAME is the name of the tool. TOOLSET is the folder below its source, or the package, that contains it; the column is omitted if no tool is in a toolset. SOURCE is the folder or package that the tool comes from, and FILE its file. TOKENS is an estimate of the tool's cost with every request: that of its name, description and JSON Schema, by the length and the script of each word; hosts and tokenizers differ. NOTES lists the files that the tool shadows (another source has a tool of the same name, and the first source wins) and, for an invalid tool, its first error: such a tool is not declared to hosts. A tool that runs programs is marked as not approved until the user has approved it with `cogtools trust`; it is declared, and calls are denied. A tool of a provider or an MCP server whose declaration was repaired is marked with the keywords that were added, translated from an older draft, or left out, with the optional parameters that Gemini CLI does not get because the Gemini API rejects their names, which calls may pass, and with a description that is cut for OpenAI's API because it is too long there.\n\nWith --built-in, find_tool and call_tool are listed last: `cogtools-discover` declares them if a budget has no room for all tools. Their source and file are shown as (built in).",
    ),
    (
        "JSON",
        "One object: tools, an array of objects with name, toolset (null if in none), source, file, tokens, shadows (an array of files), for a tool that runs programs approval (approved, changed or not approved), for a repaired declaration repaired and, for an invalid tool, fault (message, hints and, if known, line and column) instead of tokens; and total_tokens.",
    ),
    (
        "EXAMPLES",
        "    cogtools list\n\n    cogtools list --json | jq '.total_tokens'",
    ),
];

/// List the tools of this project and their cost in tokens
#[derive(Parser)]
#[command(
    mut_arg("format", |arg| arg.help("Output format: a table, or one JSON object")),
    long_about = "List the tools of the project that contains the current directory, in the order \
        of sources and names: where each comes from, what it shadows, and roughly how many tokens \
        it costs with every request."
)]
struct ListArgs {
    #[command(flatten)]
    format: FormatArg,
    /// Same as --format json
    #[arg(long, overrides_with = "format")]
    json: bool,
    /// Also list the built-in tools, which find and call the others
    #[arg(long)]
    built_in: bool,
    #[command(flatten)]
    locked: LockedArg,
    #[command(flatten)]
    filter: FilterArgs,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: ListArgs = args::parse(matches)?;
    let json = args.json || args.format.is_json();
    let options = RegistryArgs {
        filter: args.filter,
        locked: args.locked,
        ..RegistryArgs::default()
    };
    let (registry, project) = registry_and_context(&options, io, None)?;
    let cx = project.context(io);
    let found = registry.map_files(|file, tool| Row::new(file, tool, &cx));
    let source_errors: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(cogtools_core::SourceError::diagnostic)
        .collect();
    let filtered_out = found.filtered_out;
    let unmatched = found.unmatched.clone();
    let mut rows = rows(found);
    if args.built_in {
        let search_tools = registry
            .search_tools()
            .map_err(cogtools_core::FindError::diagnostics)?;
        rows.extend(search_tools.iter().map(Row::built_in));
    }
    if json {
        io.show_json(&format!("{:#}\n", report(&rows)))?;
    } else if !rows.is_empty() {
        let colour = io.colour(Stream::Stdout);
        io.print(table::render(&rows, colour).as_bytes())?;
    }
    let is_explained = !source_errors.is_empty();
    io.warn(&[source_errors, unmatched].concat(), &EACH);
    // In JSON, an empty list needs no explanation.
    if rows.is_empty() && !is_explained && !json {
        io.report(Severity::Warning, &empty_list(filtered_out));
    }
    Ok(())
}

/// The rows, each with the files that it shadows.
fn rows(found: Found<Row>) -> Vec<Row> {
    let mut shadowed: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for hidden in found.shadowed {
        shadowed.entry(hidden.winner).or_default().push(hidden.file);
    }
    let mut rows = found.items;
    for row in &mut rows {
        row.shadows = shadowed.remove(&row.file).unwrap_or_default();
    }
    rows
}

fn report(rows: &[Row]) -> Value {
    let tools: Vec<Value> = rows.iter().map(Row::json).collect();
    json!({"tools": tools, "total_tokens": row::total(rows)})
}

/// Why the list is empty.
fn empty_list(filtered_out: usize) -> Diagnostic {
    if filtered_out > 0 {
        let tools = pluralize(filtered_out, "tool");
        let message = format!("a filter excludes all tools: {tools}");
        return Diagnostic::new(Code::ToolNotFound, message).hint(
            "filters are set by --tools, --exclude, --toolset or --host, or by the configuration",
        );
    }
    Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
        .hint("cogtools new NAME creates one")
        .hint("cogtools init sets the project up with an example")
}

/// A path for display: `.` for the directory itself.
fn shown(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        path.display().to_string()
    }
}
