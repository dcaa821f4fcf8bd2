//! The program: check, fix what can be fixed, check again, report.

use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::{Code, Diagnostic, Project};
use cogtools_edit::{ApplyError, Change, Plan, Step};
use cogtools_program::format::FormatArg;
use cogtools_program::project::project;
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, Program, Stdin, args, man};

use crate::checks;
use crate::checks::headless;
use crate::checks::settings::planned_change;
use crate::context::Context;
use crate::finding::{Finding, State, human, json};

/// `cogtools doctor`.
pub const PROGRAM: Program = Program {
    name: "cogtools-doctor",
    command: DoctorArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::Unhealthy]],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    ("CHECKS", CHECKS),
    ("WHAT IS RUN", RUN),
    ("JSON", JSON),
    ("ENVIRONMENT", ENVIRONMENT),
    ("EXAMPLES", EXAMPLES),
];

const CHECKS: &str = "\
configuration
  Whether .cogtoolrc.yaml is valid and the folders that it names can be read, and whether a file has \
its name almost.

sources
  Which packages and providers require approval; see `cogtools-trust(1)`.

gemini
  Each Gemini CLI that can be started from here, its version, and which keys it reads. In a project \
that has the server of cogtools for other hosts, and nothing for Gemini CLI, the checks up to headless \
are left out.

settings
  Whether Gemini CLI can read its settings files, and whether they contain the commands of cogtools or its MCP server.

commands
  Whether these commands are on PATH, in this version.

trust
  Whether Gemini CLI trusts the folder, and therefore reads the project's settings.

discovery
  Runs the discovery command, if one is set, as Gemini CLI does, and checks its output.

call
  Calls a tool implemented by a template as Gemini CLI does.

headless
  Which tools the policies allow without a prompt for confirmation (gemini -p).

mcp
  The MCP servers in the settings: their names and commands, and tools that are declared twice. \
Whether the other hosts that `cogtools init` knows can read their files, those of the project and, \
if they name cogtools, the user's; whether the server of cogtools in them starts and lists tools, \
and the folder that it serves exists.

tools
  Tool files that are invalid, unreachable, not executable although they begin with #!, or named \
.yml; links to nothing; programs that are not found and variables that are not set, of tools that \
may run; and references to tools that no longer exist.

sandbox
  What this system enforces of `sandbox` in tools and sources, and what no sandbox stops.

editor
  If a source is `editor`: which editor answers here, and why not another one; see \
`cogtools-editor(1)`.

manual
  Whether the installed manual pages match the installed programs.

budget
  What all tools together cost with every request: a warning above 8000 tokens or 100 tools.\n\n\
A warning means that tools work, but not everywhere, or at a cost. A problem means that a host \
does not see a tool, cannot call it, or does not start; the exit status is then 1. Each is followed \
by its fix, a command after which it is gone, or where no program can know what is right, by a hint.";

const RUN: &str = "\
The discovery command is run, and one call is made, in the project, with the environment of \
this process, each for at most 20 seconds. Only a tool implemented by a template is called, since \
templates have no side effects. Unless Gemini CLI trusts the folder, a command from the settings \
is run only if it is `cogtools-discover` or `cogtools-call` from PATH. gemini --version is run \
only if the version is not in its package. Of MCP servers, only `cogtools mcp` is started, if its \
entry has no variables and no options but `--project`. Providers that the user \
has approved are queried for their declarations.\n\n\
`--fix` changes the project's .gemini/settings.json: it removes a byte order \
mark and trailing commas, which Gemini CLI cannot read, and adds what `cogtools init` adds. It \
removes the same marks and commas from the project's files of other hosts. Where the sandbox of a server \
under `mcpServers` has denied a file, it adds the key that permits it to .cogtoolrc.yaml; the server \
then needs another approval. It changes nothing else. Files in the home directory are never changed: what to do there is printed.";

const JSON: &str = "\
One object: project, the directory; findings, an array of objects with check, state (ok, \
warning or problem), message, details (lines that belong to it), fix (the command after which it is gone) or hint (what to change), and \
fixable (whether --fix can do it); \
fixed, the files that were written; problems and warnings, the number of each.";

const ENVIRONMENT: &str = "\
GEMINI_CLI_HOME, GEMINI_CLI_SYSTEM_DEFAULTS_PATH, GEMINI_CLI_TRUSTED_FOLDERS_PATH, \
GEMINI_CLI_TRUST_WORKSPACE, GEMINI_RESTRICTED_MODE
  Read as Gemini CLI reads them.

PATH
  Where to search for gemini and for the commands in its settings.

HOME, XDG_CONFIG_HOME, CODEX_HOME, GOOSE_PATH_ROOT
  Where the files of Claude Desktop, Codex and Goose are.";

const EXAMPLES: &str = "    cogtools doctor\n\n    \
cogtools doctor --fix\n\n    \
cogtools doctor --policy >> ~/.gemini/policies/cogtools.toml\n\n    \
cogtools doctor --format json | jq -r '.findings[] | select(.state == \"problem\") | .fix // .hint'";

/// Diagnose and fix problems between hosts and this project's tools
#[derive(Parser)]
#[command(
    long_about = "Examine the project that contains the current directory the way its hosts do: \
        read the settings that Gemini CLI reads, run what it runs, and call a tool as it would. \
        Each problem is shown with its fix."
)]
struct DoctorArgs {
    /// Fix what can be fixed safely inside the project, then check again
    #[arg(long)]
    fix: bool,
    /// Print only the policy that allows the tools without a terminal
    #[arg(long, conflicts_with_all = ["fix", "format", "json"])]
    policy: bool,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: DoctorArgs = args::parse(matches)?;
    if !io.cwd.is_dir() {
        let message = "the working directory no longer exists";
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        return Err(diagnostic.hint("change to a directory that exists").into());
    }
    let mut cx = Context::gather(io);
    if args.policy {
        return io.show(&headless::policy(&cx));
    }
    let mut results = run_all(&cx);
    let mut fixed = Vec::new();
    if args.fix && !cx.host.cancel.is_cancelled() {
        fixed = apply(&results, &cx)?;
        fixed.extend(permit(&cx, io)?);
        if !fixed.is_empty() {
            cx = Context::gather(io);
            results = run_all(&cx);
        }
    }
    // After a cancellation, the report would be incomplete.
    if cx.host.cancel.is_cancelled() {
        return Ok(());
    }
    if args.format.is_json() {
        let report = json(cx.root(), &results, &fixed);
        io.show_json(&format!("{report:#}\n"))?;
    } else {
        let colour = io.colour(Stream::Stdout);
        let report = human(&results, &fixed, io.reporter.directory(), colour);
        io.print(report.as_bytes())?;
    }
    if count(&results, State::Problem) > 0 {
        return Err(Failure::Reported(Code::Unhealthy.status()));
    }
    Ok(())
}

/// Fixes the fixable findings in `results`, and returns the files that were written.
pub(crate) fn apply(results: &[CheckResult], cx: &Context) -> Result<Vec<PathBuf>, Failure> {
    let mut findings = results.iter().flat_map(|result| &result.findings);
    if !findings.any(|finding| finding.fixable && finding.state != State::Ok) {
        return Ok(Vec::new());
    }
    let repairs = cx.host_files.iter().filter_map(|file| file.repair.clone());
    let changes: Vec<Change> = planned_change(cx).into_iter().chain(repairs).collect();
    let files = changes.iter().map(|change| change.file.clone()).collect();
    let plan = Plan {
        steps: changes.into_iter().map(Step::Write).collect(),
    };
    plan.apply()
        .map_err(ApplyError::diagnostic)
        .map_err(Failure::from)?;
    Ok(files)
}

/// Permits what the sandboxes of servers have denied, and returns the file that was written, if one was.
fn permit(cx: &Context, io: &Io<'_>) -> Result<Option<PathBuf>, Failure> {
    let project = project(io);
    for denied in &cx.tools.denied {
        let permitted = denied.permit(&project);
        permitted.map_err(|error| Failure::from(error.diagnostics()))?;
    }
    let is_written = !cx.tools.denied.is_empty();
    Ok(is_written.then(|| PathBuf::from(Project::CONFIG)))
}

/// Produces the findings of a check.
type Check = fn(&Context) -> Vec<Finding>;

/// The name of a check and its findings.
pub(crate) struct CheckResult {
    pub(crate) name: &'static str,
    pub(crate) findings: Vec<Finding>,
}

/// Every check, by its name in the report and in the manual; true for a check of Gemini CLI alone,
/// which a project for other hosts does not need.
const ALL: [(&str, bool, Check); 15] = [
    ("configuration", false, checks::configuration::check),
    ("sources", false, checks::sources::check),
    ("gemini", false, checks::gemini::check),
    ("settings", true, checks::settings::check),
    ("commands", true, checks::commands::check),
    ("trust", true, checks::trust::check),
    ("discovery", true, checks::discovery::check),
    ("call", true, |cx| vec![checks::commands::check_call(cx)]),
    ("headless", true, headless::check),
    ("mcp", false, checks::mcp::check),
    ("tools", false, checks::tools::check),
    ("sandbox", false, checks::sandbox::check),
    (checks::editor::NAME, false, checks::editor::check),
    ("manual", false, checks::manual::check),
    ("budget", false, checks::budget::check),
];

/// Runs every check on `cx`.
pub(crate) fn run_all(cx: &Context) -> Vec<CheckResult> {
    let is_for_gemini = cx.is_for_gemini();
    ALL.into_iter()
        .filter(|(_, is_of_gemini, _)| is_for_gemini || !is_of_gemini)
        .map(|(name, _, check)| CheckResult {
            name,
            findings: check(cx),
        })
        // Few projects ask an editor.
        .filter(|result| result.name != checks::editor::NAME || !result.findings.is_empty())
        .collect()
}

/// The number of findings in `state`.
pub(crate) fn count(results: &[CheckResult], state: State) -> usize {
    let findings = results.iter().flat_map(|result| &result.findings);
    findings.filter(|finding| finding.state == state).count()
}
