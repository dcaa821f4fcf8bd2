//! The display of a run: the answer on standard output, activity on standard error.

use std::collections::HashSet;
use std::time::Instant;

use cogtools_agent::{Activity, Answer, Observer, ProgramAnswer, ProgramQuestion, Question};
use cogtools_code::about;
use cogtools_core::Cancel;
use cogtools_edit::{ConfigChange, ConfigFile, ConfigFileError};
use cogtools_log::{CallEvent, Decision, Outcome, ResultEvent};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::{
    Stream, pluralize, sanitize, sanitize_lines, status_line, style, truncate,
};
use cogtools_program::{EACH, Failure, Io, dirs, project};
use serde_json::{Value, json};

use crate::args::{AskArgs, OutputFormat};
use crate::markdown::Markdown;

/// Maximum length of arguments and results in a line, in characters.
const MAX_SHOWN_CHARS: usize = 100;

/// The amount of activity that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Quiet,
    Activity,
    Everything,
}

/// Shows a run.
pub(crate) struct Display<'a, 'io> {
    io: &'a mut Io<'io>,
    format: OutputFormat,
    level: Level,
    pause: bool,
    cancel: Cancel,
    /// Tools that the user has approved for the whole run.
    approved: &'a mut HashSet<String>,
    /// True if the answer is shown at the end: it may turn out to be unusable.
    holds_answer: bool,
    waiting: WaitingLine,
    /// The answer at a terminal, which shows Markdown.
    markdown: Option<Markdown>,
    /// The end of what was written to standard output.
    last: Option<char>,
    /// Why nothing can be written any more.
    failure: Option<Failure>,
    /// Calls and their outcomes, for the summary.
    calls: Vec<Value>,
    /// Files in answers, for the summary.
    files: Vec<Value>,
}

/// The parts of a summary that a display has collected.
pub(crate) struct Collected {
    /// Calls and their outcomes, in the order of the calls.
    pub(crate) calls: Vec<Value>,
    /// Files in answers: their types and sizes.
    pub(crate) files: Vec<Value>,
}

impl<'a, 'io> Display<'a, 'io> {
    /// A display of a run. `is_waiting` says that it goes on with calls that wait for an answer.
    pub(crate) fn new(
        io: &'a mut Io<'io>,
        args: &AskArgs,
        approved: &'a mut HashSet<String>,
        (cancel, is_waiting): (Cancel, bool),
    ) -> Self {
        // Without styles the marks of the text say more.
        let is_rendered = args.format() == OutputFormat::Text
            && args.schema.is_none()
            && io.terminals.stdout
            && io.colour(Stream::Stdout);
        Self {
            approved,
            holds_answer: args.schema.is_some(),
            waiting: WaitingLine::of(io, args.quiet),
            level: match (args.quiet, args.verbose) {
                (true, _) => Level::Quiet,
                (false, false) => Level::Activity,
                (false, true) => Level::Everything,
            },
            io,
            markdown: is_rendered.then(Markdown::default),
            format: args.format(),
            // With an answer to one call, the others still wait, and all do without one.
            pause: args.pause || args.is_answer() || is_waiting,
            cancel,
            last: None,
            failure: None,
            calls: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Shows an answer that was held back.
    pub(crate) fn answer(&mut self, text: &str) {
        if self.holds_answer && self.format == OutputFormat::Text {
            self.write(text);
        }
    }

    /// Ends the last line of the answer.
    ///
    /// # Errors
    /// The reason why the output is incomplete, if it is.
    pub(crate) fn finish(mut self) -> Result<Collected, Failure> {
        self.waiting.erase(self.io);
        self.end_line();
        // A call that did not end has no outcome.
        self.calls.retain(|call| call.get("status").is_some());
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(Collected {
                calls: self.calls,
                files: self.files,
            }),
        }
    }

    fn write(&mut self, text: &str) {
        if self.failure.is_some() || text.is_empty() {
            return;
        }
        let Some(markdown) = &mut self.markdown else {
            return self.print(text, |io| io.show(text));
        };
        let blocks = markdown.push(text);
        self.print(&blocks, |io| io.print(blocks.as_bytes()));
    }

    /// Prints `text` by `show`.
    fn print(&mut self, text: &str, show: impl FnOnce(&mut Io<'io>) -> Result<(), Failure>) {
        if text.is_empty() {
            return;
        }
        self.waiting.erase(self.io);
        self.last = text.chars().next_back();
        if let Err(failure) = show(self.io) {
            // The answer has no reader, so nothing more should be paid for it.
            self.cancel.cancel();
            self.failure = Some(failure);
        }
    }

    /// Ends the last line, so that what follows is not a part of it.
    fn end_line(&mut self) {
        if let Some(rest) = self.markdown.as_mut().map(Markdown::finish) {
            return self.print(&rest, |io| io.print(rest.as_bytes()));
        }
        if self.last.is_some_and(|last| last != '\n') {
            self.write("\n");
        }
    }

    fn event(&mut self, event: &Value) {
        if self.format == OutputFormat::StreamJson {
            let line = format!("{event}\n");
            self.print(&line, |io| io.show_json(&line));
        }
    }

    fn note(&mut self, level: Level, message: &str) {
        if self.level >= level {
            self.waiting.erase(self.io);
            // The answer and the activity share a terminal.
            if self.io.terminals.stdout {
                self.end_line();
            }
            self.io.note(&sanitize(message));
        }
    }

    /// Says what the run waits for, unless the answer has begun on the line of the cursor.
    fn on_waiting(&mut self) {
        let is_within_line = self.last.is_some_and(|last| last != '\n');
        if !(is_within_line && self.io.terminals.stdout) {
            self.waiting.draw(self.io);
        }
    }

    /// Says that a file in the answer is not shown, even if activity is not: it may be all that
    /// there is of the answer.
    fn on_file(&mut self, mime_type: &str, bytes: usize) {
        self.waiting.answered();
        self.event(&json!({"event": "file", "type": mime_type, "bytes": bytes}));
        self.files.push(json!({"type": mime_type, "bytes": bytes}));
        self.waiting.erase(self.io);
        if self.io.terminals.stdout {
            self.end_line();
        }
        let kind = mime_type.split('/').next().unwrap_or_default();
        let text = format!("[{kind}: {mime_type}, {bytes} bytes, omitted]");
        self.io.note(&sanitize(&text));
    }

    fn on_call(&mut self, call: &CallEvent) {
        self.event(&json!({
            "event": "call", "call": call.call, "tool": call.tool, "arguments": call.arguments,
            "approval": call.approval,
        }));
        self.calls.push(json!({"id": call.call, "tool": call.tool}));
        if matches!(
            call.approval.decision,
            Decision::Allowed | Decision::Granted
        ) {
            self.waiting.call(call.call.as_str(), &call.tool);
        }
        let arguments = call.arguments.to_string();
        let arguments = truncate(&arguments, MAX_SHOWN_CHARS);
        self.note(Level::Activity, &format!("{} {arguments}", call.tool));
    }

    fn on_result(&mut self, tool: &str, result: &ResultEvent) {
        let ResultEvent {
            call: id,
            outcome,
            content: response,
            ms,
            ..
        } = result;
        self.event(&json!({
            "event": "result", "call": id, "tool": tool, "outcome": outcome,
            "response": response, "ms": ms,
        }));
        self.waiting.end(id.as_str());
        let label = outcome.name().replace('_', " ");
        let mut call = json!({"id": id, "tool": tool, "status": label, "ms": ms});
        if !matches!(outcome, Outcome::Succeeded) {
            let error = response["error"].as_str().unwrap_or_default();
            call["error"] = error.into();
            let reason = reason(error);
            // Failures of calls of programs name the tool.
            let reason = reason.strip_prefix(&format!("{tool}: ")).unwrap_or(&reason);
            let reason = truncate(reason, MAX_SHOWN_CHARS);
            // A denial has its own words, and took no time.
            let text = match outcome {
                Outcome::Denied => format!("{tool}: {reason}"),
                _ => format!("{tool}: {label} after {ms} ms: {reason}"),
            };
            self.note(Level::Activity, &text);
        }
        let response = response.to_string();
        let text = format!("{tool}: {}", truncate(&response, MAX_SHOWN_CHARS));
        self.note(Level::Everything, &text);
        // Calls that run at the same time end in any order.
        match self
            .calls
            .iter_mut()
            .rfind(|begun| begun["id"] == id.as_str())
        {
            Some(begun) => *begun = call,
            None => self.calls.push(call),
        }
    }
}

/// The reason in an error that a model reads: its first line, and the last line of a program, which
/// says why.
fn reason(error: &str) -> String {
    let mut lines = error.lines().filter(|line| !line.starts_with("hint: "));
    let first = lines.next().unwrap_or_default();
    match lines.rfind(|line| !line.trim().is_empty()) {
        Some(last) => format!("{first}: {}", last.trim()),
        None => first.to_owned(),
    }
}

/// Describes an activity that is out of the ordinary.
fn trouble(activity: &Activity<'_>) -> Option<String> {
    Some(match activity {
        Activity::Retry { wait, error } => {
            let seconds = wait.as_secs_f64();
            format!("{error}; trying again in {seconds:.1} s")
        }
        Activity::CacheFailed(error) => {
            format!("sent in full, because the cache cannot be used: {error}")
        }
        Activity::Compacted { tasks } => {
            format!("replaced {} by a summary", pluralize(*tasks, "old task"))
        }
        Activity::NotCompacted(reason) => {
            format!("replaced nothing by a summary: {reason}")
        }
        Activity::Repetition => {
            "the model repeats the same calls, and was asked to do something else".to_owned()
        }
        _ => return None,
    })
}

impl Observer for Display<'_, '_> {
    fn on(&mut self, activity: &Activity<'_>) {
        match activity {
            Activity::Waiting => self.on_waiting(),
            Activity::Text(text) => {
                self.waiting.answered();
                match self.format {
                    OutputFormat::Text if self.holds_answer => {}
                    OutputFormat::Text => self.write(text),
                    OutputFormat::StreamJson => self.event(&json!({"event": "text", "text": text})),
                    OutputFormat::Json => {}
                }
            }
            Activity::File { mime_type, bytes } => self.on_file(mime_type, *bytes),
            Activity::Thought(text) => {
                self.event(&json!({"event": "thought", "text": text}));
                self.note(Level::Everything, text.trim());
            }
            Activity::Call(call) => self.on_call(call),
            Activity::Result { tool, result } => self.on_result(tool, result),
            Activity::Request(turn) => {
                self.end_line();
                self.waiting.ask();
                self.event(&json!({"event": "request", "turn": turn}));
            }
            Activity::Response(usage) => {
                self.waiting.answered();
                self.event(&json!({"event": "usage", "usage": usage}));
            }
            Activity::Retry { .. }
            | Activity::CacheFailed(_)
            | Activity::Compacted { .. }
            | Activity::NotCompacted(_)
            | Activity::Repetition => {
                let text = trouble(activity).unwrap_or_default();
                self.note(Level::Activity, &text);
            }
        }
    }

    fn ask_program(&mut self, question: &ProgramQuestion) -> ProgramAnswer {
        let Some(prompt) = Prompt::of(self.io) else {
            // Without a pause, calls are denied when they come.
            return if self.pause {
                ProgramAnswer::Pause
            } else {
                ProgramAnswer::Ask
            };
        };
        self.waiting.erase(self.io);
        self.end_line();
        cogtools_code::ask(&prompt, question, self.io).unwrap_or_else(|_| {
            self.cancel.cancel();
            ProgramAnswer::No(None)
        })
    }

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if self.approved.contains(question.tool) {
            return Answer::Yes;
        }
        let Some(prompt) = Prompt::of(self.io) else {
            return if self.pause {
                Answer::Pause
            } else {
                Answer::NoTerminal
            };
        };
        self.waiting.erase(self.io);
        self.end_line();
        let Some(answer) = ask_user(&prompt, question, self.io) else {
            self.cancel.cancel();
            return Answer::No;
        };
        if answer == Answer::Always {
            self.approved.insert(question.tool.to_owned());
        }
        answer
    }
}

/// The identifier of the wait for the model's answer.
const MODEL: &str = "";

/// The line.
#[derive(Debug, Default)]
pub(crate) struct WaitingLine {
    is_shown: bool,
    /// The waits: their identifiers, their names, and their starts.
    waits: Vec<(String, String, Instant)>,
    is_drawn: bool,
}

impl WaitingLine {
    /// A line on standard error, if that is a terminal that can erase it.
    pub(crate) fn of(io: &Io<'_>, is_quiet: bool) -> Self {
        Self {
            is_shown: io.terminals.stderr && io.moves_cursor() && !is_quiet,
            ..Self::default()
        }
    }

    /// The model is asked.
    pub(crate) fn ask(&mut self) {
        self.begin(MODEL, "waiting for the model".to_owned());
    }

    /// A call begins.
    pub(crate) fn call(&mut self, id: &str, tool: &str) {
        self.begin(id, format!("calling {}", sanitize(tool)));
    }

    /// The model answers.
    pub(crate) fn answered(&mut self) {
        self.end(MODEL);
    }

    /// Ends the wait with this identifier.
    pub(crate) fn end(&mut self, id: &str) {
        self.waits.retain(|(other, ..)| other != id);
    }

    fn begin(&mut self, id: &str, what: String) {
        self.end(id);
        self.waits.push((id.to_owned(), what, Instant::now()));
    }

    /// Draws the line as it is now. The cursor must be on an empty line.
    pub(crate) fn draw(&mut self, io: &mut Io<'_>) {
        let Some((_, what, since)) = self.waits.first().filter(|_| self.is_shown) else {
            return;
        };
        let more = match self.waits.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let text = format!("{what}{more} … {} s", since.elapsed().as_secs());
        let text = style::paint(&text, style::DIM, io.colour(Stream::Stderr));
        write_line(&status_line::replace(&text), io);
        self.is_drawn = true;
    }

    /// Erases the line, if it is there.
    pub(crate) fn erase(&mut self, io: &mut Io<'_>) {
        if std::mem::take(&mut self.is_drawn) {
            write_line(status_line::ERASE, io);
        }
    }
}

/// Writes a line. A failure is ignored, because there is nowhere to report it.
fn write_line(text: &str, io: &mut Io<'_>) {
    let _ = io.stderr.write_all(text.as_bytes());
    let _ = io.stderr.flush();
}

/// Asks at a terminal, and shows everything that is decided about. `None` if the user wants
/// neither answer: by Ctrl-C or Escape.
fn ask_user(prompt: &Prompt, question: &Question<'_>, io: &mut Io<'_>) -> Option<Answer> {
    let answers = [
        (Answer::Yes, "yes, once"),
        (
            Answer::Always,
            "yes, and further calls of this tool in this run",
        ),
        (Answer::No, "no"),
        (Answer::NoBecause(String::new()), "no, because …"),
    ];
    let mut options: Vec<String> = answers
        .iter()
        .map(|(_, label)| (*label).to_owned())
        .collect();
    // A rule that asks wins over one that allows.
    let rule = question
        .approval
        .rule
        .is_none()
        .then(|| allow_always(question.tool, io));
    let rule = rule.and_then(Result::ok);
    options.extend(
        rule.iter()
            .map(|change| format!("yes, always: add the rule to {}", sanitize(&change.file()))),
    );
    let (text, lines) = about(question);
    let index = prompt.decide(&lines, &text, &options).ok()?;
    if let Some(rule) = rule.filter(|_| index == answers.len()) {
        io.say(&sanitize_lines(&rule.preview()));
        let question = format!("Write this to {}?", sanitize(&rule.file()));
        let answers = ["yes".to_owned(), "no, run this call alone".to_owned()];
        if prompt.select(&question, &answers).ok()? == 1 {
            return Some(Answer::Yes);
        }
        if let Err(error) = rule.write() {
            io.warn(&error.diagnostics(), &EACH);
        }
        return Some(Answer::Always);
    }
    match answers.into_iter().nth(index) {
        Some((Answer::NoBecause(_), _)) => {
            let reason = prompt.reason("the model").ok()?;
            Some(reason.map_or(Answer::No, Answer::NoBecause))
        }
        answer => Some(answer.map_or(Answer::No, |(answer, _)| answer)),
    }
}

/// The change of the user's configuration that allows all calls of `tool`.
fn allow_always(tool: &str, io: &Io<'_>) -> Result<ConfigChange, Failure> {
    let project = project::project(io);
    let failed = |error: ConfigFileError| Failure::from(error.diagnostics());
    let home = dirs::config_paths(io).home_file();
    let path = home.ok_or_else(|| failed(ConfigFileError::NoHome))?;
    let file = ConfigFile::home(&path).map_err(failed)?;
    let key = ["ask", "allow"];
    let rules = file.value(&key).map_err(failed)?;
    let mut rules: Vec<Value> = match rules {
        Some(Value::Array(rules)) => rules,
        Some(rule @ Value::String(_)) => vec![rule],
        _ => Vec::new(),
    };
    rules.push(tool.into());
    file.plan_set(&project, &key, &rules.into()).map_err(failed)
}
