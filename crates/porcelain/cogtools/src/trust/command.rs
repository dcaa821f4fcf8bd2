//! The program: list what requires approval, approve it, and revoke approvals.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::approval::{Reviewed, TrustableSource, trustable_sources};
use cogtools_core::{Code, Context, Diagnostic};
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args, man};

use crate::trust::manual::MANUAL;
use crate::trust::prune::prune;
use crate::trust::report::{Action, Entry, Report, review};
use crate::trust::rights;
use crate::trust::select::select;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-trust",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::ToolFailed,
        Code::Denied,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::Timeout,
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Trust this project, and approve packages and providers to run programs")
        .long_about(
            "Show what a source would run, ask, and record the approval. Without SOURCE, list all \
             that requires approval, with the state of each.",
        )
        .arg(
            Arg::new("source")
                .value_name("SOURCE")
                .num_args(0..)
                .help("Providers and packages, by the names in the list; `.` is the project"),
        )
        .arg(
            flag("list")
                .conflicts_with("source")
                .help("List only, and ask nothing"),
        )
        .arg(
            flag("yes")
                .requires("source")
                .conflicts_with_all(["dry-run", "revoke"])
                .help("Approve without a question: you have reviewed it"),
        )
        .arg(
            flag("dry-run")
                .requires("source")
                .help("Show what would be approved, and approve nothing"),
        )
        .arg(
            flag("revoke")
                .requires("source")
                .conflicts_with("dry-run")
                .help("Revoke an approval"),
        )
        .arg(
            flag("prune")
                .conflicts_with_all(["source", "dry-run", "revoke"])
                .help("Remove the approvals of sources that no longer exist"),
        )
        .arg(format_arg())
}

/// The command line.
struct TrustArgs {
    sources: Vec<String>,
    operation: Operation,
    json: bool,
}

/// What to do with the named sources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    /// List, and at a terminal ask about each.
    Ask,
    List,
    Approve {
        /// Whether the user has reviewed it already.
        yes: bool,
    },
    DryRun,
    Revoke,
    Prune,
}

impl TrustArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let sources = args::all(matches, "source");
        let operation = match () {
            () if matches.get_flag("prune") => Operation::Prune,
            () if matches.get_flag("revoke") => Operation::Revoke,
            () if matches.get_flag("dry-run") => Operation::DryRun,
            () if matches.get_flag("list") => Operation::List,
            () if sources.is_empty() => Operation::Ask,
            () => Operation::Approve {
                yes: matches.get_flag("yes"),
            },
        };
        Self {
            sources,
            operation,
            json: json_from_matches(matches),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = TrustArgs::from_matches(matches);
    let project = project(io);
    let config = config(&project, io)?;
    let cx = cancellable_context(io, &project, config.env_priority, config.bounds());
    let all = trustable_sources(&config, &cx);
    match args.operation {
        Operation::Prune => prune(&all, &cx, io),
        Operation::Ask | Operation::List => list(&args, &all, &cx, io),
        operation => {
            let selected = select(&args.sources, &all)?;
            act(operation, args.json, &selected, &cx, io)
        }
    }
}

/// Lists all sources, and asks at a terminal about those that are not approved.
fn list(
    args: &TrustArgs,
    all: &[TrustableSource],
    cx: &Context,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let mut report = Report::new(cx);
    for subject in all {
        let status = subject.status(cx);
        if let Some(diagnostic) = status.diagnostic {
            io.report(Severity::Warning, &diagnostic);
        }
        let action = Action::Show(status.verdict);
        report.entries.push(Entry { subject, action });
    }
    if args.json {
        return io.show_json(&format!("{:#}\n", report.json()));
    }
    io.print(report.table(io.colour(Stream::Stdout)).as_bytes())?;
    if args.operation == Operation::List || !io.stdin.is_terminal() {
        return Ok(());
    }
    let pending: Vec<&TrustableSource> = report.pending().collect();
    act(Operation::Approve { yes: false }, false, &pending, cx, io)
}

/// Approves or revokes each of `selected`. What was done is reported even if another
/// source failed.
fn act(
    operation: Operation,
    json: bool,
    selected: &[&TrustableSource],
    cx: &Context,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let mut report = Report::new(cx);
    let mut diagnostics = Vec::new();
    let mut is_explained = false;
    for &subject in selected {
        // Before it is shown, so that exactly this is approved.
        let content = content(subject, operation, cx);
        if let (Err(diagnostic), Operation::Approve { .. }) = (&content, operation) {
            diagnostics.push((**diagnostic).clone());
            continue;
        }
        if !json && operation != Operation::Revoke {
            let is_decided = operation == Operation::Approve { yes: true };
            let is_confined = !is_decided && rights::is_confined(subject, cx);
            if is_confined && !std::mem::replace(&mut is_explained, true) {
                io.show(&rights::limitations())?;
            }
            io.show(&review(subject, cx))?;
        }
        let action = match operation {
            Operation::Revoke => subject.revoke(cx).map(|was_approved| {
                if was_approved {
                    Action::Revoke
                } else {
                    Action::RevokeNothing
                }
            }),
            Operation::Approve { yes } => {
                let agrees = agree(subject, yes, json, io)?;
                agrees.and_then(|agrees| {
                    if agrees {
                        Ok(Action::Approve(subject.approve(&content?, cx)?))
                    } else {
                        Ok(Action::Decline)
                    }
                })
            }
            _ => Ok(Action::Review),
        };
        match action {
            Ok(action) => {
                let entry = Entry { subject, action };
                if !json && operation != Operation::DryRun {
                    io.show(&entry.to_string())?;
                }
                report.entries.push(entry);
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    if json && (diagnostics.is_empty() || !report.entries.is_empty()) {
        io.show_json(&format!("{:#}\n", report.json()))?;
    }
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics.into())
    }
}

/// What would be approved of `subject`; an error if it cannot be, or not recorded.
fn content(
    subject: &TrustableSource,
    operation: Operation,
    cx: &Context,
) -> Result<Reviewed, Box<Diagnostic>> {
    if matches!(operation, Operation::Approve { .. }) {
        let record = cx.trust.read();
        record.map_err(|error| Box::new(error.diagnostic()))?;
    }
    subject.content(cx)
}

/// Whether the user agrees that `subject` may run: with `yes`, or at a terminal.
fn agree(
    subject: &TrustableSource,
    yes: bool,
    json: bool,
    io: &mut Io<'_>,
) -> Result<Result<bool, Box<Diagnostic>>, Failure> {
    if yes {
        return Ok(Ok(true));
    }
    if json || !io.stdin.is_terminal() {
        let message = "not approved: there is no terminal to ask at";
        let diagnostic = Diagnostic::new(Code::Denied, message)
            .with_subject(subject.qualified_name())
            .hint("review what it runs, and repeat the command with --yes");
        return Ok(Err(Box::new(diagnostic)));
    }
    confirm(subject, io).map(Ok)
}

/// Asks whether `subject`, which has been shown, may run.
fn confirm(subject: &TrustableSource, io: &mut Io<'_>) -> Result<bool, Failure> {
    let question = match subject.noun() {
        "project" => "trust this project to run programs with your rights? [y/N] ".to_owned(),
        noun => format!("approve this {noun} to run with your rights? [y/N] "),
    };
    // Only what is typed after the review answers the question.
    io.stdin.discard_typed();
    io.show(&question)?;
    let answer = io.stdin.line().map_err(|error| {
        let message = format!("the answer cannot be read: {error}");
        Failure::from(
            Diagnostic::new(Code::IoFailed, message).hint("approve with --yes, after a review"),
        )
    })?;
    let answer = answer.map(|answer| answer.trim().to_lowercase());
    Ok(answer.is_some_and(|answer| matches!(answer.as_str(), "y" | "yes")))
}
