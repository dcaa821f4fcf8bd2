//! `cogtools trust`: the user's approval of sources that run programs.

mod report;
mod review;
mod visible;

use std::path::Path;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::approval::{Reviewed, Texts, TrustableSource, trustable_sources};
use cogtools_core::store::Store;
use cogtools_core::{Code, Context, Diagnostic, fail_on};
use cogtools_program::format::FormatArg;
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{EACH, Failure, Io, Program, Stdin, args, man};

use report::{Action, Entry, Report};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-trust",
    command: TrustArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::SOURCE_CODES],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT REQUIRES APPROVAL",
        "The project, named `.`, before a tool in one of its folders runs a program. `cogtools init` and `cogtools new` trust a project that they create, in a folder that was empty or had only a repository without commits and remotes; a folder that is trusted in Gemini CLI (this very folder, not its parent) is trusted here, too.\n\nA provider (a source of the kind command or mcp) that the project names, before any of its programs is run. A provider named by the user's or the system's configuration requires no approval, unless its command line names a file inside the project.\n\nA specification in OpenAPI at a URL that the project names, before it is requested.\n\nA package with tools that run programs, before one of them is run.\n\nTemplates require no approval.",
    ),
    (
        "WHAT IS APPROVED",
        "A project is trusted as a folder, together with its owner and the URL of git's remote `origin`: its tools can be edited without asking again, and another project that takes its place is not trusted.\n\nOf providers and packages, exactly the current content is approved, by SHA-256. For a provider: its command lines (for an MCP server, its description), the content of the files that they name and of those in the same folder, the names of the variables that it may see, and each declaration that its discovery then makes. For a package: all its files except those in node_modules and .git. For both: the files of the project that their programs load by themselves, such as a makefile. Any change requires a new approval.\n\nOf a specification at a URL: its content, and the options of its source.\n\nPackages and providers run from a private copy. A script of a provider in the project's root, or in a folder of more than 4,096 files or 64 MiB, is covered without the files beside it, and packages in a node_modules beside one are not covered. Of a plugin all files are covered, also those in node_modules, unless these are too many; a plugin that is larger without them does not run.",
    ),
    (
        "REVIEW",
        "Everything that an approval lets run is shown first: each command line, the program that it starts now, the text of scripts and of the files that are named, the templates that are included, the variables that it sees, what it may reach (may: its sandbox), the invisible characters that were removed from descriptions (hidden), the other files that are covered, and what is not covered by the approval (unhashed). What no sandbox stops comes first. Long lines are continued after a hook, blanks that could hide something are dots, and what is left out is counted. Then you are asked, and exactly what was shown is approved; if you decline, the exit status is 77; the tools that a provider then declares are approved with it, and shown with all their texts. What is known of them is shown before the question: of an approved provider the tools that are new or have changed (tool), else those that are cached, with its cached prompts (prompt) and instructions (tells). The invisible characters that were removed from them are named, too. Without a terminal nothing is approved, unless --yes says that you have reviewed it.\n\nWithout SOURCE, all sources are listed; at a terminal you are then asked about each that is not approved and would run something.",
    ),
    (
        "NAMES",
        "A SOURCE is `.` or a name in the list. If a package and a provider have the same name, write package:NAME or provider:NAME. Two packages of one name are listed with their folders, as in x@sub/node_modules/x.",
    ),
    (
        "TABLE",
        "One row is printed for each source. STATE is approved, changed (other content was approved, or the project has another owner or origin) or not approved. An approved provider is queried to check whether its tools are approved too.",
    ),
    (
        "JSON",
        "One object: sources, an array of objects with name, kind (project, provider, specification or package), state, runs (command lines, the URL of a specification, or the names of the tools that run programs), files, programs (what each of these tools starts: name, file, env, program, declares, sandbox, and script, or command with conditions, stdin and cwd), for a provider sandbox (what its programs may reach, or null), hidden (the code points of invisible characters that were removed from descriptions, if there are any), uncovered (what and why: what runs without being covered) and, after an approval, tools. If something has a sandbox, limitations: an array of what and note, which no sandbox stops.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/trust.json\n  The record of approvals, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. Since hosts load .env files, XDG_STATE_HOME is ignored if an .env in or above the project sets it. Nothing in a project can approve anything.\n\n~/.local/state/cogtools/packages, ~/.local/state/cogtools/providers\n  The private copies, in the same folder as the record.\n\n~/.gemini/trustedFolders.json\n  The folders that are trusted in Gemini CLI.",
    ),
    (
        "EXAMPLES",
        "    cogtools trust\n\n    cogtools trust .\n\n    cogtools trust --dry-run team-tools\n\n    cogtools trust --revoke team-tools",
    ),
];

/// Trust this project, and approve packages and providers to run programs
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(
    long_about = "Show what a source would run, ask, and record the approval. Without SOURCE, list \
        all that requires approval, with the state of each, and ask about each at a terminal."
)]
struct TrustArgs {
    /// Providers and packages, by the names in the list; `.` is the project
    #[arg(value_name = "SOURCE")]
    source: Vec<String>,
    /// List only, and ask nothing
    #[arg(long, conflicts_with = "source")]
    list: bool,
    /// Approve without a question: you have reviewed it
    #[arg(long, requires = "source", conflicts_with_all = ["dry_run", "revoke"])]
    yes: bool,
    /// Show what would be approved, and approve nothing
    #[arg(long, requires = "source")]
    dry_run: bool,
    /// Revoke an approval
    #[arg(long, requires = "source", conflicts_with = "dry_run")]
    revoke: bool,
    /// Remove the approvals of sources that no longer exist
    #[arg(long, conflicts_with_all = ["source", "dry_run", "revoke"])]
    prune: bool,
    #[command(flatten)]
    format: FormatArg,
}

/// An operation on the named sources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Approve {
        /// True if the user has reviewed it already.
        yes: bool,
    },
    DryRun,
    Revoke,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: TrustArgs = args::parse(matches)?;
    let project = project(io);
    let config = config(&project, io)?;
    let cx = cancellable_context(io, &project, config.env_priority, config.bounds());
    let all = trustable_sources(&config, &cx);
    if args.prune {
        return prune(&all, &cx, io);
    }
    if args.source.is_empty() {
        return list(&args, &all, &cx, io);
    }
    let operation = match (args.revoke, args.dry_run) {
        (true, _) => Operation::Revoke,
        (_, true) => Operation::DryRun,
        _ => Operation::Approve { yes: args.yes },
    };
    let selected = select(&args.source, &all)?;
    act(operation, args.format.is_json(), &selected, &cx, io)
}

/// Lists all sources, and asks at a terminal about those that are not approved.
fn list(
    args: &TrustArgs,
    all: &[TrustableSource],
    cx: &Context,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let mut report = Report::new(cx);
    let mut warnings = Vec::new();
    for subject in all {
        let status = subject.status(cx);
        warnings.extend(status.diagnostic);
        let action = Action::Show(status.verdict);
        let shown = Texts::default();
        report.entries.push(Entry {
            subject,
            action,
            shown,
        });
    }
    io.warn(&warnings, &EACH);
    if args.format.is_json() {
        return io.show_json(&format!("{:#}\n", report.json()));
    }
    io.print(report.table(io.colour(Stream::Stdout)).as_bytes())?;
    if args.list || !io.is_person() {
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
        let shown = if json || operation == Operation::Revoke {
            Texts::default()
        } else {
            subject.texts(cx)
        };
        if !json && operation != Operation::Revoke {
            let is_decided = operation == Operation::Approve { yes: true };
            let is_confined = !is_decided && review::is_confined(subject, cx);
            if is_confined && !std::mem::replace(&mut is_explained, true) {
                io.show(&review::limitations())?;
            }
            io.show(&report::review(subject, &shown, cx))?;
        }
        let action = match operation {
            Operation::Revoke => subject.revoke(cx).map(|was_approved| {
                if was_approved {
                    Action::Revoke
                } else {
                    Action::RevokeNothing
                }
            }),
            Operation::Approve { yes } => agree(subject, yes, json, io)?.and_then(|agrees| {
                if agrees {
                    Ok(Action::Approve(subject.approve(&content?, cx)?))
                } else {
                    Ok(Action::Decline)
                }
            }),
            Operation::DryRun => Ok(Action::Review),
        };
        match action {
            Ok(action) => {
                let entry = Entry {
                    subject,
                    action,
                    shown,
                };
                if !json && operation != Operation::DryRun {
                    io.show(&entry.to_string())?;
                    io.show(&entry.hidden(cx))?;
                }
                report.entries.push(entry);
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    if json && (diagnostics.is_empty() || !report.entries.is_empty()) {
        io.show_json(&format!("{:#}\n", report.json()))?;
    }
    if !diagnostics.is_empty() {
        return Err(io.summarize(&diagnostics, &EACH).into());
    }
    let is_declined = |entry: &Entry<'_>| matches!(entry.action, Action::Decline);
    if report.entries.iter().any(is_declined) {
        return Err(Failure::Reported(Code::Denied.status()));
    }
    Ok(())
}

/// Content of `subject` that would be approved; an error if it cannot be, or not recorded.
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

/// Returns true if the user agrees that `subject` may run: with `yes`, or at a terminal.
fn agree(
    subject: &TrustableSource,
    yes: bool,
    json: bool,
    io: &mut Io<'_>,
) -> Result<Result<bool, Box<Diagnostic>>, Failure> {
    if yes {
        return Ok(Ok(true));
    }
    if json || !io.is_person() {
        let message = "not approved: there is no terminal to ask at";
        let diagnostic = Diagnostic::new(Code::Denied, message)
            .with_subject(subject.qualified_name())
            .hint("review what it runs, and repeat the command with --yes");
        return Ok(Err(Box::new(diagnostic)));
    }
    confirm(subject, io).map(Ok)
}

/// Asks the user to approve `subject`, which has been shown. The question is on standard error,
/// so that standard output stays data.
fn confirm(subject: &TrustableSource, io: &mut Io<'_>) -> Result<bool, Failure> {
    let question = match subject.noun() {
        "project" => "trust this project to run programs with your rights? [y/N] ".to_owned(),
        "specification" => "approve the requests of this specification? [y/N] ".to_owned(),
        noun => format!("approve this {noun} to run with your rights? [y/N] "),
    };
    let answer = io.ask(&question, "approve with --yes, after a review")?;
    Ok(answer.is_some_and(|answer| matches!(answer.as_str(), "y" | "yes")))
}

/// Removes the approvals of packages and projects whose folders no longer exist, and of
/// providers that this project no longer has.
fn prune(all: &[TrustableSource], cx: &Context, io: &mut Io<'_>) -> Result<(), Failure> {
    let current: Vec<(String, String)> = all.iter().filter_map(|it| it.key(cx)).collect();
    let keep = |source: &str, tool: &str| {
        if source.starts_with("npm:") {
            return Path::new(tool).is_dir();
        }
        if let Some(project) = source.strip_prefix("loaded:") {
            return Path::new(tool).is_dir() && Path::new(project).is_dir();
        }
        let root = source
            .splitn(3, ':')
            .nth(2)
            .map_or(Path::new(""), Path::new);
        let known = current.iter().any(|(other, _)| other == source);
        root.is_dir() && (root != cx.root || known)
    };
    let removed = cx
        .trust
        .update(|record| record.retain(keep) + record.prune_projects())
        .map_err(|error| Failure::from(error.diagnostic()))?;
    if let Some(state) = &cx.state {
        let record = cx.trust.read();
        let record = record.map_err(|error| Failure::from(error.diagnostic()))?;
        Store::packages(state).retain(|root, hash| record.approves_package(Path::new(root), hash));
        Store::providers(state).retain(|source, _| record.has_source(source));
    }
    io.print(format!("forgot {removed}\n").as_bytes())
}

/// The sources of `all` with one of `names`.
fn select<'s>(
    names: &[String],
    all: &'s [TrustableSource],
) -> Result<Vec<&'s TrustableSource>, Failure> {
    let mut selected: Vec<&TrustableSource> = Vec::new();
    let mut diagnostics = Vec::new();
    for name in names {
        let found: Vec<&TrustableSource> = all.iter().filter(|it| it.is_named(name)).collect();
        match found.as_slice() {
            [] => diagnostics.push(unknown(name, all)),
            [one] if selected.iter().any(|other| std::ptr::eq(*other, *one)) => {}
            [one] => selected.push(one),
            several => diagnostics.push(ambiguous(name, several)),
        }
    }
    fail_on(diagnostics)?;
    Ok(selected)
}

fn unknown(name: &str, all: &[TrustableSource]) -> Diagnostic {
    let message = "no source of that name requires approval here";
    Diagnostic::new(Code::Usage, message)
        .with_subject(name)
        .meant(name, all.iter().map(|subject| subject.name.as_str()))
        .hint("cogtools trust --list lists those that do")
}

fn ambiguous(name: &str, several: &[&TrustableSource]) -> Diagnostic {
    let names: Vec<String> = several
        .iter()
        .map(|subject| format!("`{}`", subject.qualified_name()))
        .collect();
    let message = format!("the name is ambiguous: {}", names.join(" or "));
    Diagnostic::new(Code::Usage, message)
        .with_subject(name)
        .hint("review and approve each by its whole name")
}
