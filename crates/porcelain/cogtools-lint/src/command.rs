//! The command line and what a run does.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::hint::{Command, Hint};
use cogtools_core::{Code, Config, Diagnostic, Level, fail_on};
use cogtools_log::{Session, Store, ToolCounts};
use cogtools_program::args;
use cogtools_program::project::{config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, dirs, man};

use crate::finding::Finding;
use crate::lint_file::Usage;
use crate::linter::{Levels, Linter};
use crate::output::{self, Format, Report};
use crate::target::{self, Targets};
use crate::{fix, reference};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-lint",
    command: LintArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::PROJECT_CODES, &[Code::ToolNotFound]],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "RULES",
        "Every finding names its rule. --explain RULE describes which host is affected and what to do, with an example that fails and one that passes; --explain all prints the reference of all rules.\n\nEach rule has a level: off, note, warn or error. A note is advice: it never fails a run, and --fix leaves it to you. The project's configuration can change it:\n\n    lint:\n      rules:\n        no-examples: error\n        openai-strict: off\n\nThe exit status is 78 if there is a finding of level error (with --deny-warnings or --strict, also warn), and 0 otherwise. Without any tool to check, there is a warning; with --strict, the exit status is 127.",
    ),
    (
        "SESSIONS",
        "--sessions reads the sessions that `cogtools session stats` counts, and reports as notes what models got wrong with each tool: arguments that they left out, or that the tool rejected, a tool that they called after a failure, and a tool that none has called in ten sessions or more. A mistake that the tool no longer rejects, such as an argument that has a default now, is left out.",
    ),
    (
        "COMMENTS",
        "A comment allows what a rule finds on its line, or on the line after it if it is alone on its line; before the first key, in the whole file. Several names are separated by commas, and a reason can follow in parentheses:\n\n    # lint: allow argument-in-code (the model may run any command here)\n\ninvalid-tool cannot be allowed, and not be switched off.",
    ),
    (
        "FIXES",
        "--fix applies the edits that cannot change the meaning of a tool: it adds $schema, removes invisible characters, corrects the spelling of types, and removes white space that YAML ignores. The result is loaded and checked before it is written; an edit that would break the tool, or make two values equal, is left out. Everything else in the file is preserved byte for byte, and the file is replaced atomically. The remaining findings are reported.",
    ),
    (
        "FORMATS",
        "human: one paragraph per finding, with the line that it is about.\n\njson: an array of findings, each with rule, severity, file, line, column, endColumn, message, why, fix, fixable and fixed.\n\nsarif: SARIF 2.1.0, which code hosts show next to the changed lines.",
    ),
    (
        "EXAMPLES",
        "    cogtools lint\n\n    cogtools lint --fix tools/say.yaml\n\n    cogtools lint say\n\n    cogtools lint --stdin-filename tools/say.yaml - < draft.yaml\n\n    cogtools lint --explain hidden-character\n\n    cogtools lint --format sarif > lint.sarif",
    ),
];

/// Check tool files for what hosts reject, drop or misread
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(
    long_about = "Check tool files for what hosts reject, drop or misread. Each finding says where \
        it is, which host is affected and what to do. Without PATH, all tools of the project that \
        contains the current directory are checked."
)]
struct LintArgs {
    /// Tool files, folders that contain them, names of tools, or `-`
    #[arg(id = "path", value_name = "PATH")]
    paths: Vec<OsString>,
    /// The file that `-` stands for, in the report and for its templates
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,
    /// Format of the findings
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Same as --format json
    #[arg(long, overrides_with = "format")]
    json: bool,
    /// Fix what can be fixed safely
    #[arg(long)]
    fix: bool,
    /// Fail on warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// Fail on warnings, and with status 127 if there is nothing to check
    #[arg(long)]
    strict: bool,
    /// Also report what models got wrong in the sessions of this project
    #[arg(long)]
    sessions: bool,
    /// Explain a rule; `all` prints the reference of all rules
    #[arg(long, value_name = "RULE", conflicts_with_all = ["path", "fix", "deny_warnings", "strict"])]
    explain: Option<String>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut args: LintArgs = args::parse(matches)?;
    if args.json {
        args.format = Format::Json;
    }
    if let Some(rule) = &args.explain {
        let text = reference::explanation(rule)?;
        return io.print(text.as_bytes());
    }
    if args.fix && args.paths.iter().any(|path| path == "-") {
        let diagnostic = Diagnostic::new(Code::Usage, "standard input cannot be fixed");
        return Err(diagnostic
            .with_subject("--fix")
            .hint("name the file")
            .into());
    }
    let project = project(io);
    let config = config(&project, io)?.without_user_folders();
    let linter = Linter::new(Levels::new(&config.rules)?);
    let mut targets = target::collect(&args.paths, args.stdin_filename.as_deref(), &config, io);
    if args.sessions {
        read_usage(&mut targets, project.root(), io)?;
    }
    let findings = if args.fix {
        fix_all(&mut targets, &linter, project.root())
    } else {
        linter.check_all(&targets.files)
    };
    let report = Report {
        findings: &findings,
        files: targets.files.len(),
        root: project.root(),
        folder: &io.cwd.clone(),
    };
    match args.format {
        // Nothing was checked: a message follows.
        Format::Human if report.files == 0 => {}
        Format::Human => {
            let text = output::human(&report, io.colour(Stream::Stdout));
            io.print(text.as_bytes())?;
        }
        Format::Json => io.show_json(&output::json(&report))?,
        Format::Sarif => io.show_json(&output::sarif(&report))?,
    }
    fail_on(targets.diagnostics)?;
    if report.files == 0 {
        let diagnostic = no_tools(&args.paths, &config);
        if args.strict {
            return Err(diagnostic.into());
        }
        io.report(Severity::Warning, &diagnostic);
    }
    let is_strict = args.strict || args.deny_warnings;
    let fatal = if is_strict { Level::Warn } else { Level::Error };
    if findings.iter().any(|it| !it.fixed && it.level >= fatal) {
        return Err(Failure::Reported(Code::InvalidTool.status()));
    }
    Ok(())
}

/// Reads the calls of the tools in the sessions of the project.
fn read_usage(targets: &mut Targets, root: &Path, io: &mut Io<'_>) -> Result<(), Failure> {
    let store = Store::of(dirs::state_dir(io).as_deref(), root)?;
    let stored = store.list().map_err(|error| store.unreadable(&error))?;
    let mut all = BTreeMap::new();
    for stored in &stored {
        match Session::read(&store.file(&stored.id)) {
            Ok(session) => ToolCounts::add(&session, &mut all),
            Err(error) => io.report(Severity::Warning, &error.diagnostic()),
        }
    }
    for file in &mut targets.files {
        let name = file.tool.as_ref().map(|tool| tool.name().as_str());
        let counts = name.and_then(|name| all.get(name)).cloned();
        file.usage = Some(Arc::new(Usage {
            sessions: stored.len(),
            counts: counts.unwrap_or_default(),
        }));
    }
    Ok(())
}

/// Fixes what can be fixed, and returns what was found.
fn fix_all(targets: &mut Targets, linter: &Linter, root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &targets.files {
        match fix::apply(file, linter, root) {
            Ok(fixed) => findings.extend(fixed),
            Err(failure) => {
                targets
                    .diagnostics
                    .extend(failure.diagnostics().iter().cloned());
                findings.extend(linter.check(file));
            }
        }
    }
    findings
}

/// The message of a run that checks nothing, which is the wrong folder more often than not.
fn no_tools(paths: &[OsString], config: &Config) -> Diagnostic {
    if !paths.is_empty() {
        return Diagnostic::new(Code::ToolNotFound, "there are no tool files to check")
            .hint("name a folder with tool files, or a tool");
    }
    if config.has_tools_without_files() {
        return Diagnostic::new(Code::ToolNotFound, "this project has no tool files")
            .hint("the tools of specifications and servers have none");
    }
    Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
        .hint(Hint::run("", Command::New, " creates one"))
        .hint("in a script, --strict makes this an error")
}
