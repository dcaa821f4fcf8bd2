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
use cogtools_core::process::Exit;
use cogtools_core::tool::FlowTask;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_log::{BlobId, Event, Id, Index, Line, SessionFile};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::graph::graph;
use crate::page::visible;
use crate::respond::{Answer, App, PageError, Post, failure};
use crate::session::list::{Search, list, subject_of};
use crate::session::tree::Tree;
use crate::session::turn::Turn;
use crate::session::view::View;
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
pub(crate) async fn list_page(
    State(app): State<Arc<App>>,
    Query(search): Query<Search>,
) -> Response {
    app.run(move |app| list(app, &search)).await
}

/// A session.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let (header, subject, tree, mut view) = app.sessions.with_index(&file, |index| {
            let view = View::read(index, part.before, part.turn)?;
            let tree = Tree::read(index)?;
            Ok((index.header().clone(), subject_of(index)?, tree, view))
        })?;
        tree.mark(&mut view.turns);
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
        context["session"] = json!(header);
        context["subject"] = subject.into();
        context["tree"] = json!(tree);
        context["before"] = part.before.into();
        app.pages.answer("session.njk", context, app)
    })
    .await
}

/// The graph of the flow that a turn runs, with the states of its nodes. Without it if the flow
/// is not there any more, or is another one by now.
fn graph_of(app: &App, turn: &Turn) -> Option<Value> {
    let flow = turn.flow.as_ref()?;
    let badges = turn.states();
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

/// The time between two looks whether a session has begun.
const BEGIN_POLL: Duration = Duration::from_millis(20);

/// The time that an explanation of a program may take.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The calls in a program that need a yes, a line each.
pub(super) fn asked_calls(app: &App, code: &str) -> Vec<String> {
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
    /// The entry that it follows, if that is not the last one: a new branch.
    from: Option<Id>,
}

/// A command about a session, its standard input, and the node of a flow that it answers; or why it is
/// not run.
type Command = Result<(Vec<OsString>, Vec<u8>, Option<String>), Box<Diagnostic>>;

/// Decides about a call.
pub(crate) async fn approve(post: Post) -> Response {
    run(post, |app, session, file, decision: Decision| {
        let call = &decision.call;
        if let Some(line) = decision.line
            && !app.asks(session, call, line)
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
            app.runs.allow(session, decision.always);
        }
        let mut args = app.ask(session, file);
        args.push(option.into());
        let input = decision.code.unwrap_or_default().into_bytes();
        Ok((args, input, None))
    })
    .await
}

/// Answers a node of a flow, by standard input, too.
pub(crate) async fn answer(post: Post) -> Response {
    run(post, |_, _, file, reply: Reply| {
        let answer = format!("--answer={}=@-", reply.node);
        let args = ["flow", "resume", "--error-format", "json", &answer, "--"];
        let args = args.map(OsString::from).into_iter().chain([file]);
        // One line end at its end is not part of it.
        let input = format!("{}\n", reply.answer).into_bytes();
        Ok((args.collect(), input, Some(reply.node)))
    })
    .await
}

/// Sends a message. It is standard input, since others can read command lines.
pub(crate) async fn message(post: Post) -> Response {
    run(post, |app, session, file, message: Message| {
        let (mut args, input) = app.message(session, file, &message);
        args.push("--continue".into());
        args.extend(message.from.map(|from| format!("--from={from}").into()));
        Ok((args, input, None))
    })
    .await
}

/// Stops what a page has started in a session.
pub(crate) async fn stop(State(app): State<Arc<App>>, Path(name): Path<String>) -> Response {
    app.run(move |app| {
        let is_ours = app.runs.stop(&name);
        let failures: &[Value] = if !is_ours && app.sessions.file(&name)?.is_in_use()? {
            &[json!({"message": "another process runs this turn", "hints": ["end it there"]})]
        } else {
            &[]
        };
        Ok(Answer::Json(json!({"failures": failures})))
    })
    .await
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

    /// `cogtools ask` with a message, and its standard input.
    fn message(
        &self,
        session: &str,
        file: OsString,
        message: &Message,
    ) -> (Vec<OsString>, Vec<u8>) {
        let mut args = self.ask(session, file);
        let model = message.model.trim();
        if !model.is_empty() {
            args.push(format!("--model={model}").into());
        }
        (args, message.text.clone().into_bytes())
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

/// Begins a session with a message, and answers with its name as soon as it is there.
pub(crate) async fn begin(State(app): State<Arc<App>>, body: Bytes) -> Response {
    let (name, file) = match app.sessions.new_file() {
        Ok(new) => new,
        Err(error) => return error.answer(&app).into(),
    };
    let path = file.path();
    let is_there = || path.symlink_metadata().is_ok();
    let turn = start(
        app,
        name.clone(),
        file.clone(),
        body,
        |app, session, file, message| {
            let (args, input) = app.message(session, file, &message);
            Ok((args, input, None))
        },
    );
    let begun = async {
        while !is_there() {
            tokio::time::sleep(BEGIN_POLL).await;
        }
    };
    tokio::select! {
        biased;
        ended = turn => {
            if !is_there() {
                return ended;
            }
        }
        () = begun => {}
    }
    // What fails from now on is an entry of the session.
    Answer::Json(json!({"session": name, "failures": []})).into()
}

/// A call of the session that becomes an example of its tool.
#[derive(Deserialize)]
struct Example {
    call: String,
    /// True if its result becomes the golden file of the example.
    golden: bool,
}

/// Makes a call an example.
pub(crate) async fn example(post: Post) -> Response {
    run(post, |_, _, file, example: Example| {
        let mut args = ["session", "example", "--error-format", "json"]
            .map(OsString::from)
            .to_vec();
        args.extend(example.golden.then(|| "--golden".into()));
        args.extend(["--".into(), example.call.into(), file]);
        Ok((args, Vec::new(), None))
    })
    .await
}

/// Shows a line of the session's file in the editor.
pub(crate) async fn open((State(app), Path(name), body): Post) -> Response {
    app.run_long(move |app| child::open(app, &app.sessions.file(&name)?.path(), &body))
        .await
}

/// Runs the command that `command` makes of the name and the file of a session, and of a body.
async fn run<B: DeserializeOwned + Send + 'static>(
    (State(app), Path(name), body): Post,
    command: impl FnOnce(&App, &str, OsString, B) -> Command + Send + 'static,
) -> Response {
    match app.sessions.file(&name) {
        Ok(file) => start(app, name, file, body, command).await,
        Err(error) => error.answer(&app).into(),
    }
}

/// Like [`run`], for a session whose file may not be there yet.
async fn start<B: DeserializeOwned + Send + 'static>(
    app: Arc<App>,
    name: String,
    file: SessionFile,
    body: Bytes,
    command: impl FnOnce(&App, &str, OsString, B) -> Command + Send + 'static,
) -> Response {
    app.run_long(move |app| {
        let body = serde_json::from_slice(&body).map_err(|_| PageError::NotFound)?;
        let (args, input, answered) = match command(app, &name, file.path().into_os_string(), body)
        {
            Ok(command) => command,
            Err(diagnostic) => {
                return Ok(Answer::Json(json!({"failures": [failure(&diagnostic)]})));
            }
        };
        let stop = app.stop.child();
        // Of two at the same time, the session refuses the second, which must not stand for the first.
        let is_first = app.runs.with(&name, |runs| {
            let is_first = runs.stop.is_none();
            runs.stop.get_or_insert_with(|| stop.clone());
            is_first
        });
        let output = app.project.run_until(args, input, TIMEOUT, &stop);
        if is_first {
            app.runs.with(&name, |runs| runs.stop = None);
        }
        let output = output?;
        // A run that was stopped, or waits for another answer, has done what it was asked to.
        let is_stopped = output.exit == Exit::Cancelled;
        let mut failures = if output.exit.is_success() || is_stopped {
            Vec::new()
        } else {
            child::failures(&output)
        };
        if child::waits(&output) {
            failures.retain(|it| {
                answered
                    .as_deref()
                    .is_some_and(|node| it["subject"] == node)
            });
        }
        Ok(Answer::Json(visible(json!({"failures": failures}))))
    })
    .await
}
