//! `cogtools-discover`: declares the tools of a project to a host.
//!
//! The discovery command of Gemini CLI and compatible hosts, which refuse to start
//! if it fails: an invalid tool must not affect the others.

mod manual;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::tool::ToolError;
use cogtools_core::{
    Code, Diagnostic, Found, ListWait, Lock, Registry, Snapshot, SourceError, Target, Tool,
};
use cogtools_program::args::{self, FilterArgs, LockedArg, RefreshArg, RegistryArgs};
use cogtools_program::budget::BudgetArg;
use cogtools_program::call::VerboseArg;
use cogtools_program::format::HostArg;
use cogtools_program::project::{project, registry};
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};
use serde_json::Value;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-discover",
    command: DiscoverArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::ToolFailed,
        Code::Denied,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::Locked,
        Code::Timeout,
    ],
    variables: man::SOURCES,
    manual: manual::MANUAL,
};

/// One tool of the output.
enum Line {
    Declared(Declared),
    Invalid(Vec<Diagnostic>),
}

/// A printed declaration and its cost in tokens, which is 0 without a budget.
struct Declared {
    text: String,
    tokens: usize,
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

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: DiscoverArgs = args::parse(matches)?;
    match open(&args, io) {
        Ok(registry) => declare(&args, &registry, io),
        Err(failure) => declare_nothing(&args, failure, io),
    }
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

/// The tools, if the configuration is valid and they are as pinned.
fn open(args: &DiscoverArgs, io: &Io<'_>) -> Result<Registry, Failure> {
    let options = RegistryArgs {
        filter: args.filter.clone(),
        refresh: args.refresh.refresh,
        locked: args.locked,
        list_wait: ListWait::Moment,
        lenient: !args.strict,
        ..RegistryArgs::default()
    };
    let registry = registry(&options, io, Some(args.host.target))?;
    if registry.is_locked() {
        check_lock(&registry, io)?;
    }
    Ok(registry)
}

/// Declares the tools of `registry`.
fn declare(args: &DiscoverArgs, registry: &Registry, io: &mut Io<'_>) -> Result<(), Failure> {
    let (target, strict) = (args.host.target, args.strict);
    let budget = args.budget.or_configured(registry);
    let mut found = registry.map(|tool| line(tool, target, strict, budget.is_some()));
    let (declared, invalid) = partition(&mut found);
    let all = declared.len();
    let declared = match budget {
        None => declared.into_iter().map(|one| one.text).collect(),
        Some(budget) => {
            let counted = declared.into_iter().map(|one| (one.text, one.tokens));
            let selected = budget.select(counted.collect(), registry, |tool| target.print(tool));
            match selected {
                Ok(selected) => selected,
                Err(failure) => return declare_nothing(args, failure.into(), io),
            }
        }
    };
    if args.verbose.verbose {
        print_notes(&found, &declared, all, io);
    }
    if args.yaml {
        io.print(yaml(&declared)?.as_bytes())?;
    } else {
        print_json(&declared, io)?;
    }
    if strict && !invalid.is_empty() {
        return Err(invalid.into());
    }
    for diagnostic in registry.config_errors() {
        io.report(Severity::Error, diagnostic);
    }
    let warnings = [invalid, found.unmatched].concat();
    if args.verbose.verbose {
        for diagnostic in &warnings {
            io.report(Severity::Warning, diagnostic);
        }
    } else {
        io.warn(&warnings, &"--verbose shows each of them".into());
    }
    Ok(())
}

/// Checks the declarations of `registry` against `cogtools.lock`.
fn check_lock(registry: &Registry, io: &Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let (path, shown) = project.resolve(Lock::FILE.as_ref());
    let lock = Lock::read(&path, &shown).map_err(|diagnostic| *diagnostic)?;
    let diagnostics = lock.drift(&Snapshot::of(
        registry,
        project.root(),
        project.display_path(),
    ));
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics.into())
    }
}

/// The valid declarations, and all errors.
fn partition(found: &mut Found<Line>) -> (Vec<Declared>, Vec<Diagnostic>) {
    let mut invalid: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(SourceError::diagnostic)
        .collect();
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

fn line(tool: Result<Tool, ToolError>, target: Target, strict: bool, counted: bool) -> Line {
    let checked = tool.and_then(|tool| {
        if strict {
            tool.check().map(|()| tool)
        } else {
            Ok(tool)
        }
    });
    match checked {
        Ok(tool) => {
            let rejections = target.rejections(&tool);
            if !rejections.is_empty() {
                return Line::Invalid(rejections);
            }
            Line::Declared(Declared {
                text: target.print(&tool),
                tokens: if counted { tool.tokens() } else { 0 },
            })
        }
        Err(error) => Line::Invalid(error.diagnostics()),
    }
}

/// Prints one declaration per line, in chunks: copying the declarations of thousands
/// of tools into one string would cost more than printing them.
fn print_json(declared: &[String], io: &mut Io<'_>) -> Result<(), Failure> {
    const CHUNK_BYTES: usize = 64 << 10;
    if declared.is_empty() {
        return io.print(b"[]\n");
    }
    let mut chunk = String::with_capacity(CHUNK_BYTES);
    for (index, text) in declared.iter().enumerate() {
        chunk.push_str(if index == 0 { "[\n" } else { ",\n" });
        chunk.push_str(text);
        if chunk.len() >= CHUNK_BYTES {
            io.print(chunk.as_bytes())?;
            chunk.clear();
        }
    }
    chunk.push_str("\n]\n");
    io.print(chunk.as_bytes())
}

fn yaml(declared: &[String]) -> Result<String, Failure> {
    let values: Result<Vec<Value>, _> = declared
        .iter()
        .map(|text| serde_json::from_str(text))
        .collect();
    let failed = |cause: &dyn std::error::Error| {
        Diagnostic::new(
            Code::Internal,
            format!("the declarations cannot be printed as YAML: {cause}"),
        )
    };
    let values = values.map_err(|error| failed(&error))?;
    Ok(serde_yaml::to_string(&values).map_err(|error| failed(&error))?)
}
