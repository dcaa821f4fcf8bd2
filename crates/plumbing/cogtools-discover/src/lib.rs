//! `cogtools-discover`: declares the tools of a project to a host.
//!
//! The discovery command of Gemini CLI and compatible hosts, which refuse to start
//! if it fails: an invalid tool must not affect the others.

mod manual;

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::tool::ToolError;
use cogtools_core::{
    Cancel, Code, Cost, Diagnostic, Found, ListWait, Loaded, Lock, Registry, Snapshot, Tool,
    fail_on,
};
use cogtools_program::args::{self, FilterArgs, LockedArg, RefreshArg, RegistryArgs};
use cogtools_program::budget::BudgetArg;
use cogtools_program::call::VerboseArg;
use cogtools_program::format::HostArg;
use cogtools_program::project::{self, project, registry};
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io, Program, Severity, SignalWatch, Stdin, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-discover",
    command: DiscoverArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::SOURCE_CODES, &[Code::Locked]],
    variables: man::SOURCES,
    manual: manual::MANUAL,
};

/// A tool that the output may have.
enum Line {
    Declared(Declared),
    Invalid(Vec<Diagnostic>),
}

/// A declaration as it is printed, and its cost, which is not counted without a budget.
struct Declared {
    text: String,
    cost: Cost,
}

/// Declare the tools of the current project to a host
#[derive(Parser)]
#[command(
    long_about = "Print the declarations of all tools of the project that contains the current \
        directory, as a JSON array in the order of sources and names."
)]
struct DiscoverArgs {
    /// Print YAML instead of JSON
    #[arg(long)]
    yaml: bool,
    #[command(flatten)]
    host: HostArg,
    /// Check tools thoroughly, and fail if one is invalid
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    locked: LockedArg,
    #[command(flatten)]
    budget: BudgetArg,
    #[command(flatten)]
    verbose: VerboseArg,
    #[command(flatten)]
    refresh: RefreshArg,
    #[command(flatten)]
    filter: FilterArgs,
}

/// The time after which a process that fills caches ends, whatever it waits for.
const MAX_FILL: Duration = Duration::from_mins(5);

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: DiscoverArgs = args::parse(matches)?;
    if io.var(project::FILL_CACHES).is_some() {
        return fill_caches(io);
    }
    match open(&args, io) {
        Ok((registry, loaded)) => declare(&args, &registry, loaded, io),
        Err(failure) => declare_nothing(&args, failure, io),
    }
}

/// Asks the sources that a list has stopped waiting for. Each has its own timeout.
fn fill_caches(io: &mut Io<'_>) -> Result<(), Failure> {
    let options = RegistryArgs {
        lenient: true,
        ..RegistryArgs::default()
    };
    // Unlike other programs, this one goes on when its parent has exited.
    let cancel = Cancel::default();
    io.signals = SignalWatch::with_token(cancel.clone());
    let registry = registry(&options, io, None)?;
    thread::spawn(move || {
        thread::sleep(MAX_FILL);
        cancel.cancel();
    });
    registry.fill_caches();
    Ok(())
}

/// Prints an empty list and why, because a host that gets no list may not work at all.
fn declare_nothing(args: &DiscoverArgs, failure: Failure, io: &mut Io<'_>) -> Result<(), Failure> {
    // A command line that is wrong never worked.
    if args.strict || failure.status() == Code::Usage.status() {
        return Err(failure);
    }
    io.print(b"[]\n")?;
    for diagnostic in failure.diagnostics() {
        io.report(Severity::Error, diagnostic);
    }
    Ok(())
}

/// Opens the registry, if the configuration is valid and its tools are as pinned. To compare them
/// they have to be loaded.
fn open(args: &DiscoverArgs, io: &Io<'_>) -> Result<(Registry, Option<Loaded>), Failure> {
    let options = RegistryArgs {
        filter: args.filter.clone(),
        refresh: args.refresh.refresh,
        locked: args.locked,
        list_wait: ListWait::Patient,
        lenient: !args.strict,
        background: project::background(io),
        ..RegistryArgs::default()
    };
    let registry = registry(&options, io, Some(args.host.target))?;
    let loaded = if registry.is_locked() {
        Some(check_lock(&registry, io)?)
    } else {
        None
    };
    Ok((registry, loaded))
}

/// Declares the tools of `registry`.
fn declare(
    args: &DiscoverArgs,
    registry: &Registry,
    loaded: Option<Loaded>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let budget = args.budget.or_configured(registry);
    let uses = budget.map(|_| registry.uses().read());
    let line = |tool| line(tool, args, uses.as_ref());
    let mut found = match loaded {
        Some(loaded) => registry.map_loaded(loaded, line),
        None => registry.map(line),
    };
    let (declared, invalid) = partition(&mut found);
    let all = declared.len();
    let declared = match budget {
        None => declared.into_iter().map(|one| one.text).collect(),
        Some(budget) => {
            let counted = declared.into_iter().map(|one| (one.text, one.cost));
            let selected = budget.select(counted.collect(), registry, |tool| print(tool, args));
            match selected {
                Ok(selected) => selected,
                Err(failure) => return declare_nothing(args, failure.into(), io),
            }
        }
    };
    if args.verbose.verbose {
        print_notes(&found, &declared, all, io);
    }
    print_all(&declared, args.yaml, io)?;
    if args.strict && !invalid.is_empty() {
        return Err(invalid.into());
    }
    for diagnostic in &registry.config_errors {
        io.report(Severity::Error, diagnostic);
    }
    let warnings = [invalid, found.unmatched].concat();
    if args.verbose.verbose {
        for diagnostic in &warnings {
            io.report(Severity::Warning, diagnostic);
        }
    } else {
        io.warn(&warnings, &"--verbose shows all of it".into());
    }
    Ok(())
}

/// Checks the declarations of `registry` against `cogtools.lock`, and returns the loaded tools.
fn check_lock(registry: &Registry, io: &Io<'_>) -> Result<Loaded, Failure> {
    let project = project(io);
    let (path, shown) = project.resolve(Lock::FILE.as_ref());
    let lock = Lock::read(&path, &shown).map_err(|diagnostic| *diagnostic)?;
    let (snapshot, loaded) = Snapshot::with_tools(registry, project.root(), project.display_path());
    let diagnostics = lock.drift(&snapshot);
    fail_on(diagnostics)?;
    Ok(loaded)
}

/// The valid declarations, and all errors.
fn partition(found: &mut Found<Line>) -> (Vec<Declared>, Vec<Diagnostic>) {
    let mut invalid = found.source_diagnostics();
    let mut declared = Vec::new();
    for item in std::mem::take(&mut found.items) {
        match item {
            Line::Declared(one) => declared.push(one),
            Line::Invalid(diagnostics) => invalid.extend(diagnostics),
        }
    }
    (declared, invalid)
}

/// Prints the notes of `--verbose`.
fn print_notes(found: &Found<Line>, declared: &[String], all: usize, io: &mut Io<'_>) {
    for hidden in &found.shadowed {
        let (file, winner) = (hidden.file.display(), hidden.winner.display());
        io.note(&format!("{file} is shadowed by {winner}"));
    }
    let tools = pluralize(declared.len(), "tool");
    let excluded = match found.filtered_out {
        0 => String::new(),
        count => format!(", {count} excluded by a filter"),
    };
    io.note(&format!("{tools} declared{excluded}"));
    if declared.len() != all {
        io.note(&format!("not all {all} tools fit the budget"));
    }
}

/// Makes the declaration of `tool`, with its cost if the calls of all tools are given.
fn line(
    tool: Result<Tool, ToolError>,
    args: &DiscoverArgs,
    uses: Option<&HashMap<String, u32>>,
) -> Line {
    let checked = tool.and_then(|tool| {
        if args.strict {
            tool.check().map(|()| tool)
        } else {
            Ok(tool)
        }
    });
    match checked {
        Ok(tool) => {
            let rejections = args.host.target.rejections(&tool);
            if !rejections.is_empty() {
                return Line::Invalid(rejections);
            }
            Line::Declared(Declared {
                text: print(&tool, args),
                cost: uses.map_or_else(Cost::default, |uses| {
                    tool.cost().with_uses(tool.name().as_str(), uses)
                }),
            })
        }
        Err(error) => Line::Invalid(error.diagnostics()),
    }
}

/// Prints the declaration of `tool` as one line of JSON, or as a list of YAML with one item.
fn print(tool: &Tool, args: &DiscoverArgs) -> String {
    if args.yaml {
        // A value of JSON is always one of YAML.
        return serde_yaml::to_string(&[args.host.target.declare(tool)]).unwrap_or_default();
    }
    args.host.target.print(tool)
}

/// Prints all declarations, in chunks: copying thousands of them into one string would cost more
/// than printing them.
fn print_all(declared: &[String], yaml: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    const CHUNK_BYTES: usize = 64 << 10;
    let show = |text: &str, io: &mut Io<'_>| {
        if yaml {
            io.show(text)
        } else {
            io.show_json(text)
        }
    };
    if declared.is_empty() {
        return io.print(b"[]\n");
    }
    let mut chunk = String::with_capacity(CHUNK_BYTES);
    for (index, text) in declared.iter().enumerate() {
        if !yaml {
            chunk.push_str(if index == 0 { "[\n" } else { ",\n" });
        }
        chunk.push_str(text);
        if chunk.len() >= CHUNK_BYTES {
            show(&chunk, io)?;
            chunk.clear();
        }
    }
    if !yaml {
        chunk.push_str("\n]\n");
    }
    show(&chunk, io)
}
