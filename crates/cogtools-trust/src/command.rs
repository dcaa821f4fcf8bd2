//! The program: list what requires approval, approve it, and revoke approvals.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::approval::{Kind, TrustableSource, trustable_sources};
use cogtools_core::store::PackageStore;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::trust::Grant;
use cogtools_core::{Code, Context, Diagnostic, Hint};
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args, man};

use crate::report::{Action, Entry, Report};

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

const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT REQUIRES APPROVAL",
        "A provider (a source of the kind command or mcp) that the project names, before any of its programs is run. A provider named by the user's or the system's configuration requires no approval, unless its command line names a file inside the project. A package with tools that run programs, before one of them is run. Templates require no approval, and neither do tools in the project itself: review them like the rest of the project.",
    ),
    (
        "WHAT IS APPROVED",
        "Exactly the current content, by SHA-256. For a provider: its command lines (for an MCP server, its description), the content of the files that they name, the names of the variables that it may see, and each declaration that its discovery then makes. For a package: all its files except those in node_modules and .git. Any change requires a new approval.",
    ),
    (
        "TABLE",
        "Without SOURCE, one row is printed for each source that requires approval. STATE is approved, changed (other content was approved) or not approved. An approved provider is queried to check whether its tools are approved too.",
    ),
    (
        "JSON",
        "One object: sources, an array of objects with name, kind (provider or package), state, runs (command lines, or the tools of a package that run programs), files and, after an approval, tools.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/trust.json\n  The record of approvals, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. Since hosts load .env files, XDG_STATE_HOME is ignored if an .env in or above the project sets it. Nothing in a project can approve anything.",
    ),
    (
        "EXAMPLES",
        "    cogtools trust\n\n    cogtools trust --dry-run team-tools\n\n    cogtools trust team-tools\n\n    cogtools trust --revoke team-tools",
    ),
];

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Approve packages and providers to run programs")
        .long_about(
            "Approve a source, with its current content, to run programs. Without SOURCE, list the \
             sources of this project that require approval, with the state of each.",
        )
        .arg(
            Arg::new("source")
                .value_name("SOURCE")
                .num_args(0..)
                .help("Providers and packages, by the names in the list"),
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
    Approve,
    DryRun,
    Revoke,
    Prune,
}

impl TrustArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let operation = match () {
            () if matches.get_flag("prune") => Operation::Prune,
            () if matches.get_flag("revoke") => Operation::Revoke,
            () if matches.get_flag("dry-run") => Operation::DryRun,
            () => Operation::Approve,
        };
        Self {
            sources: args::all(matches, "source"),
            operation,
            json: json_from_matches(matches),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = TrustArgs::from_matches(matches);
    let project = project(io);
    let config = config(&project, io)?;
    let cx = cancellable_context(io, &project, config.env_priority);
    let all = trustable_sources(&config, &cx);
    if args.operation == Operation::Prune {
        return prune(&all, &cx, io);
    }
    let names = &args.sources;
    let mut report = Report::new(&cx);
    let mut diagnostics = Vec::new();
    for subject in select(names, &all)? {
        let action = if names.is_empty() {
            let status = subject.status(&cx);
            if let Some(diagnostic) = status.diagnostic {
                io.report(Severity::Warning, &diagnostic);
            }
            Ok(Action::Show(status.verdict))
        } else {
            match args.operation {
                Operation::Revoke => revoke(subject, &cx),
                Operation::DryRun => Ok(Action::WouldApprove),
                Operation::Approve | Operation::Prune => approve(subject, &cx),
            }
        };
        match action {
            Ok(action) => report.entries.push(Entry { subject, action }),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    // Report what was done even if another source failed.
    if diagnostics.is_empty() || !report.entries.is_empty() {
        if args.json {
            io.show_json(&format!("{:#}\n", report.json()))?;
        } else if names.is_empty() {
            io.print(report.table(io.colour(Stream::Stdout)).as_bytes())?;
        } else {
            io.print(report.lines().as_bytes())?;
        }
    }
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics.into())
    }
}

/// The sources of `all` with one of `names`; all of them if there are no names.
fn select<'s>(
    names: &[String],
    all: &'s [TrustableSource],
) -> Result<Vec<&'s TrustableSource>, Failure> {
    let known = || all.iter().map(|subject| subject.name.as_str());
    let diagnostics: Vec<Diagnostic> = names
        .iter()
        .filter(|name| !known().any(|other| other == name.as_str()))
        .map(|name| {
            let message = "no source of that name requires approval here";
            let mut diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name.as_str());
            diagnostic
                .hints
                .extend(did_you_mean(name, known()).map(Hint::from));
            diagnostic.hint("cogtools trust lists those that do")
        })
        .collect();
    if !diagnostics.is_empty() {
        return Err(diagnostics.into());
    }
    let is_named = |subject: &&TrustableSource| names.is_empty() || names.contains(&subject.name);
    Ok(all.iter().filter(is_named).collect())
}

/// Approves the current content of `subject`, and then the tools that it declares.
fn approve(subject: &TrustableSource, cx: &Context) -> Result<Action, Box<Diagnostic>> {
    let grant = subject.grant(cx)?;
    let (source, tool) = subject.key(cx);
    let failed = |error: cogtools_core::trust::RecordError| Box::new(error.diagnostic());
    cx.trust
        .update(|record| {
            record.revoke(&source, &tool);
            record.approve(&grant);
        })
        .map_err(failed)?;
    let tools: Vec<Grant> = subject.tools(cx).map_err(|mut diagnostic| {
        let hint = "its command is now approved, but none of its tools is";
        diagnostic.hints.push(hint.into());
        diagnostic
    })?;
    cx.trust
        .update(|record| {
            for tool in &tools {
                record.approve(tool);
            }
        })
        .map_err(failed)?;
    Ok(Action::Approve(tools))
}

fn revoke(subject: &TrustableSource, cx: &Context) -> Result<Action, Box<Diagnostic>> {
    let (source, tool) = subject.key(cx);
    let was_approved = cx
        .trust
        .update(|record| record.revoke(&source, &tool))
        .map_err(|error| Box::new(error.diagnostic()))?;
    if let (Kind::Package { root, .. }, Some(state)) = (&subject.kind, &cx.state) {
        PackageStore::new(state).remove(root);
    }
    Ok(if was_approved {
        Action::Revoke
    } else {
        Action::RevokeNothing
    })
}

/// Removes the approvals of packages and projects whose folders no longer exist, and of
/// providers that this project no longer has.
fn prune(all: &[TrustableSource], cx: &Context, io: &mut Io<'_>) -> Result<(), Failure> {
    let current: Vec<(String, String)> = all.iter().map(|subject| subject.key(cx)).collect();
    let keep = |source: &str, tool: &str| {
        if source.starts_with("npm:") {
            return Path::new(tool).is_dir();
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
        .update(|record| record.retain(keep))
        .map_err(|error| Failure::from(error.diagnostic()))?;
    if let Some(state) = &cx.state {
        let record = cx.trust.read();
        let record = record.map_err(|error| Failure::from(error.diagnostic()))?;
        PackageStore::new(state).retain(|root, hash| record.approves_package(root, hash));
    }
    io.print(format!("forgot {removed}\n").as_bytes())
}
