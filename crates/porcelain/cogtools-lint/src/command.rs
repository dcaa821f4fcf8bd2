//! The command line and what a run does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic, Level};
use cogtools_program::args::{self, required};
use cogtools_program::project::{config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::finding::Finding;
use crate::levels::Levels;
use crate::linter::Linter;
use crate::output::{self, Format, Report};
use crate::target::Targets;
use crate::{fix, reference, target};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-lint",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::Denied, Code::InvalidTool, Code::InvalidConfig],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "RULES",
        "Every finding names its rule. --explain RULE describes which host is affected and what to do, with an example that fails and one that passes; --explain all prints the reference of all rules.\n\nEach rule has a level: off, warn or error. The project's configuration can change it:\n\n    lint:\n      rules:\n        no-examples: error\n        openai-strict: off\n\nThe exit status is 78 if there is a finding of level error (with --deny-warnings, also warn), and 0 otherwise.",
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

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Check tool files for what hosts reject, drop or misread")
        .long_about(
            "Check tool files for what hosts reject, drop or misread. Each finding says where it is, \
             which host is affected and what to do. Without PATH, all tools of the project that \
             contains the current directory are checked.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("Tool files, folders that contain them, names of tools, or `-`"),
        )
        .arg(
            Arg::new("stdin-filename")
                .long("stdin-filename")
                .value_name("PATH")
                .value_parser(value_parser!(OsString))
                .help("The file that `-` stands for, in the report and for its templates"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["human", "json", "sarif"])
                .default_value("human")
                .help("Format of the findings"),
        )
        .arg(flag("fix").help("Fix what can be fixed safely"))
        .arg(flag("deny-warnings").help("Fail on warnings too"))
        .arg(
            Arg::new("explain")
                .long("explain")
                .value_name("RULE")
                .conflicts_with_all(["path", "fix", "deny-warnings"])
                .help("Explain a rule; `all` prints the reference of all rules"),
        )
}

/// The command line.
struct LintArgs {
    paths: Vec<OsString>,
    format: Format,
    fix: bool,
    /// The lowest level that makes the run fail.
    fatal: Level,
    explain: Option<String>,
    /// The name of standard input in the report.
    stdin_name: Option<PathBuf>,
}

impl LintArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let format: String = required(matches, "format")?;
        let stdin_name = matches.get_one::<OsString>("stdin-filename");
        let strict = matches.get_flag("deny-warnings");
        Ok(Self {
            paths: args::all(matches, "path"),
            format: Format::parse(&format),
            fix: matches.get_flag("fix"),
            fatal: if strict { Level::Warn } else { Level::Error },
            explain: matches.get_one::<String>("explain").cloned(),
            stdin_name: stdin_name.map(PathBuf::from),
        })
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = LintArgs::from_matches(matches)?;
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
    let mut targets = target::collect(&args.paths, args.stdin_name.as_deref(), &config, io);
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
        // Nothing was checked: an error follows.
        Format::Human if report.files == 0 && !targets.diagnostics.is_empty() => {}
        Format::Human => {
            let text = output::human(&report, io.colour(Stream::Stdout));
            io.print(text.as_bytes())?;
        }
        Format::Json => io.show_json(&output::json(&report))?,
        Format::Sarif => io.show_json(&output::sarif(&report))?,
    }
    if !targets.diagnostics.is_empty() {
        return Err(targets.diagnostics.into());
    }
    if has_fatal(&findings, args.fatal) {
        return Err(Failure::Reported(Code::InvalidTool.status()));
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

fn has_fatal(findings: &[Finding], fatal: Level) -> bool {
    findings
        .iter()
        .any(|finding| !finding.fixed && finding.level >= fatal)
}
