//! The program: look, mend what may be mended, look again, report.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::{Code, Fault};
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Stdin};

use crate::check;
use crate::checks::headless;
use crate::finding::State;
use crate::scene::Scene;
use crate::{fix, report};

/// `cogtools doctor`.
pub const PROGRAM: Program = Program {
    name: "cogtools-doctor",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    ("CHECKS", CHECKS),
    ("WHAT IS RUN", RUN),
    ("JSON", JSON),
    ("EXAMPLES", EXAMPLES),
];

const CHECKS: &str = "\
configuration
  Whether .cogtoolrc.yaml and the folders that it names can be read.

sources
  Packages and providers that wait for the user's word, and `cogtools-trust(1)` for each.

gemini
  Every Gemini CLI that starts from here, its version, and which keys it reads.

settings
  Whether Gemini CLI can read its settings files, and finds our commands in them.

commands
  Whether these commands are on PATH, and of this version.

trust
  Whether Gemini CLI trusts the folder, and so reads the project's settings.

discovery
  Runs the discovery command as Gemini CLI does, and reads what it prints.

call
  Calls a tool that is a pure template as Gemini CLI does.

headless
  Which tools the policies allow where nobody can be asked (gemini -p).

mcp
  The MCP servers in the settings: names, commands, tools that are told twice.

tools
  Tool files that are broken or never reached, and names of tools that are gone.

manual
  Whether the installed manual pages are those of the installed programs.

budget
  What all tools together cost the model with every request: a warning above 8000 tokens \
or 100 tools.\n\n\
A warning means that tools work, but not for everybody or at a price. A problem means that \
some host does not see a tool, cannot call it, or does not start; then the exit status is 1. \
Below each stands what mends it.";

const RUN: &str = "\
The discovery command is run, and one call is made, with the environment of this process, \
in the project, for 20 seconds at most. Only a tool that is a template is called: it can do \
nothing but answer. Unless Gemini CLI trusts the folder, a command from the settings is run \
only when it is `cogtools-discover` or `cogtools-call` from PATH. A gemini is asked for its \
version only when its package does not tell. MCP servers are never started. A provider that the user has allowed is asked what it \
declares.\n\n\
`--fix` writes .gemini/settings.json of the project and nothing else: it takes out a byte \
order mark and trailing commas, which Gemini CLI cannot read, and adds the commands that \
`cogtools init` adds. Files in your home directory are yours: what they need is printed.";

const JSON: &str = "\
One object: project, the directory; findings, a list of objects with check, state (ok, \
warning or problem), message, fix (what mends it, where that is known) and fixable (whether \
--fix does); fixed, the files that were written; problems and warnings, how many there are.";

const EXAMPLES: &str = "    cogtools doctor\n\n    \
cogtools doctor --fix\n\n    \
cogtools doctor --policy >> ~/.gemini/policies/cogtools.toml\n\n    \
cogtools doctor --format json | jq -r '.findings[] | select(.state == \"problem\") | .fix'";

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Find what keeps hosts from the tools of this project, and mend it")
        .long_about(
            "Look at the project around the current directory as its hosts would: read the \
             settings that Gemini CLI reads, run what it runs, call a tool as it calls one. Each \
             problem is shown with what mends it.",
        )
        .arg(
            Arg::new("fix")
                .long("fix")
                .action(ArgAction::SetTrue)
                .help("Mend what can be mended safely inside the project, then look again"),
        )
        .arg(
            Arg::new("policy")
                .long("policy")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["fix", "format"])
                .help("Only print the policy that allows the tools without a terminal"),
        )
        .arg(format_arg().help("A report for people, or one JSON object"))
}

/// The command line.
struct DoctorArgs {
    fix: bool,
    policy: bool,
    json: bool,
}

impl DoctorArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            fix: matches.get_flag("fix"),
            policy: matches.get_flag("policy"),
            json: json_from_matches(matches),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = DoctorArgs::from_matches(matches);
    if !io.cwd.is_dir() {
        let message = "the working directory does not exist any more";
        let fault = Fault::new(Code::IoFailed, message);
        return Err(fault.hint("change to a directory that exists").into());
    }
    let mut scene = Scene::look(io);
    if args.policy {
        return io.show(&headless::policy(&scene));
    }
    let mut results = check::all(&scene);
    let mut fixed = Vec::new();
    if args.fix && !scene.cancel.is_asked() {
        fixed = fix::apply(&results, &scene)?;
        if !fixed.is_empty() {
            scene = Scene::look(io);
            results = check::all(&scene);
        }
    }
    // Whoever has asked for the end waits for no report of what was cut short.
    if scene.cancel.is_asked() {
        return Ok(());
    }
    if args.json {
        let report = report::json(scene.root(), &results, &fixed);
        io.show_json(&format!("{report:#}\n"))?;
    } else {
        let colour = io.colour(Stream::Stdout);
        io.print(report::human(&results, &fixed, colour).as_bytes())?;
    }
    if check::count(&results, State::Problem) > 0 {
        return Err(Failure::Status(Code::Unhealthy.status()));
    }
    Ok(())
}
