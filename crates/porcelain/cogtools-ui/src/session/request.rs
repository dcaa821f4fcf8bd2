//! The requests for sessions: pages, lines, and what the user says on a page.
//!
//! The programs that a user would type carry that out; they write into the session.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use cogtools_core::tool::FlowTask;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_log::{BlobId, Blobs, Event, Index, Line, SessionFile};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::graph::graph;
use crate::page::visible;
use crate::respond::{Answer, App, PageError, failure};
use crate::session::sessions::{RunState, list};
use crate::session::turn::{QuestionKind, Turn, read_texts};
use crate::session::turns::turns;
use crate::{child, tool};

/// Which part of a session a page shows.
#[derive(Default, Deserialize)]
pub(crate) struct Part {
    /// The lines before this one.
    before: Option<usize>,
    /// The turn whose work is shown, by its first line.
    turn: Option<usize>,
}

/// The list of sessions.
pub(crate) async fn list_page(State(app): State<Arc<App>>) -> Response {
    app.run(list).await
}

/// A session.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let (header, mut view) = app.sessions.with_index(&file, |index| {
            let view = View::read(index, part.before, part.turn)?;
            Ok((index.header().clone(), view))
        })?;
        view.describe_questions(app);
        view.read_prompts(part.turn, &file.blobs());
        let mut context = view.context(part.turn);
        context["graph"] = view
            .shown(part.turn)
            .and_then(|turn| graph_of(app, turn))
            .into();
        context["page"] = "sessions".into();
        context["name"] = name.into();
        context["file"] = file.display_path().display().to_string().into();
        context["session"] = serde_json::json!(header);
        context["before"] = part.before.into();
        app.pages.answer("session.njk", context, app)
    })
    .await
}

/// The graph of the flow that a turn runs, with the states of its nodes. Without it if the flow
/// is not there any more, or is another one by now.
fn graph_of(app: &App, turn: &Turn) -> Option<Value> {
    let flow = turn.flow.as_ref()?;
    let steps = turn.board.iter();
    let badges = steps.map(|step| (step.key.clone(), step.badge)).collect();
    let drawn = tool::with_tool(app, &flow.tool, |tool, _| {
        let is_same = FlowTask::digest(tool) == flow.digest;
        tool.flow()
            .filter(|_| is_same)
            .and_then(|flow| graph(flow, &badges))
    });
    drawn.ok().flatten()
}

/// The line `number` of a session.
fn line_of(app: &App, file: &SessionFile, number: usize) -> Result<Line, PageError> {
    let after = number.checked_add(1).ok_or(PageError::NotFound)?;
    let read = |index: &Index| Ok(index.read(number..after)?);
    let lines = app.sessions.with_index(file, read)?;
    lines.into_iter().next().ok_or(PageError::NotFound)
}

/// A line as it is in the file.
pub(crate) async fn line(
    State(app): State<Arc<App>>,
    Path((name, number)): Path<(String, usize)>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let line = line_of(app, &file, number)?;
        Ok(Answer::Text(line.text.into_bytes()))
    })
    .await
}

/// The text of a layer of the request on a line.
pub(crate) async fn layer(
    State(app): State<Arc<App>>,
    Path((name, number, layer)): Path<(String, usize, usize)>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let line = line_of(app, &file, number)?;
        let Ok(Event::Request { layers, .. }) = line.entry.map(|entry| entry.event) else {
            return Err(PageError::NotFound);
        };
        let layer = layers.get(layer).filter(|layer| !layer.parts.is_empty());
        let layer = layer.ok_or(PageError::NotFound)?;
        let text = file.blobs().layer_text(layer);
        Ok(Answer::Text(
            text.map_err(|_| PageError::NotFound)?.into_bytes(),
        ))
    })
    .await
}

/// The whole of a result.
pub(crate) async fn blob(
    State(app): State<Arc<App>>,
    Path((name, blob)): Path<(String, String)>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let blob: BlobId = blob.parse().map_err(|_| PageError::NotFound)?;
        let bytes = file.blobs().read(&blob).map_err(|_| PageError::NotFound)?;
        Ok(Answer::Text(bytes))
    })
    .await
}

/// More than any run may take: its budget ends it.
const TIMEOUT: Duration = Duration::from_hours(24);

/// The time that an explanation of a program may take.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The calls in a program that need a yes, a line each.
fn asked_calls(app: &App, code: &str) -> Vec<String> {
    let args = ["code", "explain", "--json"];
    let output = app.project.run(args, code.into(), EXPLAIN_TIMEOUT);
    let explained = output.ok().filter(|output| output.exit.is_success());
    let explained = explained.and_then(|output| serde_json::from_slice(&output.stdout.bytes).ok());
    let explained: Value = explained.unwrap_or_default();
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let tools = list(&explained, "tools").into_iter();
    let asked = tools.filter(|tool| tool["approval"] == "ask");
    let lines = asked.flat_map(|tool| {
        let name = tool["tool"].as_str().unwrap_or_default().to_owned();
        list(&tool, "calls").into_iter().map(move |call| {
            let arguments = match &call["arguments"] {
                Value::Null => "computed arguments".to_owned(),
                arguments => arguments.to_string(),
            };
            format!("line {}: {name} {arguments}", call["line"])
        })
    });
    lines.collect()
}

/// A decision about a call that waits.
#[derive(Deserialize)]
struct Decision {
    call: String,
    /// The number of the line that asks the question that the user has read.
    line: Option<usize>,
    allow: bool,
    /// True if each call of a program that may run is asked about.
    #[serde(default)]
    each: bool,
    /// Another program, about which the user is asked.
    code: Option<String>,
    /// Why the call may not run, for the model.
    #[serde(default)]
    reason: String,
    /// The tool whose calls run without a question from now on, as long as the server runs.
    #[serde(default)]
    always: String,
}

/// An answer to a node that asks.
#[derive(Deserialize)]
struct Reply {
    node: String,
    answer: String,
}

/// A message, and the model that answers it, if that is another one.
#[derive(Deserialize)]
struct Message {
    text: String,
    #[serde(default)]
    model: String,
}

/// A command about a session, and its standard input; or why it is not run.
type Command = Result<(Vec<OsString>, Vec<u8>), Box<Diagnostic>>;

/// Decides about a call.
pub(crate) async fn approve(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    let shared = Arc::clone(&app);
    let session = name.clone();
    run(app, name, body, move |file, decision: Decision| {
        let call = &decision.call;
        if let Some(line) = decision.line
            && !shared.asks(&session, call, line)
        {
            let message = "the session asks another question than this page shows";
            let diagnostic = Diagnostic::new(Code::Denied, message).with_subject(call.as_str());
            return Err(Box::new(
                diagnostic.hint("load the page again, and read it"),
            ));
        }
        let option = match (&decision.code, decision.allow, decision.reason.trim()) {
            (Some(_), _, _) => format!("--edit={call}"),
            (None, true, _) if decision.each => format!("--approve-each={call}"),
            (None, true, _) => format!("--approve={call}"),
            (None, false, "") => format!("--reject={call}"),
            (None, false, reason) => format!("--reject={call}={reason}"),
        };
        // A name, and no pattern for others.
        let is_name = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
        if decision.allow && !decision.always.is_empty() && decision.always.chars().all(is_name) {
            shared.runs.allow(&session, decision.always);
        }
        let mut args = shared.ask(&session, file);
        args.push(option.into());
        Ok((args, decision.code.unwrap_or_default().into_bytes()))
    })
    .await
}

/// Answers a node of a flow, by standard input, too.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    run(app, name, body, |file, reply: Reply| {
        let answer = format!("--answer={}=@-", reply.node);
        let args = ["flow", "resume", "--error-format", "json", &answer, "--"];
        let args = args.map(OsString::from).into_iter().chain([file]);
        // One line end at its end is not part of it.
        let input = format!("{}\n", reply.answer).into_bytes();
        Ok((args.collect(), input))
    })
    .await
}

/// Sends a message. It is standard input, since others can read command lines.
pub(crate) async fn message(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    let shared = Arc::clone(&app);
    let session = name.clone();
    run(app, name, body, move |file, message: Message| {
        let mut args = shared.ask(&session, file);
        args.push("--continue".into());
        let model = message.model.trim();
        if !model.is_empty() {
            args.push(format!("--model={model}").into());
        }
        Ok((args, message.text.into_bytes()))
    })
    .await
}

/// Stops what a page has started in a session.
pub(crate) async fn stop(State(app): State<Arc<App>>, Path(name): Path<String>) -> Response {
    let is_ours = app.runs.stop(&name);
    let failures: &[Value] = if is_ours {
        &[]
    } else {
        &[json!({"message": "another process runs this turn", "hints": ["end it there"]})]
    };
    Answer::Json(json!({"failures": failures})).into()
}

/// Runs that pages have started, and calls that they have allowed, by the names of the sessions.
#[derive(Default)]
pub(crate) struct Runs(Mutex<HashMap<String, SessionRuns>>);

/// The runs of a session.
#[derive(Default)]
struct SessionRuns {
    /// Ends the present run.
    stop: Option<Cancel>,
    /// The tools whose calls need no question.
    allowed: BTreeSet<String>,
}

impl Runs {
    fn with<T>(&self, session: &str, work: impl FnOnce(&mut SessionRuns) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(all.entry(session.to_owned()).or_default())
    }

    fn stop(&self, session: &str) -> bool {
        let stop = self.with(session, |runs| runs.stop.clone());
        stop.inspect(Cancel::cancel).is_some()
    }

    fn allow(&self, session: &str, tool: String) {
        self.with(session, |runs| runs.allowed.insert(tool));
    }
}

impl App {
    /// `cogtools ask` about the session in `file`, which stops at questions.
    fn ask(&self, session: &str, file: OsString) -> Vec<OsString> {
        let args = [
            "ask",
            "--error-format",
            "json",
            "--quiet",
            "--pause",
            "--session",
        ];
        let mut args: Vec<OsString> = args.map(OsString::from).into();
        args.push(file);
        let allowed = self.runs.with(session, |runs| runs.allowed.clone());
        args.extend(allowed.iter().map(|tool| format!("--allow={tool}").into()));
        args
    }

    /// Returns true if the session waits for a decision about `call`, for which `line` asks: a program
    /// that was edited elsewhere is another question.
    fn asks(&self, session: &str, call: &str, line: usize) -> bool {
        let file = self.sessions.file(session);
        let view = file.and_then(|file| {
            let read = |index: &Index| View::read(index, None, None);
            self.sessions.with_index(&file, read)
        });
        view.is_ok_and(|view| {
            let mut questions = view.turns.iter().flat_map(|turn| &turn.questions);
            questions.any(|question| question.key == call && question.line == line)
        })
    }
}

/// Runs the command that `command` makes of the session's file and of `body`.
async fn run<B: DeserializeOwned + Send + 'static>(
    app: Arc<App>,
    name: String,
    body: Bytes,
    command: impl FnOnce(OsString, B) -> Command + Send + 'static,
) -> Response {
    app.run_long(move |app| {
        let file = app.sessions.file(&name)?;
        let body = serde_json::from_slice(&body).map_err(|_| PageError::NotFound)?;
        let (args, input) = match command(file.path().into_os_string(), body) {
            Ok(command) => command,
            Err(diagnostic) => {
                return Ok(Answer::Json(json!({"failures": [failure(&diagnostic)]})));
            }
        };
        let stop = app.stop.child();
        app.runs.with(&name, |runs| runs.stop = Some(stop.clone()));
        let output = app.project.run_until(args, input, TIMEOUT, &stop);
        app.runs.with(&name, |runs| runs.stop = None);
        let output = output.map_err(|diagnostic| PageError::Failed(vec![*diagnostic]))?;
        // A run that waits for another answer has done what it was asked to.
        let failures = if output.exit.is_success() || child::waits(&output) {
            Vec::new()
        } else {
            child::failures(&output)
        };
        Ok(Answer::Json(visible(json!({"failures": failures}))))
    })
    .await
}

/// Number of lines of a page; the rest of a turn that it would cut in two comes on top.
const PAGE_LINES: usize = 400;
/// The number of lines in which the beginning of a turn is looked for.
const MAX_TURN_LINES: usize = 20_000;

/// Returns true if a turn begins with the line behind `before`. The task of an agent that a call
/// runs belongs to the turn of the call, and a plan to the turn of the task that it answers.
fn begins_turn(before: &Line, line: &Line) -> bool {
    let event = |line: &Line| line.entry.as_ref().ok().map(|entry| entry.event.clone());
    match event(line) {
        Some(Event::Task { .. }) => !matches!(event(before), Some(Event::Agent { .. })),
        Some(Event::Flow { .. }) => true,
        Some(Event::Plan { .. }) => matches!(event(before), Some(Event::End { .. })),
        _ => false,
    }
}

/// The number of the last line, at most `number`, with which a turn begins.
fn turn_before(index: &Index, number: usize) -> Result<usize, PageError> {
    let mut behind = number + 1;
    while behind > 3 && number.saturating_sub(behind) < MAX_TURN_LINES {
        let first = behind.saturating_sub(PAGE_LINES).max(2);
        let lines = index.read(first..behind)?;
        let mut pairs = lines.windows(2).rev();
        if let Some(pair) = pairs.find(|pair| begins_turn(&pair[0], &pair[1])) {
            return Ok(pair[1].number);
        }
        behind = first + 1;
    }
    Ok(if behind <= 3 { 2 } else { number })
}

/// The number of the first line, at least `number`, with which a turn begins, or the one behind
/// the last line.
fn turn_from(index: &Index, number: usize) -> Result<usize, PageError> {
    let behind = (index.lines() + 1).max(2);
    let mut first = number.saturating_sub(1).max(2);
    while first + 1 < behind && first < number.saturating_add(MAX_TURN_LINES) {
        let end = first.saturating_add(PAGE_LINES).min(behind);
        let lines = index.read(first..end)?;
        let mut pairs = lines.windows(2);
        if let Some(pair) = pairs.find(|pair| begins_turn(&pair[0], &pair[1])) {
            return Ok(pair[1].number);
        }
        first = end - 1;
    }
    Ok(if first + 1 >= behind { behind } else { number })
}

/// The part of a session that a page shows.
pub(crate) struct View {
    /// The first line of it.
    first: usize,
    /// The last line of the session.
    last: usize,
    /// True if the page ends with the session.
    is_end: bool,
    turns: Vec<Turn>,
    state: RunState,
    /// The name of the lines.
    content: String,
}

impl View {
    /// Reads the lines before the line `before`; without it, those from the turn that begins with
    /// the line `selected`, or the last ones if it is among them.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if no turn begins there.
    pub(crate) fn read(
        index: &Index,
        before: Option<usize>,
        selected: Option<usize>,
    ) -> Result<Self, PageError> {
        let behind = index.lines() + 1;
        let after = selected.map(|line| line.saturating_add(PAGE_LINES));
        let end = before.or(after).unwrap_or(behind).clamp(2, behind.max(2));
        let start = turn_before(index, end.saturating_sub(PAGE_LINES).max(2))?;
        let end = turn_from(index, end)?;
        let lines = index.read(start..end)?;
        let (state, is_end) = (RunState::of(index)?, end == behind.max(2));
        let mut turns = turns(&lines);
        if let Some(last) = turns.last_mut().filter(|_| is_end)
            && state == RunState::Interrupted
        {
            last.interrupt();
        }
        if selected.is_some_and(|line| turns.iter().all(|turn| turn.line != line)) {
            return Err(PageError::NotFound);
        }
        Ok(Self {
            first: start,
            last: index.lines(),
            is_end,
            turns,
            state,
            content: index.content(),
        })
    }

    /// Says of the tools whose calls wait for the user what they are, and what they would run.
    pub(crate) fn describe_questions(&mut self, app: &App) {
        let questions = self.turns.iter_mut().flat_map(|turn| &mut turn.questions);
        for question in questions.filter(|question| !question.tool.is_empty()) {
            // Without its file, a tool is shown by its name.
            let described = tool::with_tool(app, &question.tool, |tool, _| {
                let runs = tool.command_line().map(|line| line.to_string());
                (tool.description().to_owned(), runs.unwrap_or_default())
            });
            (question.description, question.runs) = described.unwrap_or_default();
            if question.kind == QuestionKind::Program {
                question.calls = asked_calls(app, &question.code);
            }
        }
    }

    /// Reads what the requests of the turn have sent that [`View::shown`] is.
    pub(crate) fn read_prompts(&mut self, selected: Option<usize>, blobs: &Blobs) {
        let line = self.shown(selected).map(|turn| turn.line);
        let mut turns = self.turns.iter_mut();
        if let Some(turn) = turns.find(|turn| Some(turn.line) == line) {
            read_texts(&mut turn.requests, blobs);
        }
    }

    /// The turn that begins with the line `selected`; without it, the last one.
    pub(crate) fn shown(&self, selected: Option<usize>) -> Option<&Turn> {
        let is_selected = |turn: &&Turn| Some(turn.line) == selected;
        self.turns.iter().find(is_selected).or(self.turns.last())
    }

    /// Its variables for a template. `selected` is the line of the turn whose work is shown;
    /// without it, the last one.
    pub(crate) fn context(&self, selected: Option<usize>) -> Value {
        let shown = self.shown(selected);
        json!({
            "first": self.first,
            "last": self.last,
            "earlier": (self.first > 2).then_some(self.first),
            "is_end": self.is_end,
            "state": self.state,
            "content": self.content,
            "turns": self.turns,
            "turn": shown,
        })
    }
}

/// The lines at the beginning and at the end, for a list.
pub(crate) fn ends(index: &Index, count: usize) -> Result<(Vec<Line>, Vec<Line>), PageError> {
    let behind = index.lines() + 1;
    let first = index.read(2..behind.min(2 + count))?;
    let last = index.read(behind.saturating_sub(count).max(2)..behind)?;
    Ok((first, last))
}
