//! The command line, and a run of the tests.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::{self, EnvArgs, required};
use cogtools_program::call::quote;
use cogtools_program::project::{config, context, project};
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};
use fancy_regex::Regex;

use crate::denied;
use crate::history::History;
use crate::manual;
use crate::output::{self, Format};
use crate::pattern;
use crate::review;
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
    ],
    variables: man::TOOLS,
    manual: manual::SECTIONS,
};

/// The command line.
pub(crate) struct Request {
    tools: Vec<OsString>,
    mode: Mode,
    spawn: bool,
    fail_fast: bool,
    coverage: bool,
    only: Option<Regex>,
    env: EnvArgs,
    format: Format,
}

/// What a run does besides testing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Test,
    /// Writes golden files.
    Update,
    /// Asks whether to write them.
    Review,
    /// Runs again after each change.
    Watch,
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
        .arg(
            flag("review")
                .conflicts_with_all(["update", "watch"])
                .help("Show each golden file that differs, and ask whether to write it"),
        )
        .arg(
            Arg::new("test")
                .short('t')
                .long("test")
                .value_name("PATTERN")
                .help("Only examples where this regular expression matches in TOOL.NAME or TOOL.N"),
        )
        .arg(flag("fail-fast").help("End with the first failure"))
        .arg(flag("coverage").help(
            "Also show the branches of templates and the optional properties that no example reaches",
        ))
        .arg(args::sandbox_arg())
        .arg(flag("spawn").help("Also start the actual programs, as hosts do"))
        .arg(
            flag("watch")
                .conflicts_with("update")
                .help("Run again whenever a file changes, until Ctrl-C"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let request = Request::from_matches(matches)?;
    let option = match request.mode {
        Mode::Watch => "--watch",
        Mode::Review => "--review",
        Mode::Test | Mode::Update => return request.run_once(None, io),
    };
    if request.format != Format::Human {
        let message = format!("{option} supports only the format human");
        let diagnostic = Diagnostic::new(Code::Usage, message);
        return Err(diagnostic.hint(format!("omit --format or {option}")).into());
    }
    if request.mode == Mode::Watch {
        return watch::run(&request, io);
    }
    review::check_terminal(io, &request.words())?;
    request.run_once(None, io)
}

impl Mode {
    fn from_matches(matches: &ArgMatches) -> Self {
        match () {
            () if matches.get_flag("update") => Self::Update,
            () if matches.get_flag("review") => Self::Review,
            () if matches.get_flag("watch") => Self::Watch,
            () => Self::Test,
        }
    }
}

impl Request {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let format: String = required(matches, "format")?;
        let only = matches.get_one::<String>("test").map(|text| {
            pattern::compile(text).map_err(|message| {
                let diagnostic = Diagnostic::new(Code::Usage, message);
                Box::new(diagnostic.hint("a name is a pattern, too: -t facepalm, or -t facepalm.1"))
            })
        });
        Ok(Self {
            tools: args::all(matches, "tool"),
            mode: Mode::from_matches(matches),
            spawn: matches.get_flag("spawn"),
            fail_fast: matches.get_flag("fail-fast"),
            coverage: matches.get_flag("coverage"),
            only: only.transpose().map_err(|diagnostic| *diagnostic)?,
            env: EnvArgs::sandbox_from_matches(matches),
            format: Format::parse(&format),
        })
    }

    /// The tools on the command line, each with a space before it.
    fn words(&self) -> String {
        let mut words = String::new();
        for tool in &self.tools {
            words.push(' ');
            words.push_str(&quote(&tool.to_string_lossy()));
        }
        words
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
        let runner = self.runner(&targets, io)?;
        if let Some(diagnostic) = denied::check(&targets, &runner.cx) {
            return Err(diagnostic.into());
        }
        let history = History::read(&runner.cx);
        // The order of a report for programs depends on the files alone.
        if self.format == Format::Human || self.fail_fast {
            history.sort(&mut targets.files);
        }
        let mut suites = runner.run(&targets);
        if self.mode == Mode::Review {
            review::run(&mut suites, io)?;
        }
        history.record(&suites);
        if let Some(only) = self.only.as_ref().filter(|_| suites.is_empty()) {
            return Err(no_match(only).into());
        }
        self.report(&suites, io)?;
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

    fn runner(&self, targets: &Targets, io: &Io<'_>) -> Result<Runner, Failure> {
        let project = project(io);
        let config = config(&project, io)?;
        let bounds = self.env.bounds(&config);
        let cx = context(io, &project, config.env_priority, bounds);
        let spawner = if self.spawn {
            Some(Spawner::new(io, &cx, &targets.by_path)?)
        } else {
            None
        };
        Ok(Runner {
            update: self.mode == Mode::Update,
            spawner,
            cx,
            only: self.only.clone(),
            fail_fast: self.fail_fast,
            coverage: self.coverage,
        })
    }

    fn report(&self, suites: &[Suite], io: &mut Io<'_>) -> Result<(), Failure> {
        let text = output::text(self.format, suites, io.colour(Stream::Stdout));
        match self.format {
            Format::Human => io.print(text.as_bytes()),
            Format::Json => io.show_json(&text),
            Format::Junit => io.show(&text),
        }
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

/// A run that tests nothing must not pass: the pattern is probably wrong.
fn no_match(only: &Regex) -> Diagnostic {
    let message = format!("no example matches `{}`", only.as_str());
    Diagnostic::new(Code::Usage, message)
        .hint("the pattern is searched in TOOL.NAME or TOOL.N, such as facepalm.1")
}

fn no_tools() -> Diagnostic {
    Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
        .hint("cogtools new NAME creates one")
        .hint("cogtools init sets the project up, with an example")
}
