//! `cogtools lock`: pins what each source of a project declares.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::{Code, Fault, Lock, SourceError, Survey};
use cogtools_program::project::{project, unfiltered_registry};
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, file, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-lock",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "THE LOCK FILE",
        "cogtools.lock stands at the project's root and is committed with it. For each source, by the name that its user knows, and for each tool that the source declares it has one line: the SHA-256 of the declaration in the form for Gemini CLI (as compact JSON with the keys of every object sorted), and the beginnings of such hashes for its parts, by which a difference is named. What filters leave out, and what an earlier source shadows, is pinned too. A broken tool is not declared, and is named on standard error.\n\nA source that cannot be asked is an error, and nothing is written.",
    ),
    (
        "DRIFT",
        "With --check nothing is written: every difference between cogtools.lock and what the sources declare now is an error. `cogtools-discover --locked` does the same before it declares anything.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools lock\n\n    cogtools lock --check\n\n    cogtools-discover --locked",
    ),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Pin what each source of tools declares")
        .long_about(
            "Write cogtools.lock at the project's root: what each source declares, a tool a \
             line. `cogtools-discover --locked` then declares that and nothing else.",
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing, and fail when the file would change"),
        )
}

/// The command line.
struct LockArgs {
    check: bool,
}

impl LockArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            check: matches.get_flag("check"),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = LockArgs::from_matches(matches);
    let project = project(io);
    let survey = Survey::of(&unfiltered_registry(io, None)?, project.shown());
    let (path, shown) = project.resolve(Lock::FILE.as_ref());
    let known = path.exists().then(|| Lock::read(&path, &shown));
    if args.check {
        let known = known.unwrap_or_else(|| Lock::read(&path, &shown));
        let faults = known.map_err(|fault| *fault)?.drift(&survey);
        warn(&survey, io);
        if !faults.is_empty() {
            return Err(faults.into());
        }
        return io.show(&format!("unchanged {}\n", shown.display()));
    }
    if !survey.dead.is_empty() {
        let faults: Vec<Fault> = survey.dead.iter().map(SourceError::fault).collect();
        return Err(faults.into());
    }
    let text = survey.lock.text();
    let done = match known {
        Some(Ok(lock)) if lock == survey.lock => "unchanged",
        Some(_) => {
            file::write(&path, text.as_bytes()).map_err(|error| unwritten(&shown, &error))?;
            "updated"
        }
        None => {
            file::create(&path, text.as_bytes(), false)
                .map_err(|error| unwritten(&shown, &error))?;
            "created"
        }
    };
    warn(&survey, io);
    let (sources, tools) = survey.lock.counts();
    let line = format!(
        "{done} {}: {} of {}\n",
        shown.display(),
        pluralize(tools, "tool"),
        pluralize(sources, "source")
    );
    io.show(&line)
}

fn warn(survey: &Survey, io: &mut Io<'_>) {
    for fault in &survey.broken {
        io.report(Severity::Warning, fault);
    }
}

fn unwritten(shown: &std::path::Path, error: &std::io::Error) -> Fault {
    let message = format!("`{}` cannot be written: {error}", shown.display());
    Fault::new(Code::IoFailed, message).hint("make room, or make it and its folder writable")
}
