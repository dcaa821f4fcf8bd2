//! The command line and what a run does.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Fault};
use cogtools_program::args::{self, required};
use cogtools_program::project::{config, project, surroundings};
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};

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
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "GOLDEN FILES",
        "What an example must give stands in a golden file beside the tool: NAME.1.golden for the first example of NAME.yaml, NAME.2.golden for the second. It holds exactly the bytes that a call prints, and belongs into version control.\n\n--update writes the golden files that differ or are missing, removes those that have no example any more, and names each of them. Look at what it has written before you commit it. A result that differs from call to call, or a call that fails, is never written.",
    ),
    (
        "WAYS",
        "Each example is called in three ways, as hosts do: with its arguments as JSON, as YAML, and by the tool file itself, as its first line would run it. All must give the same bytes. A tool that runs a command runs it three times.\n\n--spawn also starts the programs: cogtools-call with the tool's name, with JSON and with YAML, and the tool file as a program. This takes some milliseconds for each, and proves that they are where hosts find them.",
    ),
    (
        "WHAT IS AT FAULT",
        "broken\n  The file is not a valid tool.\n\nschema\n  The example does not fit the parameters.\n\ntemplate\n  The template does not render.\n\ntool\n  The tool gives no result: it failed, was not allowed to run, or did not end in time.\n\ngolden\n  The result is not what the golden file holds. A difference shows which lines: - from the golden file, + from the result. Control characters are spelled out, spaces at the end of a line are dots.\n\nmissing\n  There is no golden file.\n\nstale\n  There is a golden file, but no such example.\n\nway\n  The ways of calling do not agree, or the file cannot be run as a program though it begins with #!.",
    ),
    (
        "FORMATS",
        "human: a line a tool, and below it what failed.\n\njson: one object: tools, a list of objects with name, file, status (passed, failed or empty), examples, failures and removed; and summary. An example has number, file, line, column, golden, status (passed or failed), written and failures. A failure has at, message, detail, faults and hints.\n\njunit: JUnit XML, a testsuite a tool and a testcase an example, for the servers that run tests. Times are left out, so that the same files give the same report.\n\nThe exit status is 0 when everything passed; a tool without examples passes.",
    ),
    (
        "WATCHING",
        "--watch tests once, and then again whenever a file has changed: a tool file, a golden file, a template in the folders of the tools, or the configuration. A change of one tool tests that tool, any other change tests all. It does not end by itself; press Ctrl-C.",
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
        .about("Run the examples of tools and compare with their golden files")
        .long_about(
            "Call each tool with each of its examples, in every way in which a host may, and \
             compare the result with the golden file beside the tool. Without TOOL all tools of \
             the project around the current directory are tested.",
        )
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("Names of tools, tool files, or folders of them"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["human", "json", "junit"])
                .default_value("human")
                .help("The form of the report"),
        )
        .arg(
            flag("update")
                .help("Write the golden files that differ, remove those without an example"),
        )
        .arg(flag("spawn").help("Start the real programs too, as a host does"))
        .arg(
            flag("watch")
                .conflicts_with("update")
                .help("Run again whenever a file has changed, until Ctrl-C"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let request = Request::from_matches(matches)?;
    if !request.watch {
        return request.once(None, io);
    }
    if request.format != Format::Human {
        let fault = Fault::new(Code::Usage, "--watch has no report for programs");
        return Err(fault.hint("leave --format or --watch out").into());
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

    /// The tools that are tested now.
    pub(crate) fn targets(&self, io: &Io<'_>) -> Result<Targets, Failure> {
        let config = config(&project(io), io)?;
        Targets::collect(&self.tools, &config, &io.cwd)
    }

    /// Tests once and prints the report; after a change only what it touches.
    pub(crate) fn once(&self, changed: Option<&Changed>, io: &mut Io<'_>) -> Result<(), Failure> {
        let mut targets = self.targets(io)?;
        if let Some(changed) = changed {
            changed.narrow(&mut targets);
        }
        let spawner = if self.spawn {
            let project = project(io);
            Some(Spawner::new(io, project.root(), &targets.by_path)?)
        } else {
            None
        };
        let project = project(io);
        let priority = config(&project, io)?.env_priority;
        let runner = Runner {
            update: self.update,
            spawner,
            surroundings: surroundings(io, &project, priority),
        };
        let suites = runner.run(&targets);
        let text = output::text(self.format, &suites, io.colour(Stream::Stdout));
        match self.format {
            Format::Human => io.print(text.as_bytes())?,
            Format::Json => io.show_json(&text)?,
            Format::Junit => io.show(&text)?,
        }
        if suites.is_empty() && targets.faults.is_empty() && self.tools.is_empty() {
            io.report(Severity::Warning, &nothing());
        }
        let mut faults = targets.faults;
        faults.extend(failed(&suites));
        if faults.is_empty() {
            return Ok(());
        }
        Err(faults.into())
    }
}

fn failed(suites: &[Suite]) -> Option<Fault> {
    let flaws: Vec<_> = suites.iter().flat_map(Suite::all_flaws).collect();
    if flaws.is_empty() {
        return None;
    }
    let message = pluralize(flaws.len(), "failure");
    let fault = Fault::new(Code::TestFailed, message);
    let fault = fault.hint("the report on standard output says what is at fault");
    Some(if flaws.iter().any(|flaw| flaw.blame.is_of_goldens()) {
        fault.hint("cogtools test --update makes the golden files what the tools say now")
    } else {
        fault
    })
}

fn nothing() -> Fault {
    Fault::new(Code::ToolNotFound, "this project has no tools yet")
        .hint("cogtools new NAME writes a first one")
        .hint("cogtools init sets the project up, with an example")
}
