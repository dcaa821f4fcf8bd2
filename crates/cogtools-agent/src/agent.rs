//! The loop: ask, call, answer, until the model is done.

use std::collections::HashMap;
use std::sync::Arc;

use cogtools_core::Cancel;
use cogtools_log::{EndStatus, Event, LogError};
use cogtools_model::{Content, Finish, Model, ModelError, Part, Response};
use serde_json::Value;

use crate::cache::{CacheUse, Caching};
use crate::calls::CallsEnd;
use crate::journal::usage_event;
use crate::loop_guard::{LoopGuard, Repetition};
use crate::observer::{Activity, Observer};
use crate::respond::{Ended, Exchange};
use crate::state::Fixed;
use crate::{AgentTool, Journal, Ledger, Settings, ToolTraits, Tools, declarations};

/// What an agent consists of.
pub struct AgentParts<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The tools.
    pub tools: Arc<dyn Tools>,
    /// The log of the session.
    pub journal: Journal,
    /// Instructions.
    pub system: Option<Arc<Content>>,
    /// The state of the world when the task was given.
    pub dynamic: Option<Arc<Content>>,
    /// How it works.
    pub settings: Settings,
    /// The budget, shared with whatever called it.
    pub ledger: Ledger,
    /// Who watches it and answers questions.
    pub observer: &'a mut dyn Observer,
    /// Ends it.
    pub cancel: Cancel,
}

/// A model that can call tools, and a session with it.
pub struct Agent<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) traits: HashMap<String, ToolTraits>,
    pub(crate) journal: Journal,
    pub(crate) fixed: Fixed,
    pub(crate) settings: Settings,
    pub(crate) ledger: Ledger,
    guard: LoopGuard,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) cancel: Cancel,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// How.
    pub status: EndStatus,
    /// The answer, or what there was of it.
    pub text: String,
    /// Why the last response ended, in the provider's words.
    pub finish: Option<Finish>,
    /// Why there is no whole answer.
    pub error: Option<ModelError>,
}

impl<'a> Agent<'a> {
    /// An agent.
    pub fn new(parts: AgentParts<'a>) -> Self {
        let tools: Vec<AgentTool> = parts.tools.list();
        Self {
            model: parts.model,
            traits: tools
                .iter()
                .map(|tool| (tool.name.clone(), tool.traits))
                .collect(),
            fixed: Fixed {
                system: parts.system,
                tools: declarations(&tools),
                dynamic: parts.dynamic,
                whole_results: parts.settings.history.whole_results,
            },
            tools: parts.tools,
            journal: parts.journal,
            settings: parts.settings,
            ledger: parts.ledger,
            guard: LoopGuard::default(),
            observer: parts.observer,
            cancel: parts.cancel,
        }
    }

    /// The log of the session.
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Gives a task, and works on it until the model is done, or something ends it.
    pub async fn run(&mut self, task: Vec<Part>) -> Result<RunEnd, LogError> {
        self.add_task(task)?;
        self.work().await
    }

    /// Goes on with a run that waits for answers or was interrupted.
    pub async fn resume(&mut self) -> Result<RunEnd, LogError> {
        let end = match self.answer_calls().await? {
            CallsEnd::Answered => return self.work().await,
            CallsEnd::Paused => EndStatus::ApprovalWanted,
            CallsEnd::Cancelled => EndStatus::Cancelled,
        };
        self.end(end, &Response::default(), None)
    }

    /// Writes a task to the log. Calls that an earlier run has left open get an end first, and
    /// results that are too old expire.
    pub fn add_task(&mut self, task: Vec<Part>) -> Result<(), LogError> {
        self.abandon_calls("not run: the run ended before this call")?;
        let parts = task
            .into_iter()
            .map(|part| Value::Object(part.fields().clone()));
        self.journal.append(Event::Task {
            parts: parts.collect(),
        })?;
        let tasks = self.settings.history.result_tasks;
        let expired = self.journal.conversation().expire(tasks);
        if let Some(event) = expired {
            self.journal.append(event)?;
        }
        Ok(())
    }

    async fn work(&mut self) -> Result<RunEnd, LogError> {
        loop {
            if let Some(limit) = self.ledger.exceeded() {
                let status = EndStatus::Budget { limit };
                return self.end(status, &Response::default(), None);
            }
            self.compact_if_due().await?;
            let response = match self.ask().await? {
                Ended::Complete(response) => response,
                Ended::Cancelled(response) => {
                    return self.keep_partial(&response, EndStatus::Cancelled, None);
                }
                Ended::OutOfTime(response) => {
                    let limit = cogtools_log::BudgetLimit::Seconds;
                    return self.keep_partial(&response, EndStatus::Budget { limit }, None);
                }
                Ended::Failed(response, error) => {
                    let status = status_of(&error);
                    return self.keep_partial(&response, status, Some(error));
                }
            };
            self.record(&response)?;
            if let Some(status) = final_status(&response) {
                return self.end(status, &response, None);
            }
            match self.answer_calls().await? {
                CallsEnd::Answered => {}
                CallsEnd::Paused => return self.end(EndStatus::ApprovalWanted, &response, None),
                CallsEnd::Cancelled => return self.end(EndStatus::Cancelled, &response, None),
            }
            if self.repeats(&response)? == Repetition::End {
                return self.end(EndStatus::Loop, &response, None);
            }
        }
    }

    fn caching(&mut self) -> Caching<'_> {
        Caching {
            model: self.model,
            model_name: &self.settings.request.model,
            fixed: &self.fixed,
            settings: self.settings.history,
            journal: &mut self.journal,
            observer: &mut *self.observer,
        }
    }

    /// Sends the next request. One that fails because of its cache is sent again in full.
    async fn ask(&mut self) -> Result<Ended, LogError> {
        let cache = self.caching().prepare().await?;
        let ended = self.ask_with(&cache).await?;
        let (Some(name), Ended::Failed(_, error)) = (&cache.name, &ended) else {
            return Ok(ended);
        };
        if !is_of_cache(error) {
            return Ok(ended);
        }
        self.caching().fail(name, error)?;
        self.ask_with(&cache.in_full()).await
    }

    async fn ask_with(&mut self, cache: &CacheUse) -> Result<Ended, LogError> {
        // A conversation always ends in a task or a result here.
        let Some(prompt) = self.journal.state().prompt(&self.fixed, cache.turns) else {
            return Ok(Ended::Complete(Response::default()));
        };
        let request = prompt.request(&self.settings.request, cache.name.as_deref());
        let turn = self.journal.state().requests().saturating_add(1);
        self.journal.append(Event::Request {
            hash: request.hash(),
            layers: prompt.sizes(cache.name.is_some()),
            model: request.model.clone(),
            turn,
        })?;
        self.ledger.add_turn();
        self.observer.on(&Activity::Request(u64::from(turn)));
        let exchange = Exchange {
            model: self.model,
            request: &request,
            retry: self.settings.retry,
            time_left: self.ledger.time_left(),
            cancel: &self.cancel,
            observer: &mut *self.observer,
        };
        Ok(exchange.run().await)
    }

    /// Writes a response and its usage to the log.
    fn record(&mut self, response: &Response) -> Result<(), LogError> {
        let content = response.content().map(serde_json::to_value);
        let content = content.and_then(Result::ok).unwrap_or_default();
        self.journal.append(Event::Response {
            content,
            finish_reason: response
                .finish()
                .map(|finish| finish.as_str().to_owned())
                .or_else(|| response.block_reason().map(str::to_owned)),
            model_version: response.model_version().map(str::to_owned),
            response_id: response.response_id().map(str::to_owned),
        })?;
        let usage = response.usage();
        let price = self.settings.price.clone();
        self.ledger.add_usage(usage, price.as_ref());
        self.journal.append(usage_event(&usage, price.as_ref()))?;
        self.observer.on(&Activity::Response(&usage));
        Ok(())
    }

    /// Keeps what had arrived of a response. Calls in it will never have results, so it is kept
    /// only if there are none.
    fn keep_partial(
        &mut self,
        response: &Response,
        status: EndStatus,
        error: Option<ModelError>,
    ) -> Result<RunEnd, LogError> {
        if !response.is_empty() && response.calls().is_empty() {
            self.record(response)?;
        }
        self.end(status, response, error)
    }

    /// Ends the run.
    pub(crate) fn end(
        &mut self,
        status: EndStatus,
        response: &Response,
        error: Option<ModelError>,
    ) -> Result<RunEnd, LogError> {
        if let Some(error) = &error {
            self.journal.append(Event::Error {
                code: code_of(error).to_owned(),
                message: error.to_string(),
                subject: String::new(),
                hints: Vec::new(),
            })?;
        }
        self.journal.append(Event::End {
            status: status.clone(),
        })?;
        self.journal.sync()?;
        Ok(RunEnd {
            status,
            text: response.text(),
            finish: response.finish().cloned(),
            error,
        })
    }

    /// Whether the model repeats itself.
    fn repeats(&mut self, response: &Response) -> Result<Repetition, LogError> {
        let results = self.journal.conversation().last_results();
        let calls = response.calls();
        let null = Value::Null;
        let steps = calls.iter().enumerate().map(|(index, call)| {
            let result = results.get(index).copied().unwrap_or(&null);
            (call.name, call.args.unwrap_or(&null), result)
        });
        let repetition = self.guard.record(steps);
        if repetition == Repetition::Warn {
            self.observer.on(&Activity::Repetition);
            self.journal.warn_about_repetition()?;
        }
        Ok(repetition)
    }
}

/// How a run ends with a response; `None` if it has calls.
fn final_status(response: &Response) -> Option<EndStatus> {
    let is_refused = matches!(response.finish(), Some(Finish::Refused(_)));
    if response.block_reason().is_some() || (is_refused && response.calls().is_empty()) {
        return Some(EndStatus::Refused);
    }
    if !response.calls().is_empty() {
        return None;
    }
    if response.is_empty() {
        let code = cogtools_core::Code::ModelFailed.name().to_owned();
        return Some(EndStatus::Failed { code });
    }
    Some(EndStatus::Completed)
}

/// Whether a request may succeed without its cache.
fn is_of_cache(error: &ModelError) -> bool {
    matches!(error, ModelError::Api(error) if matches!(error.status, 400 | 403 | 404))
}

fn status_of(error: &ModelError) -> EndStatus {
    match error {
        ModelError::Http(_) => EndStatus::Unavailable,
        ModelError::Api(error) if error.is_transient() => EndStatus::Unavailable,
        _ => EndStatus::Failed {
            code: code_of(error).to_owned(),
        },
    }
}

fn code_of(error: &ModelError) -> &'static str {
    crate::diagnostic::code(error).name()
}
