//! `cogtools flow run`, and the same for a call of the tool.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::arguments::Arguments;
use cogtools_core::tool::{Flow, FlowTask};
use cogtools_core::{Code, Diagnostic, Tape, Tool};
use cogtools_journal::Target;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, text_input};

use crate::earlier::EarlierResults;
use crate::execution::{FlowRun, show};
use crate::recorder::SharedRecorder;
use crate::{inputs, target};

/// Answers to nodes, by name.
pub(crate) type Answers = BTreeMap<String, String>;

/// The answer that stands for standard input.
const STDIN: &str = "@-";
/// Standard error, for events.
const STDERR: &str = "/dev/fd/2";

/// The command.
pub(crate) fn command() -> Command {
    Command::new("run")
        .about("Run a flow, and print its output")
        .arg(target::arg())
        .arg(inputs::arg())
        .arg(answer_arg())
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The file of the new session; by default, it is among those of the project"),
        )
        .arg(
            Arg::new("no-session")
                .long("no-session")
                .action(ArgAction::SetTrue)
                .conflicts_with("session")
                .help("Keep no session; the run cannot be resumed"),
        )
        .args(tape_args())
        .args(RegistryArgs::options())
}

/// The command that runs a flow for a call of its tool.
pub(crate) fn call_command() -> Command {
    Command::new("call")
        .hide(true)
        .about("Run the flow on standard input, for cogtools-call")
        .arg(
            Arg::new("progress")
                .long("progress")
                .action(ArgAction::SetTrue)
                .help("Print what happens to nodes on standard error, one JSON object per line"),
        )
        .args(RegistryArgs::options())
        .args(tape_args())
}

/// A recording of what models answer.
fn tape_args() -> [Arg; 2] {
    [
        ("record", "Record what models answer"),
        (
            "replay",
            "Take the answers of models from a recording, without a network",
        ),
    ]
    .map(|(name, help)| {
        let arg = Arg::new(name).long(name).value_name("FILE").help(help);
        arg.value_parser(value_parser!(PathBuf))
    })
}

/// What the user answers to a node that asks.
pub(crate) fn answer_arg() -> Arg {
    Arg::new("answer")
        .long("answer")
        .value_name("NODE=TEXT")
        .action(ArgAction::Append)
        .help("The answer to a node that asks the user; NODE=@- is standard input")
}

/// What [`answer_arg`] says.
pub(crate) fn answers(matches: &ArgMatches) -> Result<Answers, Failure> {
    let answers: Vec<String> = cogtools_program::args::all(matches, "answer");
    let split = |answer: String| {
        let Some((node, text)) = answer.split_once('=') else {
            let diagnostic = Diagnostic::new(Code::Usage, "an answer is NODE=TEXT");
            return Err(diagnostic.with_subject(answer).into());
        };
        Ok((node.to_owned(), text.to_owned()))
    };
    answers.into_iter().map(split).collect()
}

/// The same where standard input is not taken: `NODE=@-` is what is on it, as with `cogtools run`.
pub(crate) fn answers_with_stdin(
    matches: &ArgMatches,
    io: &mut Io<'_>,
) -> Result<Answers, Failure> {
    let mut answers = answers(matches)?;
    let mut piped = answers.iter_mut().filter(|(_, text)| *text == STDIN);
    let Some((node, text)) = piped.next() else {
        return Ok(answers);
    };
    if let Some((second, _)) = piped.next() {
        let message = format!("`{node}` and `{second}` cannot both be read from standard input");
        let diagnostic = Diagnostic::new(Code::Usage, message);
        return Err(diagnostic
            .hint("write one of the answers on the command line")
            .into());
    }
    let line = format!("… | cogtools flow resume --answer {node}={STDIN}");
    *text = text_input::read_value(io, &line)?;
    Ok(answers)
}

/// Runs the flow that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let tool = target::find(&target::name(matches)?, &registry, io)?;
    let arguments = inputs::read(matches, &tool)?;
    let answers = answers_with_stdin(matches, io)?;
    let path = matches.get_one::<PathBuf>("session");
    let session = match path {
        _ if matches.get_flag("no-session") => Target::None,
        Some(path) => Target::File(path.clone()),
        None => Target::Stored,
    };
    // The new session has no results yet.
    let earlier = EarlierResults::of(&tool, io);
    let log = cogtools_journal::create(&session, "", io)?;
    let file = session
        .file()
        .map(|file| format!(" {}", cogtools_program::call::quote(file)));
    let mut cx = context.context(io);
    cx.call.tape = tape(matches, io);
    let run = FlowRun {
        answers,
        recorder: SharedRecorder::new(log, None),
        earlier,
        resume: format!("cogtools flow resume{}", file.unwrap_or_default()),
        ..FlowRun::new(tool, arguments, registry, cx)
    };
    let value = run.begin()?.run()?;
    show(&value, io)
}

/// Runs the flow on standard input. Its output is printed exactly.
pub(crate) fn call(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let bytes = text_input::read_bytes(io, "cogtools-call")?;
    let task: FlowTask = serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("standard input is not a call of a flow: {error}");
        let diagnostic = Diagnostic::new(Code::Usage, message);
        Failure::from(diagnostic.hint("this is for cogtools-call; use `cogtools flow run`"))
    })?;
    let (registry, context) = registry_and_context(&RegistryArgs::from_matches(matches), io, None)?;
    let file = task.file.to_string_lossy();
    let is_same = |tool: &Tool| FlowTask::digest(tool) == task.digest;
    let named = target::find(&task.tool, &registry, io).ok().filter(is_same);
    let tool = match named {
        Some(tool) => tool,
        None => target::find(&file, &registry, io)?,
    };
    if !is_same(&tool) {
        let diagnostic = Diagnostic::new(Code::InvalidTool, "the file has just changed");
        return Err(diagnostic
            .with_subject(task.tool)
            .hint("call it again")
            .into());
    }
    let recorder = if matches.get_flag("progress") {
        SharedRecorder::of_descriptor(STDERR)
    } else {
        SharedRecorder::default()
    };
    let earlier = EarlierResults::of(&tool, io);
    let arguments = inputs::accept(Arguments::from(task.arguments), &tool)?;
    let mut cx = context.context(io);
    cx.call.tape = tape(matches, io);
    cx.call.presets = Arc::new(task.presets);
    let run = FlowRun {
        recorder,
        earlier,
        ..FlowRun::new(tool, arguments, registry, cx)
    };
    let value = run.run()?;
    io.print(Flow::text(&value).as_bytes())
}

/// The recording of a call, if there is one.
fn tape(matches: &ArgMatches, io: &Io<'_>) -> Option<Tape> {
    let path = |name: &str| Some(io.cwd.join(matches.get_one::<PathBuf>(name)?));
    path("record")
        .map(Tape::Record)
        .or_else(|| path("replay").map(Tape::Replay))
}
