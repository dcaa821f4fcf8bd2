//! The loop: ask, call, answer, until the model is done.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::cancelled;
use cogtools_log::{BudgetLimit, EndStatus, Event, LogError};
use cogtools_model::{Content, Finish, Model, ModelError, Part, Request, Response, Usage};
use serde_json::Value;
use tokio::time::sleep;

use crate::cache::CacheUse;
use crate::diagnostic::code;
use crate::exchange::{Ended, Exchange, waiting};
use crate::journal::{GO_ON, usage_event};
use crate::limits::{LoopGuard, Refused, Repetition, Reservation};
use crate::observer::{Activity, Observer, Questions, Silent};
use crate::prompt::{dynamic_changes, with_types};
use crate::state::Fixed;
use crate::{
    AgentTool, Conversation, Journal, Ledger, Settings, ToolTraits, Tools, WaitingCall, calls,
};

/// The parts of an agent.
pub struct AgentParts<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The tools.
    pub tools: Arc<dyn Tools>,
    /// The log of the session.
    pub journal: Journal,
    /// Instructions.
    pub system: Option<Arc<Content>>,
    /// The state of the world now: the dynamic layer of a session that begins. Of another one, its
    /// difference from that layer goes with the task.
    pub dynamic: Option<Arc<Content>>,
    /// The settings.
    pub settings: Settings,
    /// The budget, shared with whatever called it.
    pub ledger: Ledger,
    /// The observer, who also answers questions.
    pub observer: &'a mut dyn Observer,
    /// Ends it.
    pub cancel: Cancel,
}

/// A model that can call tools, and a session with it.
pub struct Agent<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) tools: Arc<dyn Tools>,
    /// The traits of the tools, and the command or URL of each.
    pub(crate) known: HashMap<String, (ToolTraits, Option<String>)>,
    /// The log of the session.
    pub journal: Journal,
    pub(crate) fixed: Fixed,
    pub(crate) settings: Settings,
    pub(crate) ledger: Ledger,
    guard: LoopGuard,
    /// Tools that the user has approved for the whole run.
    pub(crate) always: HashSet<String>,
    pub(crate) has_failed_to_compact: bool,
    /// The part of the budget that the next request may use, until it is dropped.
    pub(crate) reservation: Option<Reservation>,
    /// True if the money that is left limits the next response.
    is_capped: bool,
    /// The text of the last response, and why it ended.
    pub(crate) last_text: String,
    pub(crate) last_finish: Option<Finish>,
    /// The provider's explanation of that.
    last_explanation: Option<String>,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) questions: Questions,
    pub(crate) cancel: Cancel,
    /// Calls of programs for which the run waits.
    pub waiting: Vec<WaitingCall>,
    /// The call of an agent that is a tool for which the run would have to wait, and cannot.
    pub stopped: Option<Diagnostic>,
    /// Ends the calls of the last response.
    pub(crate) calls: Cancel,
    /// The schema of the answer, if the model does not take one beside tools.
    pub(crate) last_schema: Option<Value>,
}

/// The end of a run.
#[derive(Debug)]
pub struct RunEnd {
    /// How.
    pub status: EndStatus,
    /// The answer, or what there was of it.
    pub text: String,
    /// Why the last response ended, or the prompt was blocked, in the provider's words.
    pub finish: Option<Finish>,
    /// The provider's explanation of that.
    pub explanation: Option<String>,
    /// Why there is no whole answer.
    pub error: Option<ModelError>,
}

impl RunEnd {
    /// Returns true if the rest of the answer is missing.
    pub fn is_cut_off(&self) -> bool {
        self.finish.as_ref().is_some_and(Finish::is_cut)
    }
}

impl<'a> Agent<'a> {
    /// An agent.
    pub fn new(mut parts: AgentParts<'a>) -> Self {
        let tools: Vec<AgentTool> = parts.tools.list();
        let declared = calls::declare(&tools, &mut parts.settings);
        let known = tools.into_iter().map(|it| (it.name, (it.traits, it.runs)));
        Self {
            model: parts.model,
            known: known.collect(),
            fixed: Fixed {
                system: parts.system,
                tools: declared,
                dynamic: parts.dynamic,
            },
            tools: parts.tools,
            journal: parts.journal,
            settings: parts.settings,
            ledger: parts.ledger,
            guard: LoopGuard::default(),
            always: HashSet::new(),
            has_failed_to_compact: false,
            reservation: None,
            is_capped: false,
            last_text: String::new(),
            last_finish: None,
            last_explanation: None,
            observer: parts.observer,
            questions: Questions::default(),
            waiting: Vec::new(),
            stopped: None,
            calls: parts.cancel.child(),
            cancel: parts.cancel,
            last_schema: None,
        }
    }

    /// The name of the model.
    pub fn model_name(&self) -> &str {
        &self.settings.request.model
    }

    /// Gives a task, and works on it until the model is done, or something ends it.
    pub async fn run(&mut self, mut task: Vec<Part>) -> Result<RunEnd, LogError> {
        self.fixed.dynamic = with_types(self.fixed.dynamic.take(), &*self.tools, &task);
        if let Some(now) = &self.fixed.dynamic
            && let Some(sent) = self.journal.sent_dynamic()?
        {
            task.extend(dynamic_changes(&sent, now));
            self.fixed.dynamic = Some(sent);
        }
        self.correct(task).await
    }

    /// Says what is wrong with the answer, and works on it.
    pub async fn correct(&mut self, task: Vec<Part>) -> Result<RunEnd, LogError> {
        self.add_task(task)?;
        self.work().await
    }

    /// Goes on with a run that waits for answers or was interrupted. What has an answer already
    /// is not asked again.
    pub async fn resume(&mut self) -> Result<RunEnd, LogError> {
        if self.fixed.dynamic.is_some() {
            let sent = self.journal.sent_dynamic()?;
            self.fixed.dynamic = sent.or_else(|| self.fixed.dynamic.take());
        }
        if let Some(status) = self.answer_calls().await? {
            return self.end(status, None);
        }
        let conversation = self.journal.conversation();
        if conversation.turns().is_empty() {
            return self.end(EndStatus::failed(Code::ModelFailed), None);
        }
        let Some(answer) = conversation.last_answer() else {
            return self.work().await;
        };
        let finish = conversation.finish().cloned();
        match finish {
            None | Some(Finish::MaxTokens | Finish::Cut(_)) => {
                self.add_task(vec![Part::text_of(GO_ON)])?;
                return self.work().await;
            }
            Some(Finish::Refused(_)) => return self.end(EndStatus::Refused, None),
            Some(_) => {}
        }
        self.last_text = answer.text();
        self.last_finish = finish;
        self.observer.on(&Activity::Text(&self.last_text));
        self.end(EndStatus::Completed, None)
    }

    /// Writes a task to the log. Calls that an earlier run has left open get an end first.
    pub fn add_task(&mut self, task: Vec<Part>) -> Result<(), LogError> {
        self.abandon_calls("not run: the run ended before this call")?;
        let parts = task.into_iter();
        let parts = parts
            .map(|part| Value::Object(part.fields().clone()))
            .collect();
        self.journal.append(Event::Task { parts }).map(drop)
    }

    async fn work(&mut self) -> Result<RunEnd, LogError> {
        loop {
            if self.ledger.exceeded().is_none() {
                self.compact_if_due().await?;
            }
            // A summary is paid for as well.
            if let Some(limit) = self.reserve().await {
                return self.end(EndStatus::Budget { limit }, None);
            }
            let response = match self.ask().await? {
                Ended::Complete(response) => response,
                Ended::Cancelled(response) => {
                    return self.keep_partial(&response, EndStatus::Cancelled, None);
                }
                Ended::OutOfTime(response) => {
                    let limit = BudgetLimit::Seconds;
                    return self.keep_partial(&response, EndStatus::Budget { limit }, None);
                }
                Ended::Failed(_, error) if self.ask_without_call(&error) => continue,
                Ended::Failed(response, error) => {
                    let status = status_of(&error);
                    return self.keep_partial(&response, status, Some(error));
                }
            };
            if self.is_capped && response.finish == Some(Finish::MaxTokens) {
                let limit = BudgetLimit::Money;
                return self.keep_partial(&response, EndStatus::Budget { limit }, None);
            }
            self.record(&response)?;
            // There might have been more calls.
            let is_cut = response.finish.as_ref().is_some_and(Finish::is_cut);
            if is_cut && !response.calls().is_empty() {
                self.abandon_calls("not run: the response was cut off")?;
                return self.end(EndStatus::Completed, None);
            }
            if let Some(end) = self.end_with_answer(&response)? {
                return Ok(end);
            }
            if let Some(status) = final_status(&response) {
                if status == EndStatus::Completed && self.ask_for_schema()? {
                    continue;
                }
                return self.end(status, None);
            }
            if let Some(status) = self.answer_calls().await? {
                return self.end(status, None);
            }
            if self.repeats(&response)? == Repetition::End {
                return self.end(EndStatus::Loop, None);
            }
        }
    }

    /// The estimated number of tokens of the next request.
    fn estimated_tokens(&self) -> Option<u64> {
        let state = self.journal.state();
        let prompt = state.prompt(&self.fixed, 0)?;
        Some(prompt.estimated_tokens(state.sent.prompt))
    }

    /// Reserves what the next request may use, as soon as others leave enough of the budget. Returns
    /// the limit that it would exceed. A run that is cancelled reserves nothing.
    pub(crate) async fn reserve(&mut self) -> Option<BudgetLimit> {
        self.reservation = None;
        let tokens = self.estimated_tokens().unwrap_or(0);
        let wanted = self.settings.request.generation.max_output_tokens;
        let wanted = u64::from(wanted.unwrap_or(MAX_CAP));
        loop {
            let price = self.settings.price.as_ref();
            match self.ledger.reserve(tokens, wanted, price) {
                Ok(reservation) => {
                    self.reservation = Some(reservation);
                    return None;
                }
                Err(Refused::Exceeded(limit)) => return Some(limit),
                Err(Refused::Busy) if self.cancel.is_cancelled() => return None,
                Err(Refused::Busy) => waiting(sleep(BUSY_POLL), &mut *self.observer).await,
            }
        }
    }

    /// Limits the response to what the money that is left pays for.
    pub(crate) fn cap_output(&mut self, request: &mut Request) {
        let affordable = self.reservation.as_ref().and_then(|it| it.affordable);
        let limit = &mut request.generation.max_output_tokens;
        let cap = affordable.and_then(|tokens| u32::try_from(tokens).ok());
        let cap = cap.filter(|cap| *cap <= MAX_CAP && limit.is_none_or(|limit| *cap < limit));
        self.is_capped = cap.is_some();
        *limit = cap.or(*limit);
    }

    /// Returns true if the model repeats itself.
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

/// True if the user sees a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// It is for the user.
    Yes,
    /// It is for the agent itself.
    No,
}

impl Agent<'_> {
    /// Sends the next request. One that fails because of its cache is sent again in full.
    pub(crate) async fn ask(&mut self) -> Result<Ended, LogError> {
        let cancel = self.cancel.clone();
        // A provider that does not answer must not keep a run that was cancelled.
        let prepared = tokio::select! {
            biased;
            () = cancelled(&cancel) => None,
            cache = self.prepare_cache() => Some(cache?),
        };
        let Some(cache) = prepared else {
            return Ok(Ended::Cancelled(Response::default()));
        };
        let ended = self.ask_with(&cache).await?;
        let (Some(name), Ended::Failed(_, error)) = (&cache.name, &ended) else {
            return Ok(ended);
        };
        // A request may succeed without its cache.
        if !matches!(error, ModelError::Api(error) if matches!(error.status, 400 | 403 | 404)) {
            return Ok(ended);
        }
        self.fail_cache(name, error)?;
        self.ask_with(&cache.in_full()).await
    }

    async fn ask_with(&mut self, cache: &CacheUse) -> Result<Ended, LogError> {
        // A conversation always ends in a task or a result here.
        let Some(prompt) = self.journal.state().prompt(&self.fixed, cache.turns) else {
            return Ok(Ended::Complete(Response::default()));
        };
        let mut request = prompt.request(&self.settings.request, cache.name.as_deref());
        self.cap_output(&mut request);
        let turn = self.journal.state().requests.saturating_add(1);
        let layers = self.journal.keep_prompt(&prompt, cache.name.is_some())?;
        self.journal.append(Event::Request {
            hash: request.hash(),
            layers,
            model: request.model.clone(),
            turn,
        })?;
        self.observer.on(&Activity::Request(u64::from(turn)));
        self.exchange(&request, Shown::Yes).await
    }

    /// Sends `request`, and counts it. The response is left to the caller.
    pub(crate) async fn exchange(
        &mut self,
        request: &Request,
        shown: Shown,
    ) -> Result<Ended, LogError> {
        match self.reservation.as_mut().filter(|it| !it.is_sent) {
            Some(reservation) => reservation.is_sent = true,
            // In another form, as the first one was refused.
            None => self.ledger.add_turn(),
        }
        let mut silent = Silent;
        let exchange = Exchange {
            model: self.model,
            request,
            retry: self.settings.retry,
            time_left: self.ledger.time_left(),
            cancel: &self.cancel,
            observer: match shown {
                Shown::Yes => &mut *self.observer,
                Shown::No => &mut silent,
            },
        };
        let (ended, wasted) = exchange.run().await;
        self.note_usage(wasted)?;
        Ok(ended)
    }

    /// Writes a response and its usage to the log.
    pub(crate) fn record(&mut self, response: &Response) -> Result<(), LogError> {
        let content = response.content.as_ref().map(Content::to_log);
        let finish = response.finish.as_ref();
        let finish = finish.map(|finish| finish.as_str().to_owned());
        self.journal.append(Event::Response {
            content: content.unwrap_or_default(),
            finish_reason: finish.or_else(|| response.block_reason.clone()),
            model_version: response.model_version.clone(),
            response_id: response.id.clone(),
            masked: false,
        })?;
        self.last_text = response.text();
        let blocked = response.block_reason.as_deref().map(Finish::new);
        self.last_finish = response.finish.clone().or(blocked);
        self.last_explanation.clone_from(&response.finish_message);
        let usage = response.usage;
        self.record_usage(usage)?;
        self.observer.on(&Activity::Response(&usage));
        Ok(())
    }

    /// Writes the usage of a response to the log, if it has any, and releases the reservation.
    pub(crate) fn record_usage(&mut self, usage: Usage) -> Result<(), LogError> {
        let noted = self.note_usage(usage);
        self.reservation = None;
        noted
    }

    fn note_usage(&mut self, usage: Usage) -> Result<(), LogError> {
        if usage == Usage::default() {
            return Ok(());
        }
        let price = self.settings.price.as_ref();
        self.ledger.add_usage(usage, price);
        self.journal.append(usage_event(&usage, price)).map(drop)
    }

    /// Keeps what had arrived of a response if the user has seen any of it. Calls in it do not
    /// run: there might have been more.
    pub(crate) fn keep_partial(
        &mut self,
        response: &Response,
        status: EndStatus,
        error: Option<ModelError>,
    ) -> Result<RunEnd, LogError> {
        if response.text().trim().is_empty() {
            self.record_usage(response.usage)?;
        } else {
            self.record(response)?;
            self.abandon_calls("not run: the response was cut off")?;
        }
        self.end(status, error)
    }
}

/// Interval between two looks at a budget that requests of others use.
const BUSY_POLL: Duration = Duration::from_millis(20);

/// The largest limit of a response that is derived from money. Servers refuse one that is above the
/// limit of the model, and nearly every model's is above this.
const MAX_CAP: u32 = 8192;

impl Agent<'_> {
    /// Writes to the log that the answer of a run that has completed cannot be used. Returns
    /// how the run ended instead.
    pub fn reject_answer(&mut self, why: &Diagnostic) -> Result<EndStatus, LogError> {
        let message = format!("{}:\n{}", why.message, why.details);
        self.record_error(why.code, message, &why.subject)?;
        let status = EndStatus::failed(why.code);
        self.record_end(&status)?;
        Ok(status)
    }

    fn record_error(&mut self, code: Code, message: String, subject: &str) -> Result<(), LogError> {
        let event = Event::Error {
            code: code.name().to_owned(),
            message,
            subject: subject.to_owned(),
            hints: Vec::new(),
        };
        self.journal.append(event).map(drop)
    }

    fn record_end(&mut self, status: &EndStatus) -> Result<(), LogError> {
        let status = status.clone();
        self.journal.append(Event::End { status })?;
        self.journal.log().sync()
    }

    /// Writes the end of the run to the log.
    pub(crate) fn end(
        &mut self,
        status: EndStatus,
        error: Option<ModelError>,
    ) -> Result<RunEnd, LogError> {
        if let Some(error) = &error {
            self.record_error(code(error), error.to_string(), "")?;
        }
        self.record_end(&status)?;
        Ok(RunEnd {
            status,
            text: std::mem::take(&mut self.last_text),
            finish: self.last_finish.take(),
            explanation: self.last_explanation.take(),
            error,
        })
    }
}

impl Conversation {
    /// Returns true if there is nothing to go on with: the last task has its whole answer, or a
    /// refusal.
    pub fn is_finished(&self) -> bool {
        match self.finish() {
            _ if self.turns().is_empty() => true,
            Some(Finish::Refused(_)) => true,
            None | Some(Finish::MaxTokens | Finish::Cut(_)) => false,
            Some(_) => self.open_calls().is_empty() && self.last_answer().is_some(),
        }
    }
}

/// End of a run with a response; `None` if it has calls.
pub(crate) fn final_status(response: &Response) -> Option<EndStatus> {
    let is_refused = matches!(response.finish, Some(Finish::Refused(_)));
    if response.block_reason.is_some() || (is_refused && response.calls().is_empty()) {
        return Some(EndStatus::Refused);
    }
    if !response.calls().is_empty() {
        return None;
    }
    let is_malformed = matches!(response.finish, Some(Finish::MalformedCall(_)));
    if is_malformed || response.is_empty() {
        return Some(EndStatus::failed(Code::ModelFailed));
    }
    Some(EndStatus::Completed)
}

/// End of a run with an error.
pub(crate) fn status_of(error: &ModelError) -> EndStatus {
    match code(error) {
        Code::Unavailable => EndStatus::Unavailable,
        code => EndStatus::failed(code),
    }
}
