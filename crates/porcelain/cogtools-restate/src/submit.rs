//! Commands of users about runs: start one, wait for its output, let a node go on.

use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::client::Client;
use crate::request::{Resume, RunRequest, Waiting};
use crate::workflow::NAME;

/// The time between two looks whether a run waits for a person.
const LOOK: Duration = Duration::from_secs(1);
/// The time between two looks whether a run has begun, and their number.
const BEGIN: Duration = Duration::from_millis(100);
const LOOKS: usize = 100;
/// The longest name of a run.
const MAX_NAME: usize = 128;

/// The name of a run: a request with the same name is the same run.
#[derive(Clone, Debug)]
pub(crate) struct RunName(String);

/// A run that Restate knows.
#[derive(Clone, Debug)]
pub(crate) struct StartedRun {
    name: RunName,
    /// Its name at Restate.
    id: String,
}

impl RunName {
    /// `text`, if it can be a part of a path.
    pub(crate) fn new(text: &str) -> Result<Self, Failure> {
        if is_plain(text) {
            return Ok(Self(text.to_owned()));
        }
        let message = "the name of a run has at most 128 letters, digits, `-` and `_`";
        let diagnostic = Diagnostic::new(Code::Usage, message);
        Err(diagnostic.with_subject(text).into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of a handler of this run.
    fn path(&self, how: &str, handler: &str) -> String {
        format!("/restate/{how}/{NAME}/{}/{handler}", self.0)
    }
}

impl Client {
    /// Starts the run, unless one of that name exists.
    ///
    /// # Errors
    ///
    /// `USAGE` if that one is of another flow or has other arguments.
    pub(crate) async fn start(
        &self,
        name: RunName,
        request: &RunRequest,
    ) -> Result<StartedRun, Failure> {
        let path = name.path("send", "run");
        let answer = self.post(&path, &json!(request)).await?.value()?;
        let id = answer["invocationId"].as_str().filter(|id| is_plain(id));
        let unknown = || Diagnostic::new(Code::Unavailable, "Restate is of an unknown version");
        let id = id.ok_or_else(unknown)?.to_owned();
        if answer["status"] == "PreviouslyAccepted" {
            self.compare(&name, request).await?;
        }
        Ok(StartedRun { name, id })
    }

    /// Fails unless the run of that name began with `request`, from whatever files.
    async fn compare(&self, name: &RunName, request: &RunRequest) -> Result<(), Failure> {
        let path = name.path("call", "request");
        for _ in 0..LOOKS {
            let value = self.post(&path, &Value::Null).await?.value()?;
            if !value.is_null() {
                let is_same =
                    value["flow"] == request.flow && value["arguments"] == json!(request.arguments);
                let other = || {
                    let message = "a run of this name is of another flow, or has other arguments";
                    let diagnostic = Diagnostic::new(Code::Usage, message);
                    let diagnostic = diagnostic.with_subject(name.as_str());
                    diagnostic.hint("choose another --name, or repeat the command of that run")
                };
                return is_same.then_some(()).ok_or_else(|| other().into());
            }
            tokio::time::sleep(BEGIN).await;
        }
        let message = "a run of this name exists, and no worker has begun it";
        let diagnostic = Diagnostic::new(Code::Unavailable, message).with_subject(name.as_str());
        Err(diagnostic
            .hint("`cogtools-restate serve` starts a worker")
            .into())
    }

    /// The output of the run, once it has one.
    ///
    /// # Errors
    ///
    /// `ANSWER_WANTED` for each node that waits for a person.
    pub(crate) async fn output(&self, run: &StartedRun) -> Result<Value, Failure> {
        let path = format!("/restate/attach/{}", run.id);
        let mut output = std::pin::pin!(self.get(&path));
        loop {
            tokio::select! {
                answer = &mut output => return answer?.value(),
                () = tokio::time::sleep(LOOK) => {
                    let waiting = self.waiting(&run.name).await?;
                    if !waiting.is_empty() {
                        let wanted = waiting.iter().map(|node| wanted(&run.name, node));
                        return Err(wanted.collect::<Vec<_>>().into());
                    }
                }
            }
        }
    }

    /// The nodes of the run that wait.
    pub(crate) async fn waiting(&self, name: &RunName) -> Result<Vec<Waiting>, Failure> {
        let path = name.path("call", "waiting");
        let value = self.post(&path, &Value::Null).await?.value()?;
        serde_json::from_value(value).map_err(|error| {
            let message = format!("the workers are of another version: {error}");
            Diagnostic::new(Code::Unavailable, message).into()
        })
    }

    /// Lets a node go on.
    pub(crate) async fn resume(&self, name: &RunName, resume: &Resume) -> Result<(), Failure> {
        let path = name.path("call", "resume");
        self.post(&path, &json!(resume)).await?.value().map(drop)
    }

    /// Registers the worker at `url`.
    pub(crate) async fn register(&self, url: &str) -> Result<(), Failure> {
        let answer = self.post("/deployments", &json!({"uri": url})).await?;
        if answer.status == StatusCode::CONFLICT {
            let message = "another version of the worker is registered at this address";
            let diagnostic = Diagnostic::new(Code::Unavailable, message).with_subject(url);
            return Err(diagnostic
                .hint("listen at another port; runs that have begun stay with the old version")
                .into());
        }
        answer.value().map(drop)
    }
}

/// Returns true if `text` can be a part of a path as it is.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(is_plain)
}

/// The failure for a node that waits.
fn wanted(name: &RunName, waiting: &Waiting) -> Diagnostic {
    let (run, node) = (name.as_str(), waiting.node.as_str());
    let resume = |how: &str| format!("`cogtools-restate resume {run} {node} {how}`");
    if let Some(question) = &waiting.question {
        return Diagnostic::new(Code::AnswerWanted, question.as_str())
            .with_subject(node)
            .hint(format!("{} answers", resume("--answer TEXT")));
    }
    let message =
        "its worker or the server ended while this node was running; it may have had an effect";
    Diagnostic::new(Code::AnswerWanted, message)
        .with_subject(node)
        .hint("find out whether it had")
        .hint(format!("{} runs it again", resume("--repeat")))
        .hint(format!("{} goes on with a result", resume("--result JSON")))
}
