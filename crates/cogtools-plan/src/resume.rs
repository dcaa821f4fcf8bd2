//! `cogtools plan resume`: goes on with a plan whose run has failed, or has ended in between.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_agent::{Journal, ToolTraits};
use cogtools_core::{Code, Diagnostic, Pattern, Registry};
use cogtools_journal as session;
use cogtools_log::StepState;
use cogtools_program::args::{RegistryArgs, all};
use cogtools_program::call::quote;
use cogtools_program::project::{self, registry_and_context};
use cogtools_program::{Failure, Io};

use crate::execution::PlanRun;
use crate::logged::LoggedPlan;
use crate::recorder::Recorder;
use crate::run::stream_json_arg;
use crate::step::Step;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("resume")
        .about("Go on with a plan that has failed or was interrupted")
        .arg(
            Arg::new("session")
                .value_name("SESSION")
                .help("The session, by its name or its file; by default, the newest one"),
        )
        .arg(
            Arg::new("repeat")
                .long("repeat")
                .value_name("STEP")
                .action(ArgAction::Append)
                .help("Run this step again, although it may have run already"),
        )
        .arg(stream_json_arg())
        .args(RegistryArgs::options())
}

/// Goes on with the plan that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let name = matches.get_one::<String>("session").map(String::as_str);
    let file = session::locate(name, io)?;
    let (log, session) = session::open(&file, io)?;
    let logged = LoggedPlan::read(&session, &file)?;
    if !session.header.model.is_empty() {
        check_denied(&logged, io)?;
    }
    let done = logged.results(&file)?;
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let repeat: Vec<String> = all(matches, "repeat");
    check_interrupted(&logged, &repeat, &registry, name)?;
    let run = PlanRun {
        contract: logged.contract,
        done,
        registry,
        cx: context.context(io),
        recorder: Recorder::new(Some(Journal::resume(log, &session, None)), name),
        streams: matches.get_flag("stream-json"),
    };
    run.run(io)
}

/// Fails if the configuration denies a tool to models, one of which has written the plan.
fn check_denied(logged: &LoggedPlan, io: &Io<'_>) -> Result<(), Failure> {
    let config = project::config(&project::project(io), io)?;
    let steps = logged.contract.steps().iter();
    let mut tools = steps
        .filter(|step| step.needs_tool())
        .filter_map(Step::tool);
    let is_denied = |tool: &&str| {
        let mut rules = config.ask.deny.iter();
        rules.any(|rule| Pattern::new(rule).matches(tool))
    };
    match tools.find(is_denied) {
        None => Ok(()),
        Some(tool) => Err(denied(tool).into()),
    }
}

/// The failure of a plan with a tool that a rule denies.
pub(crate) fn denied(tool: &str) -> Diagnostic {
    let message = "a rule of yours denies this tool, so the plan does not run";
    Diagnostic::new(Code::Denied, message).with_subject(tool)
}

/// Fails if a step was interrupted, and a second call could do something twice.
fn check_interrupted(
    logged: &LoggedPlan,
    repeat: &[String],
    registry: &Registry,
    session: Option<&str>,
) -> Result<(), Failure> {
    let steps = logged.contract.steps();
    if let Some(unknown) = repeat
        .iter()
        .find(|name| !steps.iter().any(|step| step.save_as() == name.as_str()))
    {
        let diagnostic = Diagnostic::new(Code::Usage, "the plan has no such step");
        return Err(diagnostic.with_subject(unknown.as_str()).into());
    }
    let interrupted = steps.iter().find(|step| {
        let name = step.save_as();
        let logged = logged.step(name);
        logged.is_some_and(|logged| logged.state == StepState::Executing)
            && !repeat.iter().any(|other| other == name)
            && !is_repeatable(step, registry)
    });
    interrupted.map_or(Ok(()), |step| {
        let message = "the run ended while this step was executing; it may have had an effect";
        let name = quote(step.save_as());
        let session = session.map(|session| format!("{} ", quote(session)));
        let session = session.unwrap_or_default();
        Err(Diagnostic::new(Code::StepFailed, message)
            .with_subject(step.save_as())
            .hint("find out whether it had")
            .hint(format!(
                "`cogtools plan resume {session}--repeat {name}` runs it again"
            ))
            .into())
    })
}

/// Whether a second call of the step does what the first one did.
fn is_repeatable(step: &Step, registry: &Registry) -> bool {
    let tool = step.tool().and_then(|tool| registry.find(tool).ok());
    tool.is_some_and(|tool| ToolTraits::of(&tool).is_repeatable())
}
