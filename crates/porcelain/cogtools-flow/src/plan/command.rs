//! The command line of `cogtools plan`.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, CommandFactory as _, Parser, Subcommand};
use cogtools_agent::{BudgetArgs, ModelArgs, ModelOptions, TapeArgs};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::view::{Results, Run};
use cogtools_log::{Event, Header, NodeState, Session, SessionFile};
use cogtools_model::Part;
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::format::FormatArg;
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Input, Io, Program, Stdin, man, named_file, text_input};
use serde_json::{Value, json};

use super::approval;
use super::contract::{Contract, coded};
use super::program::Programs;
use super::question;
use super::references::{HydrateInput, ResolveInput, hydrate, resolve};
use super::resume::ResumeArgs;
use super::show::{Forecasts, report, table};
use super::steps::PlanRun;
use crate::journal::{self, NewSessionArgs, SessionFileArg};
use crate::run::SessionArg;

/// The program `cogtools-plan`.
pub const PROGRAM: Program = Program {
    name: "cogtools-plan",
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Program::PROJECT_CODES,
        Program::MODEL_CODES,
        Program::SESSION_CODES,
        &[
            Code::InvalidArgumentsSyntax,
            Code::SchemaViolation,
            Code::NoJson,
            Code::ContractViolation,
            Code::MissingReference,
            Code::StepFailed,
            Code::ApprovalWanted,
            Code::InvalidRecording,
            Code::Timeout,
        ],
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

/// Plan with a model; check, run, show and resume plans
#[derive(Parser)]
#[command(
    args_conflicts_with_subcommands = true,
    long_about = "Work with plans that a model writes as one JSON object. With a question, a model \
        plans, and the plan runs once you agree. Each command reads a file or standard input; only \
        run and resume call tools."
)]
struct PlanArgs {
    /// The task that a model plans for; standard input is added to it
    #[arg(value_name = "QUESTION")]
    question: Vec<String>,
    #[command(flatten)]
    options: QuestionArgs,
    #[command(subcommand)]
    command: Option<PlanCommand>,
}

/// The options of a question, without the options of models and tools.
#[derive(Args)]
#[group(skip)]
pub(super) struct QuestionArgs {
    /// Run the plan without a question
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Print the plan instead of running it
    #[arg(long, conflicts_with = "yes")]
    pub(super) no_run: bool,
    /// Run steps with these tools without a question
    #[arg(long, value_name = "PATTERN")]
    pub(super) allow: Vec<String>,
    /// Run no plan with these tools
    #[arg(long, value_name = "PATTERN")]
    pub(super) deny: Vec<String>,
    #[command(flatten)]
    pub(super) stream_json: StreamJsonArg,
    #[command(flatten)]
    session: SessionFileArg,
}

impl QuestionArgs {
    /// The file of the new session, if one is named.
    pub(super) fn session_file(&self) -> Option<&Path> {
        self.session.session.as_deref()
    }
}

/// The command line of a question.
pub(super) struct Asking {
    pub(super) question: QuestionArgs,
    pub(super) model: ModelOptions,
    pub(super) registry: RegistryArgs,
}

impl Asking {
    fn of(matches: &ArgMatches, question: QuestionArgs) -> Result<Self, Failure> {
        Ok(Self {
            question,
            model: ModelOptions::from_matches(matches)?,
            registry: RegistryArgs::from_matches(matches),
        })
    }
}

#[derive(Args)]
#[group(skip)]
pub(super) struct StreamJsonArg {
    /// Print what happens, one JSON object per line
    #[arg(long)]
    pub(super) stream_json: bool,
}

#[derive(Args)]
#[group(skip)]
struct PlanFile {
    /// The plan; by default, standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Args)]
#[group(skip)]
struct FileOrSession {
    /// The plan: a file, or a session by its name; by default, standard input or, if that is empty
    /// or a terminal, the newest session
    #[arg(value_name = "FILE|SESSION")]
    plan: Option<String>,
}

#[derive(Subcommand)]
enum PlanCommand {
    /// Print the contract in a model's text, normalised
    Check(PlanFile),
    Run(RunArgs),
    /// Show the steps of a plan, with their states and what they need
    Show {
        #[command(flatten)]
        plan: FileOrSession,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Say what a plan will do, with which tools; nothing runs
    Explain {
        #[command(flatten)]
        plan: FileOrSession,
        #[command(flatten)]
        registry: RegistryArgs,
        #[command(flatten)]
        format: FormatArg,
    },
    Resume(ResumeArgs),
    /// Ask a model for another plan after one that has failed, with the results so far
    Replan(SessionArg),
    /// Print arguments with references replaced by results
    Resolve,
    /// Print a reply with placeholders replaced by results
    Hydrate,
}

/// Run the steps of a plan, and print its reply
#[derive(Args)]
#[group(skip)]
struct RunArgs {
    #[command(flatten)]
    plan: PlanFile,
    #[command(flatten)]
    session: NewSessionArgs,
    #[command(flatten)]
    stream_json: StreamJsonArg,
    #[command(flatten)]
    registry: RegistryArgs,
}

fn command() -> Command {
    let asking = |command: Command| {
        command
            .args(args::args_of::<TapeArgs>())
            .args(args::args_of::<ModelArgs>())
            .args(args::args_of::<BudgetArgs>())
            .args(RegistryArgs::options())
    };
    asking(PlanArgs::command()).mut_subcommand("replan", |command| {
        asking(command.mut_arg("session", |arg| arg.id("logged")))
            .args(args::args_of::<QuestionArgs>())
    })
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    io.keep_sessions();
    if let Some(("replan", matches)) = matches.subcommand() {
        return replan(matches, io);
    }
    let arguments: PlanArgs = args::parse(matches)?;
    let Some(command) = arguments.command else {
        let task = task(&arguments.question, io)?;
        return question::run(&Asking::of(matches, arguments.options)?, task, io);
    };
    match command {
        PlanCommand::Check(file) => {
            let contract = file.read("check", io)?;
            io.show_json(&format!("{}\n", contract.to_json()))
        }
        PlanCommand::Resolve => {
            let bytes = text_input::read_bytes(io, "cogtools plan resolve < step.json")?;
            let ResolveInput { args, records } = ResolveInput::read(bytes)?;
            let resolved = resolve(args, &records)?;
            io.show_json(&format!("{resolved}\n"))
        }
        PlanCommand::Hydrate => {
            let bytes = text_input::read_bytes(io, "cogtools plan hydrate < reply.json")?;
            let input = HydrateInput::read(bytes)?;
            let text = hydrate(&input.template, &input.last, &input.records)?;
            io.show(&format!("{text}\n"))
        }
        PlanCommand::Show { plan, format } => {
            let plan = plan.read("show", io)?;
            if format.is_json() {
                return io.show_json(&format!("{:#}\n", plan.with(report)));
            }
            let colour = io.colour(Stream::Stdout);
            let text = plan.with(|contract, run| table(contract, run, colour));
            io.print(text.as_bytes())
        }
        PlanCommand::Explain {
            plan,
            registry,
            format,
        } => {
            let plan = plan.read("explain", io)?;
            let programs = Programs::load(&registry, &[], io)?;
            let colour = io.colour(Stream::Stdout);
            let text = plan.with(|contract, run| {
                let forecasts = Forecasts::of(contract, run, &programs);
                if format.is_json() {
                    return format!("{:#}\n", forecasts.to_json());
                }
                forecasts.text(colour)
            });
            io.print(text.as_bytes())
        }
        PlanCommand::Run(command) => command.run(io),
        PlanCommand::Resume(command) => command.run(io),
        PlanCommand::Replan(_) => Err(PROGRAM.missing_subcommand()),
    }
}

/// The question: the words, and standard input.
fn task(words: &[String], io: &mut Io<'_>) -> Result<Vec<Part>, Failure> {
    let text = words.join(" ");
    let commands = PlanArgs::command();
    let commands = commands.get_subcommands().map(Command::get_name);
    // A command that is misspelt must not cost money.
    if !text.trim().contains(char::is_whitespace)
        && let Some(hint) = did_you_mean(text.trim(), commands)
    {
        let message = format!("`{}` is not a command", text.trim());
        let diagnostic = Diagnostic::new(Code::Usage, message).hint(hint);
        return Err(diagnostic.hint("a question has several words").into());
    }
    let mut parts = Vec::new();
    if !text.trim().is_empty() {
        parts.push(Part::text_of(text));
    }
    if !io.stdin.is_terminal() {
        let input = text_input::read_text(io, "cogtools plan QUESTION < notes.txt")?;
        if !input.trim().is_empty() {
            parts.push(Part::text_of(input));
        }
    }
    if parts.is_empty() {
        let diagnostic = Diagnostic::new(Code::Usage, "there is no question");
        let diagnostic = diagnostic.hint("cogtools plan \"What is the date in a week?\"");
        return Err(diagnostic
            .hint("cogtools plan --help lists the commands")
            .into());
    }
    Ok(parts)
}

/// Asks a model for a plan that takes the place of one that has failed. It gets the results so
/// far, and the failure.
fn replan(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: QuestionArgs = args::parse(matches)?;
    let name = matches.get_one::<String>("logged").map(String::as_str);
    let file = journal::locate(name, "plan", io)?;
    let session = journal::read(&file)?;
    let branch = session.branch(None);
    let run = journal::last(&branch, "plan", &file)?;
    let contract = contract_of(&run)?;
    let results = run.results(&file)?.nodes;
    let failures = run.nodes.values().filter_map(|node| match node.state {
        NodeState::Failed { code, message } => {
            Some(json!({"step": node.id, "code": code, "message": message}))
        }
        _ => None,
    });
    let text = format!(
        "{}\n\nA plan for this has failed:\n{}\n\nThe results of its steps:\n{}\n\nThe failures:\n\
         {}\n\nPlan the rest in another way. No step of the old plan can be referred to: write the \
         results that you need into the arguments and the reply.",
        contract.restatement,
        contract.to_json(),
        json!(results),
        Value::Array(failures.collect()),
    );
    question::run(&Asking::of(matches, args)?, vec![Part::text_of(text)], io)
}

impl PlanFile {
    /// Reads the plan for `command`.
    fn read(&self, command: &str, io: &mut Io<'_>) -> Result<Contract, Failure> {
        let text = text_of(self.file.as_deref(), command, io)?;
        Ok(Contract::parse(&text)?)
    }
}

/// The text of `file` or, without one, of standard input for `command`.
fn text_of(file: Option<&Path>, command: &str, io: &mut Io<'_>) -> Result<String, Failure> {
    match file {
        Some(path) => Ok(text_input::utf8(named_file::read(
            path,
            Input::MAX_BYTES,
            io,
        )?)?),
        None => text_input::read_text(io, &format!("cogtools plan {command} < plan.json")),
    }
}

/// A plan, and the session in which it has run.
enum FoundPlan {
    New(Box<Contract>),
    Logged(Box<Contract>, Box<Session>),
}

impl FoundPlan {
    /// The result of `show` for the plan and its run.
    fn with<T>(&self, show: impl FnOnce(&Contract, Option<&Run<'_>>) -> T) -> T {
        match self {
            Self::New(contract) => show(contract, None),
            Self::Logged(contract, session) => {
                let run = Run::last(&session.branch(None), "plan");
                show(contract, run.as_ref())
            }
        }
    }
}

impl FileOrSession {
    /// Reads the plan for `command`.
    fn read(&self, command: &str, io: &mut Io<'_>) -> Result<FoundPlan, Failure> {
        let new = |text: &str| -> Result<FoundPlan, Failure> {
            Ok(FoundPlan::New(Box::new(Contract::parse(text)?)))
        };
        let name = self.plan.as_deref();
        if name.is_none() && !io.stdin.is_terminal() {
            let text = text_of(None, command, io)?;
            if !text.trim().is_empty() {
                return new(&text);
            }
        }
        if let Some(path) = name.filter(|name| SessionFile::is_path(name)) {
            let text = text_of(Some(path.as_ref()), command, io)?;
            let first = text.lines().next().unwrap_or_default();
            if serde_json::from_str::<Header>(first).is_err() {
                return new(&text);
            }
        }
        let file = journal::locate(name, "plan", io)?;
        let session = journal::read(&file)?;
        let contract = contract_of(&journal::last(&session.branch(None), "plan", &file)?)?;
        Ok(FoundPlan::Logged(Box::new(contract), Box::new(session)))
    }
}

/// The plan of a run in a session. Reasons of earlier versions may be blank.
pub(super) fn contract_of(run: &Run<'_>) -> Result<Contract, Failure> {
    let mut plan = match &run.entry.event {
        Event::Plan { plan, .. } => plan.clone(),
        _ => Value::Null,
    };
    let steps = plan.get_mut("tool_plan").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten() {
        if step["reason"]
            .as_str()
            .is_some_and(|it| it.trim().is_empty())
        {
            step["reason"] = "-".into();
        }
    }
    let checked = Contract::check(&plan);
    Ok(checked.map_err(|violations| coded(violations, Code::InvalidSession))?)
}

impl RunArgs {
    /// Runs the plan that the command line names.
    fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let contract = self.plan.read("run", io)?;
        let programs = Programs::load(&self.registry, &[], io)?;
        let (recorder, resume) = self.session.begin("plan", io)?;
        recorder.plan(&contract, false, &[])?;
        let mut run = PlanRun {
            contract,
            results: Results::default(),
            programs,
            resume,
            recorder,
            streams: self.stream_json.stream_json,
        };
        run.check()?;
        // The user has named the other steps.
        approval::agree(&mut run, None, false, io)?;
        run.run(io)
    }
}

/// The sections of the manual page that no command line has.
const MANUAL: &[(&str, &str)] = &[
    (
        "CONTRACT",
        "`check` finds the JSON object in a model's text, and repairs it as `cogtools json` does. The object has four keys. `restatement` and `visible_reply` are non-empty strings. `thinking_log` is an array of strings. `tool_plan` is an array of at least one step. A step has `need_tool`, a boolean, and `reason`, a non-empty string. It may also have `tool`, `args`, an object, and `save_as`. A step that needs a tool must name it: `check` never guesses a tool.\n\n`check` prints the contract on one line, in a canonical form. Strings are trimmed, and unknown keys are removed. Built-in tools have their own names, whatever the case of the letters: `clock.now`, `time.now` and `get_time` become `get_current_date`, and `js.run_sandbox` becomes `run_js`. Each step has a unique `save_as`. A step without a name, or with the name of an earlier step, gets `_stepN`, where N is its number or the next free number.",
    ),
    (
        "QUESTION",
        "With words that are not a command, `cogtools plan` asks a model for a plan. The model gets the rules of the contract and the declarations of the project's tools, including the schemas of their results. An answer that breaks the contract, is cut off, or cannot run is returned to the model once, with every violation. If the declarations have as many tokens as `ask.code` says, the model may plan programs, too: steps with `run_code`. The options for the model, its limits and recorded answers are described in `cogtools-ask(1)`, and the configuration is `ask`.\n\nTemplates, JavaScript and read-only tools run without approval, as in `cogtools-ask(1)`. For other tools, the plan is shown at a terminal with the arguments of each call, and you approve it once. Without a terminal, the plan waits in its session (`APPROVAL_WANTED`) until you run `cogtools plan resume`. `--yes` approves the plan, `--allow` approves single tools, and `--no-run` prints the plan instead of running it.",
    ),
    (
        "RUN",
        "`run` reads a plan from FILE or from standard input. Before the first step it checks the whole plan: tools, arguments, references and placeholders (`CONTRACT_VIOLATION`). It then calls the tools one after the other, and inserts the results of earlier steps into the arguments. Each call is checked and approved as by `cogtools-call(1)`. The result of a step is JSON if its tool declares JSON, and text otherwise. The result of a step without a tool is its reason. The step `run_code`, with `code` and `args`, runs a program that calls tools, as `cogtools-code(1)` does; its value is what the code returns. If calls in it need a yes, the program is shown at a terminal: `yes` agrees to these calls, `yes, and ask at each call of its programs` asks about every call when it comes, and `edit` opens the program in the editor that VISUAL or EDITOR names. Calls that were not shown, and those of a program that another step writes, are asked about when they come. Without a terminal, the plan waits in its session until you run `cogtools plan resume`, which agrees to what the plan shows; other calls are denied unless `ask.allow` matches. If a step fails, the steps after it are skipped. The reply is always printed, with its placeholders filled in.\n\nWith `--stream-json`, each line is an object: `{\"event\": \"plan\", \"steps\"}`; `{\"event\": \"step\", \"save_as\", \"state\"}`, where the state is executing, executed, failed or skipped, with `args`, `result` or `error`, `startedAt`, `endedAt` and `ms` if they are known; `{\"event\": \"log\", \"text\"}`, a line that a tool's program wrote to standard error; and finally `{\"event\": \"reply\", \"text\"}`. A step is executing once its references are replaced and its call is valid; a step with an invalid call fails at once.",
    ),
    (
        "SESSIONS",
        "A run is recorded in a session: the plan, and for each step its states, arguments, logs, duration and result. A long result is a file beside the session. `cogtools-session(1)` shows it. `--session` names the file. `--no-session` records nothing; nothing is recorded either for a user without a home directory.\n\n`resume` continues a plan that failed, was interrupted, or waits for approval. It reuses the recorded results, and runs the failed step again. A step that was executing when the run ended may have had an effect. It runs again if its tool is a template, is read-only, or is idempotent. Otherwise `resume` reports it: use `--repeat STEP` to run it again, or `--result STEP=JSON` to supply its result. A program goes on with the results of the calls that have ended. After a failure, `replan` asks a model for another plan, and shows it the results so far.",
    ),
    (
        "SHOW AND EXPLAIN",
        "`show` draws a plan: its steps, their tools and states, and the steps that they depend on. `explain` describes a plan before it runs: for each step the call, the kind of tool, whether the call may run, and any error that it would cause. Both read a file, a session or standard input; if standard input is empty or a terminal, they read the newest session. `show --json` prints an object with `restatement`, `reply`, and `steps`, an array of objects with `save_as`, `tool`, `state` (planned, started, succeeded, failed, waiting or skipped), `ms`, `needs`, `reason`, `result` and `error`.",
    ),
    (
        "REFERENCES",
        "`resolve` reads `{\"args\": …, \"results\": {NAME: RECORD}}` and prints the arguments. It replaces each string that consists of a single reference, `$tool.NAME` or `$tool.NAME.PATH`, by the value, which may have any type. Other text is unchanged. A reference to an unknown name or path, or to a step that failed or was skipped, is an error.",
    ),
    (
        "PLACEHOLDERS",
        "`hydrate` reads `{\"template\": \"…\", \"last\": …, \"results\": {NAME: RECORD}}` and prints the text. `{{tool.NAME}}` and `{{tool.NAME.PATH}}` stand for a value in a record, `{{tool_result.PATH}}` for a value in the last result. Scalars are printed as text, arrays and objects as compact JSON. A missing value is printed as `unavailable`. Failed steps can be read, too.",
    ),
    (
        "RECORDS",
        "A record has `result`, or a `status` of `failed` or `skipped`; it may have `tool` and `error`. A name without a path stands for the result. The segments of a path are keys, indexes, and `length` for arrays. The first segment is a key of the record. If an object does not have a key, the key is searched for in its `result`, at any depth. In a reply, the result of `run_js` is the value that the code returned. Properties that every JavaScript object inherits, such as `__proto__`, are never found.",
    ),
    (
        "EXAMPLES",
        "    cogtools plan \"Which day is it in 100 days?\"\n\n    cogtools plan check < answer.txt\n\n    cogtools plan explain plan.json && cogtools plan run plan.json\n\n    cogtools plan resume\n\n    cogtools plan resolve < step.json\n\n    cogtools plan hydrate < reply.json",
    ),
];
