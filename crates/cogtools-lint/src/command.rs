//! The command line and what a run does.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Level};
use cogtools_program::args::{self, required};
use cogtools_program::project::{config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Stdin};

use crate::finding::Finding;
use crate::levels::Levels;
use crate::linter::Linter;
use crate::output::{self, Format, Report};
use crate::subject::Subject;
use crate::target;
use crate::{explain, fix};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-lint",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "RULES",
        "Every finding names its rule. --explain RULE tells which host breaks and what to do, with a failing and a passing example; --explain all prints the whole reference.\n\nA rule weighs off, warn or error. The configuration of the project changes that:\n\n    lint:\n      rules:\n        no-examples: error\n        openai-strict: off\n\nThe exit status is 78 when something of severity error was found, or with --deny-warnings a warning, and 0 otherwise.",
    ),
    (
        "FIXES",
        "--fix makes the edits that cannot change what a tool does for its good: it adds $schema, removes characters that nobody sees, spells types the right way, and cleans white space that YAML ignores. Everything else in the file stays as it is, byte for byte. The new file is written beside the old one and then put in its place. What remains is reported.",
    ),
    (
        "FORMATS",
        "human: one paragraph a finding, with the line it is about.\n\njson: one array of findings, each with rule, severity, file, line, column, endColumn, message, why, fix, fixable and fixed.\n\nsarif: SARIF 2.1.0, which code hosts show beside the lines of a change.",
    ),
    (
        "EXAMPLES",
        "    cogtools lint\n\n    cogtools lint --fix tools/say.yaml\n\n    cogtools lint --explain hidden-character\n\n    cogtools lint --format sarif > lint.sarif",
    ),
];

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Look at tools the way every host will")
        .long_about(
            "Check tool files for what hosts refuse, lose or misread, and say of each finding \
             where it is, which host breaks and what to do. Without PATH all tools of the project \
             around the current directory are checked.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("Tool files, or folders of them"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["human", "json", "sarif"])
                .default_value("human")
                .help("The form of the findings"),
        )
        .arg(flag("fix").help("Mend what can be mended safely"))
        .arg(flag("deny-warnings").help("Fail on warnings too"))
        .arg(
            Arg::new("explain")
                .long("explain")
                .value_name("RULE")
                .conflicts_with_all(["path", "fix", "deny-warnings"])
                .help("Print what a rule is about; `all` prints the reference of all rules"),
        )
}

/// The command line.
struct LintArgs {
    paths: Vec<OsString>,
    format: Format,
    fix: bool,
    /// The least level that makes the run fail.
    fatal: Level,
    explain: Option<String>,
}

impl LintArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let format: String = required(matches, "format")?;
        let strict = matches.get_flag("deny-warnings");
        Ok(Self {
            paths: args::all(matches, "path"),
            format: Format::parse(&format),
            fix: matches.get_flag("fix"),
            fatal: if strict { Level::Warn } else { Level::Error },
            explain: matches.get_one::<String>("explain").cloned(),
        })
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = LintArgs::from_matches(matches)?;
    if let Some(rule) = &args.explain {
        let text = explain::text(rule)?;
        return io.print(text.as_bytes());
    }
    let config = config(&project(io), io)?;
    let linter = Linter::new(Levels::new(&config.rules)?);
    let mut targets = target::collect(&args.paths, &config, &io.cwd);
    let mut findings = Vec::new();
    for subject in &targets.subjects {
        let fixed = args.fix.then(|| fix::all(subject, &linter));
        match fixed.transpose() {
            Ok(found) => findings.extend(found.unwrap_or_else(|| linter.check(subject))),
            Err(failure) => {
                targets.faults.extend(failure.faults().iter().cloned());
                findings.extend(linter.check(subject));
            }
        }
    }
    let report = Report {
        findings: &findings,
        files: targets.subjects.len(),
    };
    match args.format {
        Format::Human => {
            let text = output::human(&report, io.colour(Stream::Stdout));
            io.print(text.as_bytes())?;
        }
        Format::Json => io.show_json(&output::json(&report))?,
        Format::Sarif => io.show_json(&output::sarif(&report))?,
    }
    if !targets.faults.is_empty() {
        return Err(targets.faults.into());
    }
    if fails(&findings, args.fatal) {
        return Err(Failure::Status(Code::InvalidTool.status()));
    }
    Ok(())
}

fn fails(findings: &[Finding], fatal: Level) -> bool {
    findings
        .iter()
        .any(|finding| !finding.fixed && finding.level >= fatal)
}

/// The subject's file again, after an edit.
pub(crate) fn again(subject: &Subject) -> Option<Subject> {
    let mut next = Subject::read(&subject.path, subject.text.name()).ok()?;
    next.shadowed_by.clone_from(&subject.shadowed_by);
    next.twin.clone_from(&subject.twin);
    Some(next)
}
