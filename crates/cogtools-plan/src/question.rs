//! `cogtools plan QUESTION`: a model plans, the user agrees, the plan runs.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches};
use cogtools_agent::{
    BudgetArgs, Connection, ModelArgs, ModelOptions, TapeArgs, facts, recorded_model,
};
use cogtools_agent::{Journal, Permissions};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{AskConfig, Cancel, Code, Diagnostic, Project, Target};
use cogtools_journal as session;
use cogtools_log::{Decision, EndStatus};
use cogtools_model::Part;
use cogtools_program::args::{RegistryArgs, all, args_of};
use cogtools_program::project::{self, registry_and_context};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io, text_input};

use crate::catalogue::Catalogue;
use crate::contract::Contract;
use crate::execution::PlanRun;
use crate::logged::LoggedPlan;
use crate::planner::Planner;
use crate::recorder::Recorder;
use crate::resume::denied;
use crate::run::{session_arg, stream_json_arg, target};
use crate::show;

/// The question and its options.
pub(crate) fn args() -> Vec<Arg> {
    let flag = |name, help| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    let list = |name, help| {
        let arg = Arg::new(name).long(name).value_name("PATTERN").help(help);
        arg.action(ArgAction::Append)
    };
    let mut args = vec![
        Arg::new("question")
            .value_name("QUESTION")
            .num_args(0..)
            .help("What a model plans for; standard input is added to it"),
        flag("yes", "Run the plan without a question").short('y'),
        flag("no-run", "Print the plan instead of running it").conflicts_with("yes"),
        list("allow", "Run steps with these tools without a question"),
        list("deny", "Run no plan with these tools"),
        stream_json_arg(),
    ];
    args.push(session_arg());
    args.extend(args_of::<TapeArgs>());
    args.extend(args_of::<ModelArgs>());
    args.extend(args_of::<BudgetArgs>());
    args.extend(RegistryArgs::options());
    args
}

/// Asks a model for a plan, and runs it. `commands` are the other things that the user may have
/// meant.
pub(crate) fn run<'c>(
    matches: &ArgMatches,
    commands: impl Iterator<Item = &'c str>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let task = task(matches, commands, io)?;
    let project = project::project(io);
    let config = project::config(&project, io)?;
    let (registry, context) = registry_and_context(
        &RegistryArgs::from_matches(matches),
        io,
        Some(Target::Gemini),
    )?;
    let catalogue = Catalogue::new(&registry);
    let cx = context.context(io);
    let given = (&project, &config.ask);
    let (contract, mut recorder) = plan(matches, task, given, (&catalogue, &cx.cancel), io)?;
    if matches.get_flag("no-run") {
        return io.show_json(&format!("{}\n", contract.to_json()));
    }
    let permissions = permissions(matches, &config.ask);
    let is_agreed = matches.get_flag("yes");
    let resume = recorder.resume().unwrap_or_default().to_owned();
    let agreed = agree(
        &contract,
        &catalogue,
        &permissions,
        (is_agreed, &resume),
        io,
    );
    if let Err(failure) = agreed {
        let status = match failure.status() {
            75 => EndStatus::ApprovalWanted,
            _ => EndStatus::Cancelled,
        };
        let recorded = recorder.end(status);
        recorded.map_err(|error| session::failure(&error))?;
        return Err(failure);
    }
    let run = PlanRun {
        contract,
        done: BTreeMap::new(),
        registry,
        cx,
        recorder,
        streams: matches.get_flag("stream-json"),
    };
    run.run(io)
}

/// Lets a model plan, in a new session. Returns the session with the plan.
fn plan(
    matches: &ArgMatches,
    task: Vec<Part>,
    (project, ask): (&Project, &AskConfig),
    (catalogue, cancel): (&Catalogue, &Cancel),
    io: &Io<'_>,
) -> Result<(Contract, Recorder), Failure> {
    let mut options = ModelOptions::from_matches(matches)?;
    options.configure(ask)?;
    let model = match (&options.name, &options.replay) {
        // What a recording answers does not depend on who replays it.
        (None, Some(tape)) => recorded_model(tape, io)?,
        _ => options.model()?,
    };
    let connection = Connection::open(&options, &model, project, io)?;
    let target = target(matches);
    let log = session::create(&target, &model, io)?.ok_or_else(|| {
        let diagnostic = Diagnostic::new(Code::Usage, "there is no folder for the session");
        diagnostic.hint("set HOME, or name a file with --session")
    })?;
    let planner = Planner {
        facts: facts(ask, &model)?,
        options: &options,
        model,
        connection: &connection,
        catalogue,
        cancel: cancel.clone(),
    };
    let (contract, journal) = planner.plan(task, Journal::new(log))?;
    let mut recorder = Recorder::new(Some(journal), target.file());
    let recorded = recorder.plan(&contract);
    recorded.map_err(|error| session::failure(&error))?;
    Ok((contract, recorder))
}

/// Which tools may run, and which are asked about.
fn permissions(matches: &ArgMatches, ask: &AskConfig) -> Permissions {
    let both = |name: &str, other: &[String]| [&all::<String>(matches, name), other].concat();
    Permissions {
        allow: both("allow", &ask.allow),
        deny: both("deny", &ask.deny),
        ask: ask.ask.clone(),
    }
}

/// The question: the words, and standard input.
fn task<'c>(
    matches: &ArgMatches,
    commands: impl Iterator<Item = &'c str>,
    io: &mut Io<'_>,
) -> Result<Vec<Part>, Failure> {
    let words: Vec<String> = all(matches, "question");
    let text = words.join(" ");
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
        return Err(diagnostic
            .hint("cogtools plan \"What is the date in a week?\"")
            .hint("cogtools plan --help lists the commands")
            .into());
    }
    Ok(parts)
}

/// Fails unless the user agrees with everything that the plan calls.
fn agree(
    contract: &Contract,
    catalogue: &Catalogue,
    permissions: &Permissions,
    (is_agreed, resume): (bool, &str),
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let mut asked = Vec::new();
    for step in contract.steps() {
        let Some((tool, traits)) = catalogue.traits(step) else {
            continue;
        };
        match permissions.decide(tool, traits).decision {
            Decision::Denied => return Err(denied(tool).into()),
            Decision::Asked if !asked.contains(&tool) => asked.push(tool),
            Decision::Asked | Decision::Allowed | Decision::Granted => {}
        }
    }
    let prompt = Prompt::of(io);
    if prompt.is_some() {
        let plan = LoggedPlan::new(contract.clone());
        let text = show::text(&plan, io.colour(Stream::Stderr));
        io.quote_lines(&text);
    }
    if asked.is_empty() || is_agreed {
        return Ok(());
    }
    let Some(prompt) = prompt else {
        let message = format!("the plan waits for an approval of {}", asked.join(", "));
        return Err(Diagnostic::new(Code::ApprovalWanted, message)
            .hint(format!(
                "`{}` shows it, and `{resume}` runs it",
                resume.replacen("resume", "show", 1)
            ))
            .hint("--yes and --allow TOOL approve in advance")
            .into());
    };
    // What was typed before cannot be an answer.
    io.stdin.discard_typed();
    let question = format!("Run this plan, which calls {}?", asked.join(", "));
    let options = ["yes", "no"].map(str::to_owned);
    if prompt.select(&question, &options)? == 0 {
        return Ok(());
    }
    let diagnostic = Diagnostic::new(Code::Denied, "the plan does not run");
    Err(diagnostic
        .hint(format!("`{resume}` runs it, should you change your mind"))
        .into())
}
