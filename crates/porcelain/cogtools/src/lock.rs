//! `cogtools lock`: pins what each source of a project declares.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::file::{self, Mode, WriteError, WritePath};
use cogtools_core::hint::Command as HintCommand;
use cogtools_core::{Change, Code, Diagnostic, Hint, Lock, Snapshot, SourceError, fail_on};
use cogtools_program::args::RegistryArgs;
use cogtools_program::format::FormatArg;
use cogtools_program::project::{project, registry};
use cogtools_program::terminal::{pluralize, sanitize};
use cogtools_program::{EACH, Failure, Io, Program, Stdin, args, man};
use serde_json::json;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-lock",
    command: LockArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::SOURCE_CODES, &[Code::Locked]],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "THE LOCK FILE",
        "cogtools.lock is at the project's root and should be committed. It lists the sources by name and, below each, every tool that it declares on one line: the SHA-256 of the declaration in Gemini CLI format (as compact JSON with sorted keys), that of what runs, and shortened hashes of the parts of both, which tell what differs. What runs is the rest of the tool file with the annotations, the templates, scripts and files of the project that it names, the whole content of a package, and for providers and MCP servers the commands with the files of the project that they name, except data, and the declaration as they give it. Each source is asked anew. The run prints what differs from the file before, with the new descriptions that others have written. The values that commands list for enums are pinned as they are. Tools that filters exclude or earlier sources shadow are pinned too. Invalid tools are not declared, and are reported on standard error.\n\nA source that is unavailable keeps its pins, if it has any, and is reported; if that leaves nothing to pin, nothing is written, and that is an error. So does a tool whose values are not known, as its command is not approved or fails. A file that cannot be read, as after a merge with conflicts, is an error, since nothing can be compared: take one side of the merge, or remove the file to accept everything.",
    ),
    (
        "DRIFT",
        "With --check, nothing is written: every difference between cogtools.lock and the current declarations of the sources is an error. `cogtools-discover --locked` makes the same comparison before it declares anything. With --locked, or `locked: true` in the configuration, `cogtools-call`, `cogtools-yaml`, `cogtools-mcp` and `cogtools list` deny each tool that differs.",
    ),
    ("FILES", man::FILES),
    (
        "JSON",
        "One object: file, action (created, updated or unchanged), tools and sources, their numbers.",
    ),
    (
        "EXAMPLES",
        "    cogtools lock\n\n    cogtools lock --check\n\n    cogtools-discover --locked",
    ),
];

/// Pin the declarations of each tool source
#[derive(Parser)]
#[command(
    long_about = "Write cogtools.lock at the project's root, which pins what each source declares, \
        one line per tool. cogtools-discover --locked then accepts exactly these declarations."
)]
struct LockArgs {
    /// Write nothing, and fail if the file would change
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: LockArgs = args::parse(matches)?;
    let project = project(io);
    let now = RegistryArgs {
        refresh: true,
        ..RegistryArgs::default()
    };
    let mut registry = registry(&now, io, None)?;
    registry.renews_values = true;
    let snapshot = Snapshot::of(&registry, project.root(), project.display_path());
    let (path, display_path) = project.resolve(Lock::FILE.as_ref());
    let existing = path.exists().then(|| Lock::read(&path, &display_path));
    if args.check {
        let lock = existing.unwrap_or_else(|| Lock::read(&path, &display_path));
        let lock = lock.map_err(|diagnostic| *diagnostic)?;
        let mut diagnostics = lock.drift(&snapshot);
        if diagnostics.is_empty() && snapshot.lock_beside(Some(&lock)) != lock {
            let message = "the hashes of the parts are not those of the tools";
            let diagnostic = Diagnostic::new(Code::Locked, message);
            let diagnostic = diagnostic.with_subject(Lock::FILE);
            diagnostics.push(diagnostic.hint(Hint::run("", HintCommand::Lock, " corrects them")));
        }
        io.warn(&snapshot.tool_errors, &EACH);
        fail_on(diagnostics)?;
        if args.format.is_json() {
            return report("unchanged", &display_path, &lock, &args.format, io);
        }
        let file = display_path.display().to_string();
        return io.show(&format!("unchanged {}\n", sanitize(&file)));
    }
    // Without the earlier pins, nothing could be compared, and those of unavailable sources be kept.
    let existing = existing.transpose().map_err(|diagnostic| *diagnostic)?;
    let earlier = existing.as_ref();
    let lock = snapshot.lock_beside(earlier);
    let is_pinned = |error: &SourceError| !registry.is_of_user(&error.source());
    let lacks_one = snapshot.unavailable.iter().any(is_pinned);
    let unavailable = snapshot.unavailable.iter().map(SourceError::diagnostic);
    let unavailable: Vec<Diagnostic> = unavailable.collect();
    if lacks_one && lock.counts().0 == 0 {
        // A lock without sources would say that there are none.
        return Err(unavailable.into());
    }
    let text = lock.text();
    let target = WritePath::in_project(project.root(), &path);
    let values = earlier.map_or_else(Vec::new, |it| it.changed_values(&lock));
    let changes = earlier.map_or_else(Vec::new, |it| it.changes(&snapshot));
    let (action, written) = match earlier {
        Some(earlier) if *earlier == lock => ("unchanged", Ok(())),
        Some(_) => ("updated", replace(&target, &text)),
        None => {
            let created = file::create(&target, text.as_bytes(), Mode::Data);
            ("created", created)
        }
    };
    written.map_err(|error| {
        let otherwise = "free disk space, or make the file and its folder writable";
        error.diagnostic(&display_path, "written", otherwise)
    })?;
    let errors = [unavailable, snapshot.tool_errors].concat();
    io.warn(&errors, &EACH);
    if !args.format.is_json() {
        let values = values
            .iter()
            .map(|line| format!("values of {}\n", sanitize(line)));
        let changes = changes.iter().map(describe);
        io.show(&changes.chain(values).collect::<String>())?;
    }
    report(action, &display_path, &lock, &args.format, io)
}

/// Replaces a file, unless it is read-only.
fn replace(target: &WritePath, text: &str) -> Result<(), WriteError> {
    let before = fs::read(target.full())?;
    file::replace_if_unchanged(target, Some(&before), text.as_bytes())
}

/// Describes a change, with the new description of others whole.
fn describe(change: &Change) -> String {
    let (what, message) = (&change.diagnostic.subject, &change.diagnostic.message);
    let mut text = format!("{}: {}\n", sanitize(what), sanitize(message));
    for line in change.description.iter().flat_map(|it| it.lines()) {
        let _ = writeln!(text, "  | {}", sanitize(line));
    }
    text
}

/// Prints what was done with the file of `lock`.
fn report(
    action: &str,
    file: &Path,
    lock: &Lock,
    format: &FormatArg,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let (sources, tools) = lock.counts();
    let file = file.display().to_string();
    if format.is_json() {
        let report = json!({"file": file, "action": action, "tools": tools, "sources": sources});
        return io.show_json(&format!("{report:#}\n"));
    }
    io.show(&format!(
        "{action} {}: {} of {}\n",
        sanitize(&file),
        pluralize(tools, "tool"),
        pluralize(sources, "source")
    ))
}
