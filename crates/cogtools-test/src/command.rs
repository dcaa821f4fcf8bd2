//! The command line, and a run of the tests.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::{self, required};
use cogtools_program::project::{config, context, project};
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};

use crate::denied;
use crate::output::{self, Format};
use crate::runner::Runner;
use crate::spawn::Spawner;
use crate::suite::Suite;
use crate::target::Targets;
use crate::watch::{self, Changed};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-test",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::TestFailed,
        Code::Denied,
        Code::InvalidTool,
        Code::InvalidConfig,
        Code::ToolNotFound,
        Code::Denied,
    ],
    variables: man::TOOLS,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "GOLDEN FILES",
        "The expected output of an example is in a golden file beside the tool: NAME.1.golden for the first example of NAME.yaml, NAME.2.golden for the second. It contains exactly the bytes that a call prints; commit it.\n\n--update writes the golden files that differ or are missing, removes those without an example, and names each of them. Review them before you commit. A result that differs between calls, and that of a call that fails, is never written.",
    ),
    (
        "INVOCATIONS",
        "Each example is called in three ways, as hosts do: with its arguments as JSON, with them as YAML, and through the tool file's own first line. All three must print the same bytes. A tool that runs a program runs it three times.\n\n--spawn also starts the programs: `cogtools-call` with the tool's name, with JSON and with YAML, and the tool file as a program. This takes a few milliseconds each, and proves that they are where hosts find them.",
    ),
    (
        "FAILURES",
        "The label after the example says what to fix:\n\nbroken\n  The tool file is invalid.\n\nschema\n  The example does not match the parameters.\n\ntemplate\n  The template does not render.\n\nimplementation\n  The program of the implementation cannot be started.\n\ntool\n  The tool returned no result: it failed, is not approved, or timed out. The lines that begin with a bar are the last that its program wrote to standard error or, if it wrote none there, to standard output.\n\ngolden\n  The result differs from the golden file. In the diff, - marks lines of the golden file and + lines of the result. Control characters are escaped, and spaces at the end of a line are shown as dots.\n\nmissing\n  The golden file does not exist.\n\nstale\n  The golden file has no example.\n\ninvocation\n  The invocations disagree, or the file cannot be run as a program although it begins with #!.",
    ),
    (
        "FORMATS",
        "human: one line per tool, followed by its failures.\n\njson: one object: tools, an array of objects with name, file, status (passed, failed or empty), examples, failures and removed; and summary. An example has number, file, line, column, golden, status (passed or failed), written and failures. A failure has at, message, detail, faults and hints.\n\njunit: JUnit XML for continuous integration, with a testsuite per tool and a testcase per example. Times are left out, so that the same files give the same report.\n\nThe exit status is 0 if everything passed; a tool without examples passes.",
    ),
    (
        "WATCHING",
        "--watch runs the tests, and runs them again whenever a file changes: a tool file, a golden file, a template in the folders of the tools, or the configuration. A change to one tool runs the tests of that tool; any other change runs all. Press Ctrl-C to stop.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools test\n\n    cogtools test --update facepalm\n\n    cogtools test --watch\n\n    cogtools test --format junit > report.xml",
    ),
];

/// The command line.
pub(crate) struct Request {
    tools: Vec<OsString>,
    update: bool,
    spawn: bool,
    watch: bool,
    format: Format,
}

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new(PROGRAM.name)
        .about("Run the examples of tools and compare them with golden files")
        .long_about(
            "Call each tool with each of its examples, in every way that hosts do, and compare the \
             result with the golden file beside the tool. Without TOOL, all tools of the project \
             that contains the current directory are tested.",
        )
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("Names of tools, tool files, or folders that contain them"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["human", "json", "junit"])
                .default_value("human")
                .help("Format of the report"),
        )
        .arg(
            flag("update")
                .help("Write the golden files that differ, and remove those without an example"),
        )
        .arg(flag("spawn").help("Also start the actual programs, as hosts do"))
        .arg(
            flag("watch")
                .conflicts_with("update")
                .help("Run again whenever a file changes, until Ctrl-C"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let request = Request::from_matches(matches)?;
    if !request.watch {
        return request.run_once(None, io);
    }
    if request.format != Format::Human {
        let diagnostic = Diagnostic::new(Code::Usage, "--watch supports only the format human");
        return Err(diagnostic.hint("omit --format or --watch").into());
    }
    watch::run(&request, io)
}

impl Request {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let format: String = required(matches, "format")?;
        Ok(Self {
            tools: args::all(matches, "tool"),
            update: matches.get_flag("update"),
            spawn: matches.get_flag("spawn"),
            watch: matches.get_flag("watch"),
            format: Format::parse(&format),
        })
    }

    /// The tools to test.
    pub(crate) fn targets(&self, io: &Io<'_>) -> Result<Targets, Failure> {
        let config = config(&project(io), io)?;
        Targets::collect(&self.tools, &config, io)
    }

    /// Runs the tests once and prints the report; after a change, only the tests that it affects.
    pub(crate) fn run_once(
        &self,
        changed: Option<&Changed>,
        io: &mut Io<'_>,
    ) -> Result<(), Failure> {
        let mut targets = self.targets(io)?;
        if let Some(changed) = changed {
            changed.filter(&mut targets);
        }
        let spawner = if self.spawn {
            let project = project(io);
            Some(Spawner::new(io, project.root(), &targets.by_path)?)
        } else {
            None
        };
        let project = project(io);
        let config = config(&project, io)?;
        let cx = context(io, &project, config.env_priority, config.limits);
        if let Some(diagnostic) = denied::check(&targets, &cx) {
            return Err(diagnostic.into());
        }
        let runner = Runner {
            update: self.update,
            spawner,
            cx,
        };
        let suites = runner.run(&targets);
        let text = output::text(self.format, &suites, io.colour(Stream::Stdout));
        match self.format {
            Format::Human => io.print(text.as_bytes())?,
            Format::Json => io.show_json(&text)?,
            Format::Junit => io.show(&text)?,
        }
        if suites.is_empty() && targets.diagnostics.is_empty() && self.tools.is_empty() {
            io.report(Severity::Warning, &no_tools());
        }
        let mut diagnostics = targets.diagnostics;
        diagnostics.extend(summarize(&suites));
        if diagnostics.is_empty() {
            return Ok(());
        }
        Err(diagnostics.into())
    }
}

fn summarize(suites: &[Suite]) -> Option<Diagnostic> {
    let failures: Vec<_> = suites.iter().flat_map(Suite::all_failures).collect();
    if failures.is_empty() {
        return None;
    }
    let message = pluralize(failures.len(), "failure");
    let diagnostic = Diagnostic::new(Code::TestFailed, message)
        .hint("the report on standard output shows what to fix");
    Some(
        if failures
            .iter()
            .any(|failure| failure.kind.is_golden_related())
        {
            diagnostic.hint("cogtools test --update accepts the current results as golden files")
        } else {
            diagnostic
        },
    )
}

fn no_tools() -> Diagnostic {
    Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
        .hint("cogtools new NAME creates one")
        .hint("cogtools init sets the project up, with an example")
}
