//! The program: look at tools and files, then write or compare.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::file::WritePath;
use cogtools_core::{Code, Config, ConfigPaths, Diagnostic, Project, Registry, SourceError};
use cogtools_program::call::quote;
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::{cx, project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args, man};
use serde_json::json;

use crate::document::{Document, Renewed};
use crate::refusal::Refusal;
use crate::table::{Row, Table};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-docs",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::Stale, Code::InvalidConfig],
    variables: man::SHARED,
    manual: MANUAL,
};

/// The files that agents read, at the root of a project.
const USUAL: [&str; 3] = ["GEMINI.md", "AGENTS.md", "CLAUDE.md"];

const MANUAL: &[(&str, &str)] = &[
    (
        "MARKERS",
        "The table is between two comments, each on a line of its own:\n\n    <!-- cogtools:begin -->\n    <!-- cogtools:end -->\n\nA remark may follow the keyword in either. Everything between them is replaced; every other byte of the file is preserved. If FILE is given and has no markers, they are appended with the table; move them to where the table belongs. Comments in code blocks are not markers. A file contains one table.",
    ),
    (
        "TABLE",
        "One row per tool, in the order of sources and names: its name, the description up to the first line that ends a sentence, and its arguments, with optional ones marked. Invalid tools are left out and reported on standard error. Only the project's own configuration applies, not the user's or the machine's, so that the table is the same everywhere.",
    ),
    (
        "CHECK",
        "With --check, nothing is written. If a file would change, the diff is printed on standard error and the exit status is 1.",
    ),
    (
        "JSON",
        "One object: files, an array of objects with file and action (created, updated or unchanged); and tools, the number of tools. With --print: tools, an array of objects with name, purpose and arguments, which have name and required.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools docs GEMINI.md\n\n    cogtools docs\n\n    cogtools docs --check",
    ),
];

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Update the table of tools in GEMINI.md, AGENTS.md or CLAUDE.md")
        .long_about(
            "Write the table of the project's tools into the files that agents read, between two \
             markers. Without FILE, update those of GEMINI.md, AGENTS.md and CLAUDE.md at the \
             project's root that contain the markers.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("Markdown files; markers are appended to a file without them"),
        )
        .arg(flag("check").help("Write nothing, and fail if a file would change"))
        .arg(
            flag("print")
                .conflicts_with_all(["file", "check"])
                .help("Print the table instead of writing it to files"),
        )
        .arg(format_arg())
}

/// The command line.
struct DocsArgs {
    files: Vec<OsString>,
    check: bool,
    print: bool,
    json: bool,
}

impl DocsArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            files: args::all(matches, "file"),
            check: matches.get_flag("check"),
            print: matches.get_flag("print"),
            json: json_from_matches(matches),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let DocsArgs {
        files: named,
        check,
        print,
        json,
    } = DocsArgs::from_matches(matches);
    let project = project(io);
    let (table, broken) = table(&project, io)?;
    if print {
        if json {
            io.show_json(&format!("{:#}\n", table.json()))?;
        } else {
            io.show(&(table.lines().join("\n") + "\n"))?;
        }
        warn(&broken, io);
        return Ok(());
    }
    let renewed = renewed(&named, &project, &table, io)?;
    if check {
        if renewed.iter().any(Renewed::is_stale) {
            warn(&broken, io);
            return Err(stale(&renewed, &named, io));
        }
    } else {
        let writable = renewed.iter().map(Renewed::check_writable);
        all(writable)?;
        for renewed in &renewed {
            renewed
                .write()
                .map_err(|refusal| Failure::from(refusal.diagnostic()))?;
        }
    }
    io.show_json(&report(&renewed, &table, json))?;
    warn(&broken, io);
    Ok(())
}

/// The tools of `project`, and what is wrong with the others.
fn table(project: &Project, io: &Io<'_>) -> Result<(Table, Vec<Diagnostic>), Failure> {
    // What a user has configured for themselves is not the project's to print.
    let config = Config::load(project, &ConfigPaths::default());
    let config = config.map_err(|error| Failure::from(error.diagnostics()))?;
    let cx = cx(io, project, config.env_priority);
    let found = Registry::new(config, None, cx).map(|tool| match tool {
        Ok(tool) => Ok(Row::new(&tool)),
        Err(error) => Err(error.diagnostics()),
    });
    let mut broken: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(SourceError::diagnostic)
        .collect();
    let mut rows = Vec::new();
    for item in found.items {
        match item {
            Ok(row) => rows.push(row),
            Err(diagnostics) => broken.extend(diagnostics),
        }
    }
    Ok((Table(rows), broken))
}

/// The files that are meant, with the table in them. All that stands in the way
/// is told at once, and then nothing is written.
fn renewed(
    named: &[OsString],
    project: &Project,
    table: &Table,
    io: &Io<'_>,
) -> Result<Vec<Renewed>, Failure> {
    let files: Vec<(PathBuf, PathBuf)> = if named.is_empty() {
        let usual = USUAL.map(|name| project.resolve(Path::new(name)));
        usual
            .into_iter()
            .filter(|(path, _)| path.exists())
            .collect()
    } else {
        let named = named.iter().map(Path::new);
        named
            .map(|name| (io.cwd.join(name), name.to_path_buf()))
            .collect()
    };
    let opened = files
        .into_iter()
        .map(|(path, shown)| Document::open(WritePath::in_project(project.root(), &path), shown));
    let mut documents: Vec<Document> = Vec::new();
    for document in all(opened)? {
        // One file may have several names: AGENTS.md is often a link to CLAUDE.md.
        let known = documents
            .iter()
            .any(|other| other.real() == document.real());
        if !known && (document.has_markers() || !named.is_empty()) {
            documents.push(document);
        }
    }
    if documents.is_empty() {
        return Err(Refusal::NoMarkers.diagnostic().into());
    }
    all(documents.into_iter().map(|document| document.renew(table)))
}

/// All values, or all reasons why there are none.
fn all<T>(results: impl Iterator<Item = Result<T, Refusal>>) -> Result<Vec<T>, Failure> {
    let (mut values, mut diagnostics) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(refusal) => diagnostics.push(refusal.diagnostic()),
        }
    }
    if diagnostics.is_empty() {
        Ok(values)
    } else {
        Err(diagnostics.into())
    }
}

/// Says which files would change, and how.
fn stale(renewed: &[Renewed], named: &[OsString], io: &mut Io<'_>) -> Failure {
    for renewed in renewed.iter().filter(|renewed| renewed.is_stale()) {
        let file = renewed.shown().display().to_string();
        let hint = if named.is_empty() {
            "run `cogtools docs`".to_owned()
        } else {
            format!("run `cogtools docs {}`", quote(&file))
        };
        let message = "the table of tools is not what the tools say";
        let diagnostic = Diagnostic::new(Code::Stale, message)
            .with_subject(file)
            .hint(hint);
        io.report(Severity::Error, &diagnostic);
        io.quote_lines(&renewed.diff());
    }
    Failure::Status(Code::Stale.status())
}

fn report(renewed: &[Renewed], table: &Table, json: bool) -> String {
    if json {
        let file =
            |it: &Renewed| json!({"file": it.shown().display().to_string(), "action": it.action()});
        let files: Vec<_> = renewed.iter().map(file).collect();
        return format!("{:#}\n", json!({"files": files, "tools": table.len()}));
    }
    let mut text = String::new();
    for renewed in renewed {
        // Writing to a string cannot fail.
        let file = renewed.shown().display().to_string();
        let _ = writeln!(text, "{} {}", renewed.action(), sanitize(&file));
    }
    text
}

fn warn(diagnostics: &[Diagnostic], io: &mut Io<'_>) {
    for diagnostic in diagnostics {
        io.report(Severity::Warning, diagnostic);
    }
}
