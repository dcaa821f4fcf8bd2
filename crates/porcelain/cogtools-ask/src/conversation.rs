//! A conversation at a terminal: tasks and commands, line by line, in one session.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use cogtools_agent::{AgentTool, Connection, HistorySettings, Journal, Ledger, task_of_user};
use cogtools_core::{Diagnostic, Pattern};
use cogtools_log::{Event, Mask};
use cogtools_model::Part;
use cogtools_program::questions::{Complete, Completion, Line, LineEditor, LineOptions, Prompt};
use cogtools_program::terminal::{pluralize, sanitize, truncate};
use cogtools_program::{Failure, Io, Severity, dirs, project};

use crate::args::{Action, AskArgs, OutputFormat};
use crate::history::History;
use crate::slash::{COMMANDS, Slash, commands_help};
use crate::worker::{Materials, Worker};
use crate::{history, prompt, run, summary, worker};

/// Maximum length of a line of a list, in characters.
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

/// True if the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Line,
    End,
}

impl Conversation {
    /// Returns true if a conversation can be held: there is a terminal, and the output is for
    /// people.
    pub(crate) fn is_possible(args: &AskArgs, io: &Io<'_>) -> bool {
        let is_for_people = args.action() == Action::Ask && args.format() == OutputFormat::Text;
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
                Some(Ok(Slash::Retry)) => stage = retry(stage, args, io)?,
                Some(Ok(command)) => {
                    if obey(command, args, &mut stage, io)? == Next::End {
                        break;
                    }
                }
                Some(Err(problem)) => say(&problem, io),
                None => {
                    let parts = match prompt::typed(&line, args.quiet, io) {
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
            io.note(&worker.note());
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
            let tools = pluralize(materials.tools.all().len(), "tool");
            let model = &materials.settings.request.model;
            io.note(&format!(
                "{model}, {tools}; /help lists the commands, Ctrl-D ends"
            ));
        }
        let stage = Stage::Ready(Box::new(materials));
        if worker::existing(args, stage.project(), io)?.is_none() {
            return Ok(stage);
        }
        let worker = open(stage, args, connection, io)?;
        if worker.journal.conversation().is_finished() {
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
            Self::Open(worker) => &worker.materials,
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
    let opened = worker::open_session(args, model, materials.project, io)?;
    let ledger = Ledger::new(args.model.budget);
    Worker::new(materials, connection, opened, ledger)
}

/// Works on a task. However that ends, the conversation goes on, unless nothing can be written
/// or a signal ends the process.
fn work<'a>(
    worker: Worker<'a>,
    args: &AskArgs,
    parts: Vec<Part>,
    io: &mut Io<'_>,
) -> Result<Worker<'a>, Failure> {
    let (worker, summary) = worker.work(args, parts, io)?;
    let failure = summary.failure();
    if !io.signals.go_on() {
        return Err(Failure::Reported(summary::INTERRUPTED));
    }
    match failure {
        None => {}
        Some(Failure::Reported(_)) => say("stopped; what there is of the answer is kept", io),
        Some(failure) => report(failure, io)?,
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

/// Takes the last task back, and gives it again, with another seed.
fn retry<'a>(stage: Stage<'a>, args: &AskArgs, io: &mut Io<'_>) -> Result<Stage<'a>, Failure> {
    let Stage::Open(mut worker) = stage else {
        say("there was no task yet", io);
        return Ok(stage);
    };
    let undone = worker.journal.undo().map_err(Box::<Diagnostic>::from)?;
    let Some(Event::Task { parts }) = undone else {
        say("there is no task to give again", io);
        return Ok(Stage::Open(worker));
    };
    // The state of the world is told again, as it is now.
    let parts = task_of_user(&parts);
    let model = worker.materials.settings.request.model.clone();
    let seed = run::seed(args, &model, &parts, worker.journal.conversation());
    let attempt = i32::try_from(worker.ledger.spent().turns).unwrap_or(0);
    let before = worker.set_seed(Some(seed.wrapping_add(attempt)));
    let mut worker = work(*worker, args, parts, io)?;
    worker.set_seed(before);
    Ok(Stage::Open(Box::new(worker)))
}

/// Asks `model` from now on.
fn set_model(
    model: &str,
    args: &AskArgs,
    materials: &mut Materials<'_>,
    io: &Io<'_>,
) -> Result<(), Failure> {
    let config = project::config(materials.project, io)?;
    let ask = &config.ask;
    let model = ask.typed_model(model).to_owned();
    let facts = run::facts(args, ask, &model)?;
    let settings = &mut materials.settings;
    settings.price = facts.price;
    settings.history = HistorySettings::of(ask.history, facts.context);
    settings.request.model = model;
    Ok(())
}

fn obey(
    command: Slash,
    args: &AskArgs,
    stage: &mut Stage<'_>,
    io: &mut Io<'_>,
) -> Result<Next, Failure> {
    match (command, stage) {
        (Slash::Quit, _) => return Ok(Next::End),
        (Slash::Help, _) => say(commands_help().trim_end(), io),
        (Slash::Tools(pattern), stage) => {
            let tools = stage.materials().tools.all();
            say(&list_tools(tools, pattern.as_deref()), io);
        }
        (Slash::Model(None), stage) => say(&stage.materials().settings.request.model, io),
        (Slash::Model(Some(model)), stage) => {
            let materials = match stage {
                Stage::Ready(materials) => &mut **materials,
                Stage::Open(worker) => &mut worker.materials,
            };
            match set_model(&model, args, materials, io) {
                Ok(()) => say(&materials.settings.request.model, io),
                Err(failure) => report(failure, io)?,
            }
        }
        (_, Stage::Ready(_)) => say("there was no task yet", io),
        (Slash::Session, Stage::Open(worker)) => say(&worker.note(), io),
        (Slash::Budget, Stage::Open(worker)) => say(&describe_budget(&worker.ledger), io),
        (Slash::Compact, Stage::Open(worker)) => {
            worker.is_compacting = true;
            say("old turns are summarised before the next task", io);
        }
        // It takes the whole stage.
        (Slash::Retry, _) => {}
        (Slash::Undo, Stage::Open(worker)) => say(&undo(&mut worker.journal)?, io),
    }
    Ok(Next::Line)
}

fn undo(journal: &mut Journal) -> Result<String, Failure> {
    let undone = journal.undo().map_err(Box::<Diagnostic>::from)?;
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

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 60;

/// The tools whose names match `pattern`, with the beginnings of their descriptions.
pub(crate) fn list_tools(tools: &[AgentTool], pattern: Option<&str>) -> String {
    let pattern = pattern.map(Pattern::new);
    let is_shown = |tool: &&AgentTool| pattern.as_ref().is_none_or(|it| it.matches(&tool.name));
    let shown: Vec<&AgentTool> = tools.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return "no tool".to_owned();
    }
    let width = shown.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for tool in shown {
        let description = tool.declaration["description"].as_str().unwrap_or_default();
        let line = description.trim().lines().next().unwrap_or_default();
        let line = truncate(line, MAX_DESCRIPTION_CHARS);
        let _ = writeln!(text, "{:width$}  {line}", tool.name);
    }
    text
}

/// Describes how much of each limit is spent.
pub(crate) fn describe_budget(ledger: &Ledger) -> String {
    let (spent, budget) = (ledger.spent(), ledger.budget());
    let line = |name: &str, spent: u64, limit: Option<u64>| {
        let limit = limit.map(|limit| format!(" of {limit}"));
        format!("{name:<8} {spent}{}\n", limit.unwrap_or_default())
    };
    let seconds = budget.time.map(|time| time.as_secs());
    let mut text = [
        line("turns", spent.turns, budget.turns),
        line("calls", spent.calls, budget.calls),
        line("tokens", spent.usage.total, budget.tokens),
    ]
    .concat();
    if seconds.is_some() {
        text.push_str(&line("seconds", ledger.elapsed().as_secs(), seconds));
    }
    if spent.money > 0.0 || budget.money.is_some() {
        let limit = budget.money.map(|limit| format!(" of {limit}"));
        let limit = limit.unwrap_or_default();
        let _ = writeln!(text, "{:<8} {:.4}{limit}", "money", spent.money);
    }
    text
}

/// Maximum number of files that are offered.
const MAX_FILES: usize = 200;
/// Maximum number of entries of a folder that are read.
const MAX_ENTRIES: usize = 10_000;

/// Words that can be completed.
pub(crate) struct Words {
    /// The names of the tools.
    pub(crate) tools: Vec<String>,
    /// The working directory.
    pub(crate) cwd: PathBuf,
}

impl Complete for Words {
    fn complete(&self, line: &str, end: usize) -> Vec<Completion> {
        let Some(before) = line.get(..end) else {
            return Vec::new();
        };
        let start = before.rfind(char::is_whitespace);
        let start = start.map_or(0, |blank| {
            blank + before[blank..].chars().next().map_or(1, char::len_utf8)
        });
        let word = &before[start..];
        let matching = |text: &str| Completion {
            start,
            text: text.to_owned(),
            is_whole: true,
        };
        if let Some(path) = word.strip_prefix('@') {
            return self.files(start, path);
        }
        if before[..start].trim() == "/tools" {
            let tools = self.tools.iter().filter(|tool| tool.starts_with(word));
            return tools.map(|tool| matching(tool)).collect();
        }
        if start > 0 || !word.starts_with('/') {
            return Vec::new();
        }
        let names = COMMANDS.iter().map(|(name, _)| *name);
        names
            .filter(|name| name.starts_with(word))
            .map(matching)
            .collect()
    }
}

impl Words {
    /// The files whose paths begin with `path`. Hidden ones are offered after a dot; names that
    /// cannot be typed as one word are left out.
    fn files(&self, start: usize, path: &str) -> Vec<Completion> {
        let (folder, beginning) = match path.rfind('/') {
            Some(slash) => path.split_at(slash + 1),
            None => ("", path),
        };
        let mut found = Vec::new();
        let entries = fs::read_dir(self.cwd.join(Path::new(folder)));
        for entry in entries.into_iter().flatten().flatten().take(MAX_ENTRIES) {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let is_hidden = name.starts_with('.') && !beginning.starts_with('.');
            let is_word = !name.contains(char::is_whitespace) && sanitize(&name) == name;
            if is_hidden || !is_word || !name.starts_with(beginning) {
                continue;
            }
            let is_folder = entry.path().is_dir();
            let slash = if is_folder { "/" } else { "" };
            found.push(Completion {
                start,
                text: format!("@{folder}{name}{slash}"),
                is_whole: !is_folder,
            });
        }
        found.sort_by(|a, b| a.text.cmp(&b.text));
        found.truncate(MAX_FILES);
        found
    }
}

#[cfg(test)]
mod completion_tests {
    use cogtools_test_support::Project;

    use super::*;

    #[test]
    fn commands_tools_and_files_are_completed() {
        let project = Project::new();
        for name in [
            "notes.txt",
            "src/main.rs",
            "src/.hidden",
            "src/two words",
            "src/\u{1b}x",
        ] {
            project.file(name, "");
        }
        let words = Words {
            tools: ["git_log", "git_push", "greet"].map(str::to_owned).to_vec(),
            cwd: project.root(),
        };
        let check = |line: &str, start: usize, expected: &[&str]| {
            let found = words.complete(line, line.len());
            assert!(found.iter().all(|found| found.start == start), "{found:?}");
            let texts: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
            assert_eq!(texts, expected, "{line:?}");
        };
        check(
            "/",
            0,
            &[
                "/tools", "/session", "/undo", "/retry", "/model", "/compact", "/budget", "/cost",
                "/help", "/quit",
            ],
        );
        check("/un", 0, &["/undo"]);
        check("/tools git", 7, &["git_log", "git_push"]);
        check("/undo g", 6, &[]);
        check("What is in @no", 11, &["@notes.txt"]);
        check("\u{2003}@s", 3, &["@src/"]);
        check("@src/", 0, &["@src/main.rs"]);
        check("@src/.", 0, &["@src/.hidden"]);
        check("@none/", 0, &[]);
        check("hello", 0, &[]);
        assert!(words.complete("é", 1).is_empty(), "within a character");
    }
}
