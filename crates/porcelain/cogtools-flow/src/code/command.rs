//! The command line of `cogtools code`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, CommandFactory as _, Parser, Subcommand};
use cogtools_agent::{Journal, begin_session, session_named};
use cogtools_code::{
    Decisions, Explanation, Person, Program as Code_, Recorded, Report, Scope, line,
    store_and_next, verdict,
};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Code, Diagnostic, estimate_tokens, fail_on};
use cogtools_log::ProgramStatus;
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::format::FormatArg;
use cogtools_program::project::{self, registry_and_context};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::sanitize_lines;
use cogtools_program::{
    Failure, Input, Io, Program, SignalGuard, Stdin, man, named_file, text_input,
};
use serde_json::{Map, Value};

use super::call::CallArgs;
use super::manual::MANUAL;
use super::question::agree;
use crate::journal;
use crate::run::given_results;

/// The program `cogtools-code`.
pub const PROGRAM: Program = Program {
    name: "cogtools-code",
    command: CodeArgs::command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Program::JS_CODES,
        Program::SESSION_CODES,
        &[
            Code::BudgetSpent,
            Code::InvalidArgumentsSyntax,
            Code::SchemaViolation,
            Code::CodeTypes,
            Code::CodeDiverged,
            Code::ApprovalWanted,
            Code::CodeInterrupted,
            Code::Denied,
            Code::InvalidConfig,
        ],
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

/// Run, check, explain and resume programs that call tools
#[derive(Parser)]
#[command(
    arg_required_else_help = true,
    long_about = "Work with programs in JavaScript or TypeScript that call tools: the body of a \
        function, with `tools.NAME(args)` for each tool of the project. A model writes one program \
        instead of twenty calls; you can read it, approve it, and resume it."
)]
struct CodeArgs {
    #[command(subcommand)]
    command: Option<CodeCommand>,
}

#[derive(Subcommand)]
enum CodeCommand {
    Run(RunArgs),
    /// Report calls that do not fit the types of the tools; nothing runs
    Check {
        #[command(flatten)]
        source: SourceArgs,
    },
    /// Say which tools a program calls, and which of the calls need a yes; nothing runs
    Explain {
        #[command(flatten)]
        source: SourceArgs,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Print the tools as TypeScript
    Types {
        /// Print names and descriptions instead, if the types have more tokens than this
        #[arg(long, value_name = "TOKENS")]
        budget: Option<usize>,
        #[command(flatten)]
        tools: ToolArgs,
    },
    Resume(ResumeArgs),
    Call(CallArgs),
}

/// The program, and the tools that it can call.
#[derive(Args)]
#[group(skip)]
struct SourceArgs {
    /// The program; by default, standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    tools: ToolArgs,
}

/// The tools in scope, and the rules for their calls.
#[derive(Args)]
#[group(skip)]
struct ToolArgs {
    /// Run calls of these tools without a question
    #[arg(long, value_name = "PATTERN")]
    allow: Vec<String>,
    /// Run no calls of these tools
    #[arg(long, value_name = "PATTERN")]
    deny: Vec<String>,
    #[command(flatten)]
    registry: RegistryArgs,
}

/// Run a program, and print its output and its result
#[derive(Args)]
#[group(skip)]
struct RunArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The value of `args`: a JSON object
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// Number of calls that the program may make
    #[arg(long, value_name = "N", default_value_t = Code_::MAX_CALLS)]
    calls: usize,
    /// Run templates and JavaScript alone, and show each call with its result or an example of it
    #[arg(long)]
    dry_run: bool,
    /// Wait in the session for approvals instead of asking or denying
    #[arg(long)]
    pause: bool,
    /// The file of the session, which may exist; by default, a new one of the project
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArg,
}

/// Go on with a program that was interrupted or waits for an approval
#[derive(Args)]
#[group(skip)]
struct ResumeArgs {
    /// The session, by its name or its file; by default, the newest one
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Run this call again, although it may have run already
    #[arg(long, value_name = "STEP")]
    repeat: Vec<String>,
    /// The result of a call that was interrupted, which does not run again
    #[arg(long, value_name = "STEP=JSON")]
    result: Vec<String>,
    /// Run this call, which waits
    #[arg(long, value_name = "STEP")]
    approve: Vec<String>,
    /// Do not run this call, which waits, for a reason that the program reads
    #[arg(long, value_name = "STEP=WHY")]
    reject: Vec<String>,
    #[command(flatten)]
    tools: ToolArgs,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    io.keep_sessions();
    let arguments: CodeArgs = args::parse(matches)?;
    match arguments.command {
        None => Err(PROGRAM.missing_subcommand()),
        Some(CodeCommand::Run(command)) => command.run(io),
        Some(CodeCommand::Resume(command)) => command.run(io),
        Some(CodeCommand::Call(command)) => command.run(io),
        Some(CodeCommand::Check { source }) => {
            let code = source.read("check", io)?;
            let scope = source.tools.scope(io)?;
            let explanation = Explanation::of(&code, &scope);
            let mistakes = explanation.unparsed.into_iter();
            let mistakes: Vec<Diagnostic> = mistakes.chain(explanation.mistakes).collect();
            Ok(fail_on(Diagnostic::truncate(mistakes))?)
        }
        Some(CodeCommand::Explain { source, format }) => {
            let code = source.read("explain", io)?;
            let mut explanation = Explanation::of(&code, &source.tools.scope(io)?);
            if let Some(unparsed) = explanation.unparsed.take() {
                return Err(unparsed.into());
            }
            if format.is_json() {
                return io.show_json(&format!("{}\n", explanation.to_json()));
            }
            io.show(&table(&explanation))
        }
        Some(CodeCommand::Types { budget, tools }) => types(budget, &tools.scope(io)?, io),
    }
}

/// The calls of a program as text: tool, line, decision, arguments.
fn table(explanation: &Explanation) -> String {
    let mut text = String::new();
    for call in &explanation.calls {
        let arguments = call.arguments.as_ref();
        let arguments = arguments.map_or_else(|| "computed".to_owned(), Value::to_string);
        let changes = if call.changes {
            "may change something"
        } else {
            "changes nothing"
        };
        let _ = writeln!(
            text,
            "{}: line {}, {changes}, {} ({}), {arguments}",
            call.tool,
            call.line,
            verdict(call.approval.decision),
            call.approval.why.in_words(),
        );
    }
    if explanation.is_computed {
        text += "tools with computed names\n";
    }
    if text.is_empty() {
        text += "no tools\n";
    }
    text
}

fn types(budget: Option<usize>, scope: &Scope, io: &mut Io<'_>) -> Result<(), Failure> {
    let (text, _) = scope.describe(&scope.names);
    if budget.is_none_or(|budget| estimate_tokens(&text) <= budget) {
        return io.show(&text);
    }
    let found = scope.find_all("");
    io.show(&found.iter().map(|tool| line(tool)).collect::<String>())
}

impl SourceArgs {
    fn read(&self, command: &str, io: &mut Io<'_>) -> Result<String, Failure> {
        let code = match &self.file {
            Some(path) => text_input::utf8(named_file::read(path, Input::MAX_BYTES, io)?)?,
            None => text_input::read_text(io, &format!("cogtools code {command} < program.js"))?,
        };
        Code_::check_length(&code)?;
        Ok(code)
    }
}

impl ToolArgs {
    fn scope(&self, io: &Io<'_>) -> Result<Scope, Failure> {
        let config = project::config(&project::project(io), io)?;
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let cx = context.context(io);
        let rules = (self.allow.as_slice(), self.deny.as_slice());
        Ok(Scope::with_rules(registry, cx, &config.ask, rules))
    }
}

impl RunArgs {
    fn run(self, io: &mut Io<'_>) -> Result<(), Failure> {
        let scope = self.source.tools.scope(io)?;
        scope.start_worker();
        let code = self.source.read("run", io)?;
        let args = match &self.args {
            Some(json) => {
                let bytes = json.clone().into_bytes();
                let read = Arguments::read_from("--args", bytes, Syntax::Json);
                let read = read.map_err(|error| error.diagnostic().with_subject("--args"))?;
                read.into_object()
            }
            None => Map::new(),
        };
        // A dry run asks no more than one that pauses.
        let mut person = person(self.pause || self.dry_run, io);
        let (code, explanation, consent) = agree(code, &scope, &person, io)?;
        let mut program = Code_::new(code, args);
        program.max_calls = self.calls;
        program.is_dry = self.dry_run;
        program.consent = consent;
        if !explanation.mistakes.is_empty() {
            let report = Report::of_mistakes(&program.name, explanation.mistakes);
            return print(&report, None, &self.format, io);
        }
        program.explanation = Some(explanation);
        if self.dry_run {
            let report = guarded(program, &scope, None, &mut person)?;
            if !self.format.is_json() {
                io.show(&sanitize_lines(&report.trace()))?;
            }
            return print(&report, None, &self.format, io);
        }
        let session = open(self.session.as_deref(), &mut program, io)?;
        let name = session.as_ref().map(|(_, name)| name.clone());
        program.session.clone_from(&name);
        let journal = session.map(|(journal, _)| journal);
        let mut report = guarded(program, &scope, journal, &mut person)?;
        for error in &mut report.errors {
            if error.code == Code::BudgetSpent {
                error.hints.push("--calls allows more".into());
            }
        }
        print(&report, name.as_deref(), &self.format, io)
    }
}

/// The journal of a new session, or of the file that the user names; and its name.
fn open(
    file: Option<&Path>,
    program: &mut Code_,
    io: &Io<'_>,
) -> Result<Option<(Journal, String)>, Failure> {
    let existing = file.map(|path| session_named(path, io));
    if let Some(file) = existing.filter(|file| file.path().exists()) {
        let (log, session) = journal::open(&file, io)?;
        let (store, next) = store_and_next(&session, &file.blobs(), "p")?;
        (program.store, program.name) = (store, next);
        return Ok(Some((Journal::resume(log, &session, None), file.name())));
    }
    let begun = begin_session(file, "", io)?;
    Ok(begun.map(|(log, file)| (Journal::new(log), file.name())))
}

/// The person who decides about calls, unless the program `pauses`.
fn person(pauses: bool, io: &Io<'_>) -> Person {
    let prompt = Prompt::of(io);
    Person { prompt, pauses }
}

/// Runs `program`; signals cancel it.
fn guarded(
    program: Code_,
    scope: &Scope,
    mut journal: Option<Journal>,
    person: &mut Person,
) -> Result<Report, Failure> {
    let signals = SignalGuard::begin(scope.cancel());
    let report = match &mut journal {
        Some(journal) => program.run_in(scope, journal, person),
        None => program.run(scope, None, person),
    };
    match signals.status() {
        Some(status) => Err(Failure::Reported(status)),
        None => Ok(report),
    }
}

impl ResumeArgs {
    fn run(self, io: &mut Io<'_>) -> Result<(), Failure> {
        let file = journal::locate(self.session.as_deref(), "program", io)?;
        let (log, session) = journal::open(&file, io)?;
        let recorded = Recorded::read(&session, &file.blobs(), None)?;
        let decisions = Decisions {
            results: given_results(&self.result)?,
            approve: [self.approve, self.repeat.clone()].concat(),
            repeat: self.repeat,
            reject: reasons(&self.reject)?,
        };
        let mut program = Code_::resumed(recorded, decisions)?;
        let scope = self.tools.scope(io)?;
        let name = file.name();
        program.session = Some(name.clone());
        let journal = Journal::resume(log, &session, session.head());
        let report = guarded(program, &scope, Some(journal), &mut person(true, io))?;
        print(&report, Some(&name), &self.format, io)
    }
}

/// The reasons in `STEP=WHY`.
fn reasons(given: &[String]) -> Result<BTreeMap<String, Option<String>>, Failure> {
    let split = |text: &String| {
        let (step, why) = text.split_once('=').ok_or_else(|| {
            let diagnostic = Diagnostic::new(Code::Usage, "a rejection needs a reason");
            let diagnostic = diagnostic.with_subject(text.as_str());
            Failure::from(diagnostic.hint(format!("--reject {text}=WHY")))
        })?;
        Ok((step.to_owned(), Some(why.to_owned())))
    };
    given.iter().map(split).collect()
}

/// Prints the report: the output, then the failure; or all of it as JSON.
fn print(
    report: &Report,
    session: Option<&str>,
    format: &FormatArg,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    if format.is_json() {
        let mut json = report.to_json();
        json["session"] = session.into();
        io.show_json(&format!("{json}\n"))?;
        return match report.error() {
            Some(error) => Err(Failure::Reported(error.code.status())),
            None => Ok(()),
        };
    }
    let text = report.text();
    if !report.output.is_empty() || report.status == ProgramStatus::Completed {
        io.show(&format!("{text}\n"))?;
    }
    if report.status == ProgramStatus::Completed {
        return Ok(());
    }
    Err(report.errors.clone().into())
}
