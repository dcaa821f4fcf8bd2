//! A conversation at a terminal: tasks and commands, line by line, in one session.

use std::sync::Arc;
use std::time::Instant;

use cogtools_agent::Connection;
use cogtools_agent::{Journal, Ledger, Tools as _};
use cogtools_log::Mask;
use cogtools_program::questions::{Line, LineEditor, LineOptions, Prompt};
use cogtools_program::terminal::{pluralize, truncate};
use cogtools_program::{Failure, Io, Severity, dirs};

use crate::args::{Action, AskArgs, OutputFormat};
use crate::completion::Words;
use crate::history::{self, History};
use crate::slash::{self, Slash};
use crate::worker::{Materials, Worker};
use crate::{overview, session, summary, task};

/// How much of a line of a list is shown, in characters.
const MAX_SHOWN_CHARS: usize = 100;

/// A conversation.
pub(crate) struct Conversation {
    editor: LineEditor,
    history: Option<History>,
}

/// The session is opened for the first task, so that one who only looks around leaves none.
enum Stage<'a> {
    Ready(Box<Materials<'a>>),
    Open(Box<Worker<'a>>),
}

/// Whether the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Line,
    End,
}

impl Conversation {
    /// Whether a conversation can be held: there is a terminal, and the output is for people.
    pub(crate) fn is_possible(args: &AskArgs, io: &Io<'_>) -> bool {
        let is_for_people = args.action == Action::Ask && args.format == OutputFormat::Text;
        is_for_people && !args.is_answer() && Prompt::of(io).is_some()
    }

    /// A conversation at the terminal of `io`, if there is one and the output is for people.
    pub(crate) fn at_terminal(
        args: &AskArgs,
        materials: &Materials<'_>,
        io: &mut Io<'_>,
    ) -> Option<Self> {
        if !Self::is_possible(args, io) {
            return None;
        }
        let mask = Mask::new(io.secrets());
        let history = dirs::state_dir(io).map(|state| History::open(&state, mask));
        let (history, lines) = match history {
            Some(Ok((history, lines))) => (Some(history), lines),
            _ => (None, Vec::new()),
        };
        let editor = LineEditor::new(
            io,
            LineOptions {
                history: lines,
                capacity: history::MAX_LINES,
                complete: Box::new(Words {
                    tools: materials.tools.names().map(str::to_owned).collect(),
                    cwd: io.cwd.clone(),
                }),
                broken: materials.cancel.flag(),
            },
        )?;
        Some(Self { editor, history })
    }

    /// Reads lines and does what they say, until the user ends it.
    pub(crate) fn hold(
        mut self,
        args: &AskArgs,
        materials: Materials<'_>,
        connection: &Arc<Connection>,
        io: &mut Io<'_>,
    ) -> Result<(), Failure> {
        let mut stage = Self::begin(args, materials, connection, io)?;
        loop {
            let pause = Instant::now();
            let line = self.editor.read()?;
            if let Stage::Open(worker) = stage {
                stage = Stage::Open(Box::new(worker.after_pause(pause.elapsed())));
            }
            let line = match line {
                Line::Text(line) => line,
                Line::Cleared => continue,
                Line::Broken if io.signals.go_on() => continue,
                Line::Broken | Line::End => break,
            };
            if line.trim().is_empty() {
                continue;
            }
            if let Some(history) = &mut self.history
                && history.add(&line).is_err()
            {
                self.history = None;
            }
            match Slash::parse(&line) {
                Some(Ok(command)) => {
                    if obey(command, &mut stage, io)? == Next::End {
                        break;
                    }
                }
                Some(Err(problem)) => say(&problem, io),
                None => {
                    let parts = match task::typed(&line, args.quiet, io) {
                        Ok(parts) => parts,
                        Err(failure) => {
                            report(failure, io)?;
                            continue;
                        }
                    };
                    let worker = open(stage, args, connection, io)?;
                    stage = Stage::Open(Box::new(work(worker, args, parts, io)?));
                }
            }
        }
        if let Stage::Open(worker) = &stage
            && !args.quiet
        {
            io.note(&summary::note(worker.session(), &worker.ledger().spent()));
        }
        Ok(())
    }

    /// Opens a session that goes on, and goes on with what it has begun.
    fn begin<'a>(
        args: &AskArgs,
        materials: Materials<'a>,
        connection: &Arc<Connection>,
        io: &mut Io<'_>,
    ) -> Result<Stage<'a>, Failure> {
        if !args.quiet {
            let tools = pluralize(materials.tools.list().len(), "tool");
            let model = &materials.settings.request.model;
            io.note(&format!(
                "{model}, {tools}; /help lists the commands, Ctrl-D ends"
            ));
        }
        let stage = Stage::Ready(Box::new(materials));
        if session::existing(args, stage.project(), io)?.is_none() {
            return Ok(stage);
        }
        let worker = open(stage, args, connection, io)?;
        if worker.journal().conversation().is_finished() {
            return Ok(Stage::Open(Box::new(worker)));
        }
        let worker = work(worker, args, Vec::new(), io)?;
        Ok(Stage::Open(Box::new(worker)))
    }
}

impl<'a> Stage<'a> {
    fn materials(&self) -> &Materials<'a> {
        match self {
            Self::Ready(materials) => materials,
            Self::Open(worker) => worker.materials(),
        }
    }

    fn project(&self) -> &'a cogtools_core::Project {
        self.materials().project
    }
}

/// Opens the session, unless it is open.
fn open<'a>(
    stage: Stage<'a>,
    args: &AskArgs,
    connection: &Arc<Connection>,
    io: &Io<'_>,
) -> Result<Worker<'a>, Failure> {
    let materials = match stage {
        Stage::Ready(materials) => *materials,
        Stage::Open(worker) => return Ok(*worker),
    };
    let model = &materials.settings.request.model;
    let secrets = io.secrets();
    let opened = session::open(args, model, materials.project, secrets, io)?;
    Worker::new(
        materials,
        connection,
        opened,
        Ledger::new(args.model.budget),
    )
}

/// Works on a task. However that ends, the conversation goes on, unless nothing can be written
/// or a signal ends the process.
fn work<'a>(
    worker: Worker<'a>,
    args: &AskArgs,
    parts: Vec<cogtools_model::Part>,
    io: &mut Io<'_>,
) -> Result<Worker<'a>, Failure> {
    let (worker, summary) = worker.work(args, parts, io)?;
    let ended = summary.conclude(io);
    if !io.signals.go_on() {
        return Err(Failure::Reported(summary::INTERRUPTED));
    }
    match ended {
        Ok(()) => {}
        Err(Failure::Reported(_)) => say("stopped; what there is of the answer is kept", io),
        Err(failure) => report(failure, io)?,
    }
    Ok(worker)
}

/// Prints a failure that does not end the conversation.
fn report(failure: Failure, io: &mut Io<'_>) -> Result<(), Failure> {
    for diagnostic in failure.diagnostics() {
        io.report(Severity::Error, diagnostic);
    }
    match failure {
        Failure::Diagnostics(_) => Ok(()),
        failure => Err(failure),
    }
}

fn obey(command: Slash, stage: &mut Stage<'_>, io: &mut Io<'_>) -> Result<Next, Failure> {
    match (command, stage) {
        (Slash::Quit, _) => return Ok(Next::End),
        (Slash::Help, _) => say(slash::help().trim_end(), io),
        (Slash::Tools(pattern), stage) => {
            let tools = stage.materials().tools.list();
            say(&overview::tools(&tools, pattern.as_deref()), io);
        }
        (_, Stage::Ready(_)) => say("there was no task yet", io),
        (Slash::Session, Stage::Open(worker)) => {
            let note = summary::note(worker.session(), &worker.ledger().spent());
            say(&note, io);
        }
        (Slash::Budget, Stage::Open(worker)) => say(&overview::budget(worker.ledger()), io),
        (Slash::Undo, Stage::Open(worker)) => {
            let text = undo(worker.journal_mut())?;
            say(&text, io);
        }
    }
    Ok(Next::Line)
}

fn undo(journal: &mut Journal) -> Result<String, Failure> {
    let undone = journal.undo().map_err(|error| session::failure(&error))?;
    Ok(match undone {
        Some(task) => {
            let text = task.text().unwrap_or_default().trim();
            let line = text.lines().next().unwrap_or_default();
            format!("taken back: {}", truncate(line, MAX_SHOWN_CHARS))
        }
        None => "there is no task to take back".to_owned(),
    })
}

/// Prints what is for the user alone.
fn say(text: &str, io: &mut Io<'_>) {
    io.quote_lines(text);
}
