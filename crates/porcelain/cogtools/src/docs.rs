//! `cogtools docs`: writes the table of tools into documents, or checks that it is up to date.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::file::WritePath;
use cogtools_core::{Code, Diagnostic, Project};
use cogtools_program::call::quote;
use cogtools_program::documents::{
    DOCUMENTS, Document, DocumentError, Table, Update, collect, collect_all, file_lines,
    file_values, project_config,
};
use cogtools_program::format::FormatArg;
use cogtools_program::project::project;
use cogtools_program::{EACH, Failure, Io, Program, Severity, Stdin, args, man};
use serde_json::json;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-docs",
    command: DocsArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::Stale, Code::Denied, Code::InvalidConfig]],
    variables: man::SHARED,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "MARKERS",
        "The table is between two comments, each on a line of its own:\n\n    <!-- cogtools:begin -->\n    <!-- cogtools:end -->\n\nA remark may follow the keyword in either. Everything between them is replaced; every other byte of the file is preserved. If FILE is given and has no markers, they are appended with the table; move them to where the table belongs. That is for Markdown files: .md, .markdown and .mdx, but none in .git. Comments in code blocks are not markers. A file contains one table.",
    ),
    (
        "FLOWS",
        "The graph of a flow, as a Mermaid diagram, is written between two comments as well, in any file and as often as you like:\n\n    <!-- cogtools:flow NAME -->\n    <!-- cogtools:end -->\n\nA file that has only such markers gets no table.",
    ),
    (
        "TABLE",
        "One row per tool, in the order of sources and names: its name, the description up to the first line that ends a sentence, and its arguments, with optional ones marked. Invalid tools are left out and reported on standard error. Only the project's own configuration applies, not the user's or the system's, so that the table is the same everywhere.",
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

/// Update the table of tools and the diagrams of flows in Markdown files
#[derive(Parser)]
#[command(
    long_about = "Write the table of the project's tools into the files that agents read, between \
        two markers, and the diagrams of flows between markers of their own. Without FILE, update \
        those of GEMINI.md, AGENTS.md and CLAUDE.md at the project's root that contain the markers."
)]
struct DocsArgs {
    /// Markdown files, to which markers are appended if there are none, or others with markers
    #[arg(value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Write nothing, and fail if a file would change
    #[arg(long)]
    check: bool,
    /// Print the table instead of writing it to files
    #[arg(long, conflicts_with_all = ["file", "check"])]
    print: bool,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: DocsArgs = args::parse(matches)?;
    let project = project(io);
    let config = project_config(&project, io)?;
    let (table, diagnostics) = collect(config, None, &project, io);
    if args.print {
        if args.format.is_json() {
            io.show_json(&format!("{:#}\n", table.json()))?;
        } else {
            io.show(&(table.lines().join("\n") + "\n"))?;
        }
    } else {
        let updates = updates(&args.file, &project, &table, io)?;
        if args.check && updates.iter().any(Update::is_stale) {
            io.warn(&diagnostics, &EACH);
            return Err(report_stale(&updates, &args.file, io));
        }
        if !args.check {
            collect_all(updates.iter().map(Update::check_writable))?;
            for update in &updates {
                update.write().map_err(DocumentError::diagnostic)?;
            }
        }
        io.show_json(&report(&updates, &table, args.format.is_json()))?;
    }
    io.warn(&diagnostics, &EACH);
    Ok(())
}

/// The updates of the named files, or else of the default files with markers. All errors are
/// reported together, before anything is written.
fn updates(
    named_files: &[PathBuf],
    project: &Project,
    table: &Table,
    io: &Io<'_>,
) -> Result<Vec<Update>, Failure> {
    let files: Vec<(PathBuf, PathBuf)> = if named_files.is_empty() {
        DOCUMENTS
            .map(|name| project.resolve(Path::new(name)))
            .into_iter()
            .filter(|(path, _)| path.exists())
            .collect()
    } else {
        named_files
            .iter()
            .map(|name| (io.cwd.join(name), name.clone()))
            .collect()
    };
    let opened = files.into_iter().map(|(path, display_path)| {
        let path = WritePath::in_project(project.root(), &path);
        if path.is_in_project() {
            Document::open(path, display_path)
        } else {
            Err(DocumentError::Outside(display_path))
        }
    });
    let mut documents: Vec<Document> = Vec::new();
    for document in collect_all(opened)? {
        // AGENTS.md is often a link to CLAUDE.md.
        let is_duplicate = documents
            .iter()
            .any(|other| other.real_path() == document.real_path());
        if !is_duplicate && (document.has_markers() || !named_files.is_empty()) {
            documents.push(document);
        }
    }
    if documents.is_empty() {
        return Err(DocumentError::NoMarkers.diagnostic().into());
    }
    collect_all(documents.into_iter().map(|document| document.update(table)))
}

/// Reports the files that would change, with their diffs.
fn report_stale(updates: &[Update], named_files: &[PathBuf], io: &mut Io<'_>) -> Failure {
    for update in updates.iter().filter(|update| update.is_stale()) {
        let file = update.display_path().display().to_string();
        let hint = if named_files.is_empty() {
            "run `cogtools docs`".to_owned()
        } else {
            format!("run `cogtools docs {}`", quote(&file))
        };
        let message = "the table of tools is out of date";
        let diagnostic = Diagnostic::new(Code::Stale, message)
            .with_subject(file)
            .hint(hint);
        io.report(Severity::Error, &diagnostic);
        io.quote_lines(&update.diff());
    }
    Failure::Reported(Code::Stale.status())
}

fn report(updates: &[Update], table: &Table, json: bool) -> String {
    let files = updates.iter().map(|it| (it.action(), it.display_path()));
    if json {
        let report = json!({"files": file_values(files), "tools": table.len()});
        return format!("{report:#}\n");
    }
    file_lines(files)
}
