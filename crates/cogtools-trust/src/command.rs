//! The program: show what waits for the user's word, and take it.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::trust::{Item, Subject, subjects};
use cogtools_core::{Code, Fault, Surroundings};
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args};

use crate::report::{Entry, Report};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-trust",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT NEEDS A WORD",
        "A provider, which is a source of the kind command, that the project names: before anything of it runs. A provider that the user or the machine names needs none, unless its command lines name a file inside of the project. A package with tools that run programs: before one of these runs. Templates need no word, and neither do tools that lie in the project itself: read them as you read the rest of it.",
    ),
    (
        "WHAT IS ALLOWED",
        "What is there now, by SHA-256. Of a provider: its command lines (of an MCP server its description) with the content of the files among their words, the names of the variables that it may see, and then, since its discovery may run, each declaration that it makes. Of a package: all its files but those in node_modules and .git. When any of it changes, it needs a new word.",
    ),
    (
        "TABLE",
        "Without SOURCE: one row for each source that needs a word. STATE is allowed, changed (something else was allowed), or not yet. A provider that is allowed is asked for its tools, to see whether they are.",
    ),
    (
        "JSON",
        "One object: sources, a list of objects with name, kind (provider or package), state, runs (command lines, or the tools of a package that run programs), files and, when it has just been allowed, tools.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/trust.json\n  The record, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. A value of XDG_STATE_HOME that stands in an .env of the project, or above it, does not count: hosts read such files. Nothing in a project can allow anything.",
    ),
    (
        "EXAMPLES",
        "    cogtools trust\n\n    cogtools trust --dry-run team-tools\n\n    cogtools trust team-tools\n\n    cogtools trust --revoke team-tools",
    ),
];

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Allow packages and providers to run their tools")
        .long_about(
            "Record that a source may run programs, as it is now. Without SOURCE: list the \
             sources of this project that need the user's word, and how each stands.",
        )
        .arg(
            Arg::new("source")
                .value_name("SOURCE")
                .num_args(0..)
                .help("Providers and packages, by their names in the list"),
        )
        .arg(
            flag("dry-run")
                .requires("source")
                .help("Show what would be allowed, and allow nothing"),
        )
        .arg(
            flag("revoke")
                .requires("source")
                .conflicts_with("dry-run")
                .help("Take the word back"),
        )
        .arg(
            flag("prune")
                .conflicts_with_all(["source", "dry-run", "revoke"])
                .help("Forget what was said of sources that are gone"),
        )
        .arg(format_arg())
}

/// The command line.
struct TrustArgs {
    sources: Vec<String>,
    action: Action,
    json: bool,
}

/// What is done with the sources that are named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Allow,
    Show,
    Revoke,
    Prune,
}

impl TrustArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let action = match () {
            () if matches.get_flag("prune") => Action::Prune,
            () if matches.get_flag("revoke") => Action::Revoke,
            () if matches.get_flag("dry-run") => Action::Show,
            () => Action::Allow,
        };
        Self {
            sources: args::all(matches, "source"),
            action,
            json: json_from_matches(matches),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = TrustArgs::from_matches(matches);
    let project = project(io);
    let config = config(&project, io)?;
    let around = cancellable_context(io, &project, config.env_priority);
    let all = subjects(&config, &around);
    if args.action == Action::Prune {
        return prune(&all, &around, io);
    }
    let names = &args.sources;
    let named = chosen(names, &all)?;
    let mut report = Report::new(&around);
    let mut faults = Vec::new();
    for subject in &named {
        let done = if names.is_empty() {
            let standing = subject.standing(&around);
            if let Some(fault) = standing.fault {
                io.report(Severity::Warning, &fault);
            }
            Ok(Entry::standing(subject, standing.verdict))
        } else {
            match args.action {
                Action::Revoke => revoke(subject, &around),
                Action::Show => Ok(Entry::wanted(subject)),
                Action::Allow | Action::Prune => allow(subject, &around),
            }
        };
        match done {
            Ok(entry) => report.entries.push(entry),
            Err(fault) => faults.push(*fault),
        }
    }
    // What was done is told, also when something else could not be.
    if faults.is_empty() || !report.entries.is_empty() {
        if args.json {
            io.show_json(&format!("{:#}\n", report.json()))?;
        } else if names.is_empty() {
            io.print(report.table(io.colour(Stream::Stdout)).as_bytes())?;
        } else {
            io.print(report.lines().as_bytes())?;
        }
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.into())
    }
}

/// Those among `all` that have been named; all of them where none is.
fn chosen<'s>(names: &[String], all: &'s [Subject]) -> Result<Vec<&'s Subject>, Failure> {
    let known = || all.iter().map(|subject| subject.name.as_str());
    let unknown = names
        .iter()
        .filter(|name| !known().any(|other| other == name.as_str()));
    let faults: Vec<Fault> = unknown
        .map(|name| {
            let message = "no source of that name needs the user's word here";
            let mut fault = Fault::new(Code::Usage, message).about(name.as_str());
            fault.hints.extend(did_you_mean(name, known()));
            fault.hint("cogtools trust lists those that do")
        })
        .collect();
    if !faults.is_empty() {
        return Err(faults.into());
    }
    let is_named = |subject: &&Subject| names.is_empty() || names.contains(&subject.name);
    Ok(all.iter().filter(is_named).collect())
}

/// Records that `subject` may run as it is now, and then what it declares.
fn allow<'s>(subject: &'s Subject, around: &Surroundings) -> Result<Entry<'s>, Box<Fault>> {
    let item = subject.item(around)?;
    let (source, tool) = subject.key(around);
    let failed = |error: cogtools_core::trust::RecordError| Box::new(error.fault());
    let first = around.trust.update(|record| {
        record.revoke(&source, &tool);
        record.allow(&item);
    });
    first.map_err(failed)?;
    let tools: Vec<Item> = subject.tools(around).map_err(|mut fault| {
        let hint = "its command is allowed now, and none of its tools is";
        fault.hints.push(hint.to_owned());
        fault
    })?;
    let second = around.trust.update(|record| {
        for tool in &tools {
            record.allow(tool);
        }
    });
    second.map_err(failed)?;
    Ok(Entry::allowed(subject, tools))
}

fn revoke<'s>(subject: &'s Subject, around: &Surroundings) -> Result<Entry<'s>, Box<Fault>> {
    let (source, tool) = subject.key(around);
    let known = around.trust.update(|record| record.revoke(&source, &tool));
    let known = known.map_err(|error| Box::new(error.fault()))?;
    Ok(Entry::revoked(subject, known))
}

/// Forgets packages and projects whose folders are gone, and what providers of
/// this project there are no more.
fn prune(all: &[Subject], around: &Surroundings, io: &mut Io<'_>) -> Result<(), Failure> {
    let here: Vec<(String, String)> = all.iter().map(|subject| subject.key(around)).collect();
    let keep = |source: &str, tool: &str| {
        if source.starts_with("npm:") {
            return Path::new(tool).is_dir();
        }
        let mut parts = source.splitn(3, ':').skip(2);
        let root = parts.next().map_or(Path::new(""), Path::new);
        let known = here.iter().any(|(other, _)| other == source);
        root.is_dir() && (root != around.root || known)
    };
    let dropped = around.trust.update(|record| record.retain(keep));
    let dropped = dropped.map_err(|error| Failure::from(error.fault()))?;
    io.print(format!("forgot {dropped}\n").as_bytes())
}
