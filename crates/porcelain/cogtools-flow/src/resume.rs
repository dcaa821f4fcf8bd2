//! `cogtools flow resume`: goes on with a flow whose run has failed, waits or was interrupted.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::tool::FlowTask;
use cogtools_core::{Code, Diagnostic, Registry, Tool};
use cogtools_program::args::{RegistryArgs, all};
use cogtools_program::call::quote;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io};

use crate::earlier::EarlierResults;
use crate::execution::{FlowRun, show};
use crate::logged::{LoggedFlow, LoggedNode};
use crate::recorder::SharedRecorder;
use crate::repeatable::Repeatable;
use crate::run::{answer_arg, answers_with_stdin};
use crate::{inputs, target};

/// The command.
pub(crate) fn command() -> Command {
    Command::new("resume")
        .about("Go on with a flow that has failed, waits or was interrupted")
        .arg(session_arg())
        .arg(answer_arg())
        .arg(
            Arg::new("repeat")
                .long("repeat")
                .value_name("NODE")
                .action(ArgAction::Append)
                .help("Run this node again, although it may have run already"),
        )
        .args(RegistryArgs::options())
}

/// A session.
pub(crate) fn session_arg() -> Arg {
    Arg::new("session")
        .value_name("SESSION")
        .help("The session, by its name or its file; by default, the newest one")
}

/// Goes on with the flow that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let name = matches.get_one::<String>("session").map(String::as_str);
    let file = cogtools_journal::locate(name, io)?;
    let (log, session) = cogtools_journal::open(&file, io)?;
    let logged = LoggedFlow::read(&session, &file)?;
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let tool = target::find(&logged.tool, &registry, io)?;
    if FlowTask::digest(&tool) != logged.digest {
        let message = "the flow has changed since this run, so its results may not fit";
        let diagnostic = Diagnostic::new(Code::InvalidSession, message);
        let hint = format!("`cogtools flow run {}` begins again", quote(&logged.tool));
        return Err(diagnostic.with_subject(logged.tool).hint(hint).into());
    }
    let repeat: Vec<String> = all(matches, "repeat");
    check_repeated(&repeat, &tool)?;
    check_interrupted(&logged, &tool, &repeat, &registry, name)?;
    let answers = answers_with_stdin(matches, io)?;
    let (results, arguments) = (logged.results(&file)?, logged.whole_arguments(&file)?);
    let earlier = EarlierResults::of(&tool, io);
    let run = FlowRun {
        done: results.nodes,
        done_items: results.items,
        answers,
        recorder: SharedRecorder::new(Some(log), session.head()),
        earlier,
        resume: match name {
            Some(name) => format!("cogtools flow resume {}", quote(name)),
            None => "cogtools flow resume".to_owned(),
        },
        ..FlowRun::new(tool, arguments, registry, context.context(io))
    };
    let value = run.run()?;
    show(&value, io)
}

/// Fails if a node is to be repeated that there is not. An item is `NODE.INDEX`.
fn check_repeated(repeat: &[String], tool: &Tool) -> Result<(), Failure> {
    repeat.iter().try_for_each(|name| {
        let node = name.split_once('.').map_or(name.as_str(), |(node, _)| node);
        inputs::node(tool.flow(), node).map(drop)
    })
}

/// Fails if a node was interrupted, and a second call could do something twice.
fn check_interrupted(
    logged: &LoggedFlow,
    tool: &Tool,
    repeat: &[String],
    registry: &Registry,
    session: Option<&str>,
) -> Result<(), Failure> {
    let mut repeatable = Repeatable::new(registry);
    let mut is_open = |node: &&LoggedNode| {
        node.has_no_result()
            && !repeat.contains(&node.id)
            && !is_repeatable(&node.id, tool, &mut repeatable)
    };
    let Some(node) = logged.nodes.iter().find(|node| is_open(node)) else {
        return Ok(());
    };
    let message = if node.is_masked() {
        "its result has a secret, which is masked, and it may have had an effect"
    } else {
        "the run ended while this node was running; it may have had an effect"
    };
    let session = session.map_or_else(String::new, |session| format!("{} ", quote(session)));
    let hint = format!(
        "`cogtools flow resume {session}--repeat {}` runs it again",
        node.id
    );
    let diagnostic = Diagnostic::new(Code::NodeFailed, message).with_subject(node.id.as_str());
    Err(diagnostic.hint("find out whether it had").hint(hint).into())
}

/// Whether the node, or the item of one, can run again by itself. The items of a list are nodes of
/// their own.
fn is_repeatable(id: &str, tool: &Tool, repeatable: &mut Repeatable<'_>) -> bool {
    let (id, is_item) = match id.split_once('.') {
        Some((id, _)) => (id, true),
        None => (id, false),
    };
    let Some(node) = tool.flow().and_then(|flow| flow.node(id)) else {
        return true;
    };
    (node.kind() == "each" && !is_item) || repeatable.node(node)
}
