//! `cogtools-test`: runs the examples of tools and compares the results with golden files.
//!
//! Each example is called in every way that a host may call it, through the same code as a
//! real call.

mod fixture;
mod golden;
mod history;
mod invocation;
mod js_coverage;
mod junit;
mod report;
mod review;
mod runner;
mod suite;
mod target;
mod watch;

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::approval::approve;
use cogtools_core::environment::OFFLINE;
use cogtools_core::hint::{Command, Hint};
use cogtools_core::trust::Verdict;
use cogtools_core::{Code, Diagnostic, fail_on, load_all};
use cogtools_program::args::{self, EnvArgs, SandboxArg};
use cogtools_program::call::quote;
use cogtools_program::project::{config, context, project};
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};
use fancy_regex::Regex;
use history::History;
use invocation::Spawner;
use report::Format;
use runner::Runner;
use suite::Suite;
use target::Targets;
use watch::Changed;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-test",
    command: TestArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Program::PROJECT_CODES,
        &[Code::TestFailed, Code::ToolNotFound],
    ],
    variables: man::TOOLS,
    manual: SECTIONS,
};

/// Run the examples of tools and compare them with golden files
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(
    long_about = "Call each tool with each of its examples, in every way that hosts do, and compare \
        the result with the golden file beside the tool. Without TOOL, all tools of the project \
        that contains the current directory are tested."
)]
struct TestArgs {
    /// Names of tools, tool files, or folders that contain them
    #[arg(id = "tool", value_name = "TOOL")]
    tools: Vec<OsString>,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "human")]
    format: Format,
    /// Same as --format json
    #[arg(long, overrides_with = "format")]
    json: bool,
    /// Write the golden files that differ, and remove those without an example
    #[arg(long)]
    update: bool,
    /// Make the requests of tools with http, and write recordings and golden files
    #[arg(long, conflicts_with_all = ["review", "watch"])]
    record: bool,
    /// Show each golden file that differs, and ask whether to write it
    #[arg(long, conflicts_with_all = ["update", "watch"])]
    review: bool,
    /// Only examples where this regular expression matches in TOOL.NAME or TOOL.N
    #[arg(short = 't', long = "test", value_name = "PATTERN")]
    test: Option<String>,
    /// Fail with status 127 if there is no tool to test
    #[arg(long)]
    strict: bool,
    /// End with the first failure
    #[arg(long)]
    fail_fast: bool,
    /// Also show the branches, optional properties and values of enums that no example reaches
    #[arg(long)]
    coverage: bool,
    #[command(flatten)]
    sandbox: SandboxArg,
    /// Also start the actual programs, as hosts do
    #[arg(long)]
    spawn: bool,
    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with = "update")]
    watch: bool,
    /// Limits the examples to those where it matches in TOOL.NAME or TOOL.N.
    #[arg(skip)]
    only: Option<Regex>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut args: TestArgs = args::parse(matches)?;
    if args.json {
        args.format = Format::Json;
    }
    args.update |= args.record;
    let only = args.test.as_deref().map(|text| {
        suite::compile(text).map_err(|message| {
            let diagnostic = Diagnostic::new(Code::Usage, message);
            Box::new(diagnostic.hint("a name is a pattern, too: -t facepalm, or -t facepalm.1"))
        })
    });
    args.only = only.transpose()?;
    let option = match (args.watch, args.review) {
        (true, _) => "--watch",
        (_, true) => "--review",
        _ => return args.run_once(None, io),
    };
    if args.format != Format::Human {
        let message = format!("{option} supports only the format human");
        let diagnostic = Diagnostic::new(Code::Usage, message);
        return Err(diagnostic.hint(format!("omit --format or {option}")).into());
    }
    if args.watch {
        return watch::run(&args, io);
    }
    review::check_terminal(io, &args.words())?;
    args.run_once(None, io)
}

impl TestArgs {
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
    fn targets(&self, io: &Io<'_>) -> Result<Targets, Failure> {
        let config = config(&project(io), io)?;
        Targets::collect(&self.tools, &config, io)
    }

    /// Runs the tests once and prints the report; after a change, only the tests that it affects.
    fn run_once(&self, changed: Option<&Changed>, io: &mut Io<'_>) -> Result<(), Failure> {
        let mut targets = self.targets(io)?;
        if let Some(changed) = changed {
            changed.filter(&mut targets);
        }
        let runner = self.runner(&targets, io)?;
        if let Some(diagnostic) = denied(&targets, &runner) {
            return Err(diagnostic.into());
        }
        let history = History::read(&runner.cx);
        // The order of a report for programs depends on the files alone.
        if self.format == Format::Human || self.fail_fast {
            history.sort(&mut targets.files);
        }
        let mut suites = runner.run(&targets);
        if self.review {
            review::run(&mut suites, io)?;
        }
        history.record(&suites);
        if let Some(only) = self.only.as_ref().filter(|_| suites.is_empty()) {
            return Err(no_match(only).into());
        }
        let is_empty = suites.is_empty() && targets.diagnostics.is_empty();
        match self.format {
            Format::Human => {
                let text = report::human(&suites, io.colour(Stream::Stdout));
                io.print(text.as_bytes())
            }
            Format::Json => io.show_json(&report::json(&suites)),
            Format::Junit => io.show(&junit::text(&suites)),
        }?;
        if is_empty && self.strict {
            return Err(no_tools(targets.has_others).into());
        }
        if is_empty && self.tools.is_empty() {
            io.report(Severity::Warning, &no_tools(targets.has_others));
        }
        let mut diagnostics = targets.diagnostics;
        diagnostics.extend(summarize(&suites));
        Ok(fail_on(diagnostics)?)
    }

    fn runner(&self, targets: &Targets, io: &Io<'_>) -> Result<Runner<'_>, Failure> {
        let project = project(io);
        let config = config(&project, io)?;
        let bounds = EnvArgs::from(self.sandbox).bounds(&config);
        let mut cx = context(io, &project, config.env_priority, bounds);
        if !self.record {
            cx.environment = cx.environment.with_variable(OFFLINE, "1");
        }
        let spawner = self.spawn.then(|| Spawner::new(io, &cx, &targets.by_path));
        Ok(Runner {
            args: self,
            spawner: spawner.transpose()?,
            cx,
        })
    }
}

fn summarize(suites: &[Suite]) -> Option<Diagnostic> {
    let failures: Vec<_> = suites.iter().flat_map(Suite::all_failures).collect();
    if failures.is_empty() {
        return None;
    }
    let message = pluralize(failures.len(), "failure");
    let mut diagnostic = Diagnostic::new(Code::TestFailed, message)
        .hint("the report on standard output shows what to fix");
    if failures.iter().any(|it| it.kind.is_golden_related()) {
        let hint = "cogtools test --update accepts the current results as golden files";
        diagnostic = diagnostic.hint(hint);
    }
    Some(diagnostic)
}

/// A run that tests nothing must not pass: the pattern is probably wrong.
fn no_match(only: &Regex) -> Diagnostic {
    let message = format!("no example matches `{}`", only.as_str());
    Diagnostic::new(Code::Usage, message)
        .hint("the pattern is searched in TOOL.NAME or TOOL.N, such as facepalm.1")
}

fn no_tools(has_others: bool) -> Diagnostic {
    if has_others {
        return Diagnostic::new(Code::ToolNotFound, "this project has no tool files")
            .hint(target::NO_FILES);
    }
    Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
        .hint("cogtools new NAME creates one")
        .hint("cogtools init sets the project up, with an example")
        .hint("in a script, --strict makes this an error")
}

/// One error for all `targets` whose examples would run programs of a project that is not
/// trusted: each of them would fail alike.
fn denied(targets: &Targets, runner: &Runner<'_>) -> Option<Diagnostic> {
    let cx = &runner.cx;
    let verdict = cx.trust.project_verdict(&cx.root);
    if verdict.is_ok_and(|verdict| verdict == Verdict::Approved) {
        return None;
    }
    let errors = load_all(&targets.files, |_, tool| {
        let tool = tool
            .ok()
            .filter(|tool| tool.runs_programs() && !tool.tests().is_empty())
            .filter(|tool| runner.args.record || tool.request().is_none())?;
        approve(&tool, cx).err()
    });
    let mut denied = errors.into_iter().flatten().filter(|error| {
        let asks_for_trust = |hint: &Hint| match hint {
            Hint::Run { command, .. } => matches!(command, Command::TrustProject(_)),
            Hint::Text(_) | Hint::Names(_) => false,
        };
        error.hints.iter().any(asks_for_trust)
    });
    let mut first = *denied.next()?;
    let count = 1 + denied.count();
    let verb = if count == 1 { "runs" } else { "run" };
    first.subject.clear();
    first.message = format!(
        "nothing was tested: {} {verb} programs, and the project is not trusted",
        pluralize(count, "tool")
    );
    Some(first)
}

/// The sections after the options.
pub(crate) const SECTIONS: &[(&str, &str)] = &[
    (
        "EXPECTATIONS",
        "An example is a map of arguments, or a map with the key arguments and any of these keys. A tool with a parameter named arguments has only the first form.\n\nname\n  The example's name, which its golden file and reports use instead of its number. It is formed like a tool's name, and unique in the tool.\n\nwith\n  Of a flow: what the tools that it calls answer in this example without being called, a map by their names or capabilities. Of a program: PATH, a folder beside the tool whose programs come before those of PATH, and files, a map from paths to texts: it runs in a new temporary folder with them instead of the project's root.\n\nredact\n  A regular expression or a list of them. What they match in the result is replaced by [redacted] before it is compared and written: times, temporary paths, hashes.\n\ncontains\n  A text or a list of them, each of which is in the result.\n\nmatches\n  A regular expression or a list of them, each of which matches somewhere in the result.\n\nfails\n  The code that the call fails with: TOOL_FAILED, SCHEMA_VIOLATION, TEMPLATE_FAILED or TIMEOUT. With it, contains and matches are about the message. Hosts do not show such an example to a model.\n\nIn a regular expression ^ and $ match at the beginning and the end of a line. An example with contains, matches or fails has no golden file.",
    ),
    (
        "GOLDEN FILES",
        "The expected output of an example is in a golden file beside the tool: TOOL.1.golden for the first example of TOOL.yaml, TOOL.2.golden for the second, TOOL.NAME.golden for one with a name. It contains exactly the bytes that a call prints; commit it.\n\n--update writes the golden files that differ or are missing, removes those without an example, and names each of them. Review them before you commit. --review shows the differences one by one and asks: accept writes or removes the golden file, reject and skip leave it as it is, quit skips the rest. A result that differs between calls, and that of a call that fails, is never written.",
    ),
    (
        "INVOCATIONS",
        "Each example is called in three ways, as hosts do: with its arguments as JSON, with them as YAML, and through the tool file's own first line. All three must print the same bytes. A tool that runs a program and is not read_only in its annotations is called once, with JSON, because each call may change something; the same is true of an example with fails.\n\n--spawn also starts the programs: `cogtools-call` with the tool's name, with JSON and with YAML, and the tool file as a program; tools that are called once are left out. This takes a few milliseconds each, and proves that they are where hosts find them.",
    ),
    (
        "FAILURES",
        "The label after the example says what to fix:\n\nbroken\n  The tool file is invalid.\n\nschema\n  The example does not match the parameters.\n\ntemplate\n  The template does not render.\n\nimplementation\n  The program of the implementation cannot be started.\n\ntool\n  The tool returned no result: it failed, is not approved, or timed out. The lines that begin with a bar are the last that its program wrote to standard error or, if it wrote none there, to standard output.\n\nassertion\n  The result, or the failure, is not what the example expects.\n\ngolden\n  The result differs from the golden file. In the diff, - marks lines of the golden file and + lines of the result. Control characters are escaped, and spaces at the end of a line are shown as dots.\n\nmissing\n  The golden file does not exist.\n\nstale\n  The golden file has no example.\n\nrecording\n  The recorded responses do not fit the requests: in the difference, - marks the nearest recorded request and + the new one.\n\ninvocation\n  The invocations disagree, or the file cannot be run as a program although it begins with #!.",
    ),
    (
        "ORDER",
        "The tools that failed last are tested and reported first; the reports for programs have the order of the files, unless --fail-fast is given. The record is in the user's folder for state, not in the project.",
    ),
    (
        "COVERAGE",
        "--coverage shows what the examples reach: each branch of a template (if, elif, else, case, default, the body of a loop and what is printed for an empty list, and both sides of an inline if), also in templates that it includes, in commands and in their conditions (when), each branch of JavaScript (if, else, both sides of ?:, case, default, and what is right of &&, || and ??, once an example evaluates it), each choice of a router and condition of a node in a flow, each optional property, and each value of an enum. What no example reaches has a line: the file, the line of its condition, and the condition. The last line counts all. Examples with fails do not count. It is a report, and changes no exit status.",
    ),
    (
        "FORMATS",
        "human: one line per tool, followed by its failures.\n\njson: one object: tools, an array of objects with name, file, status (passed, failed or empty), examples, failures and removed; and summary. An example has number, name, file, line, column, golden, status (passed or failed), written and failures. A failure has at, message, detail, faults and hints.\n\njunit: JUnit XML for continuous integration, with a testsuite per tool and a testcase per example. Each has its time in seconds; the other formats have no times, so that the same files give the same report.\n\nWith --coverage, each tool in json has coverage: branches, an array of objects with file, line, column, condition and taken; and properties, an array of objects with pointer, path and set; and values, an array of objects with path, value and used. summary has their numbers: branches, taken, properties, set, values and used.\n\nThe exit status is 0 if everything passed; a tool without examples passes.",
    ),
    (
        "WATCHING",
        "--watch runs the tests, and runs them again whenever a file changes: a tool file, a golden file, a template in the folders of the tools, or the configuration. A change to one tool runs the tests of that tool; any other change runs all. Press Ctrl-C to stop.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools test\n\n    cogtools test --update facepalm\n\n    cogtools test --review\n\n    cogtools test --watch\n\n    cogtools test --coverage\n\n    cogtools test -t facepalm --fail-fast\n\n    cogtools test --format junit > report.xml",
    ),
];
