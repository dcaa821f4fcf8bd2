//! The loop: ask, call, answer, until the model is done.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cogtools_core::Cancel;
use cogtools_log::{BudgetLimit, EndStatus, Event, LogError};
use cogtools_model::{Content, Finish, Model, ModelError, Part, Response};
use serde_json::Value;

use crate::calls::CallsEnd;
use crate::ending::{final_status, no_answer, status_of};
use crate::journal::GO_ON;
use crate::loop_guard::{LoopGuard, Repetition};
use crate::observer::{Activity, Observer};
use crate::respond::Ended;
use crate::scope::Questions;
use crate::state::Fixed;
use crate::{AgentTool, Journal, Ledger, Settings, ToolTraits, Tools, answer_call};

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
    /// Tools that the user has approved for the whole run.
    pub(crate) always: HashSet<String>,
    pub(crate) has_failed_to_compact: bool,
    /// The text of the last response, and why it ended.
    pub(crate) last_text: String,
    pub(crate) last_finish: Option<Finish>,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) questions: Questions,
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
    pub fn new(mut parts: AgentParts<'a>) -> Self {
        let tools: Vec<AgentTool> = parts.tools.list();
        let declared = answer_call::declare(&tools, &mut parts.settings);
        Self {
            model: parts.model,
            traits: tools
                .iter()
                .map(|tool| (tool.name.clone(), tool.traits))
                .collect(),
            fixed: Fixed {
                system: parts.system,
                tools: declared,
                dynamic: parts.dynamic,
                whole_results: parts.settings.history.whole_results,
            },
            tools: parts.tools,
            journal: parts.journal,
            settings: parts.settings,
            ledger: parts.ledger,
            guard: LoopGuard::default(),
            always: HashSet::new(),
            has_failed_to_compact: false,
            last_text: String::new(),
            last_finish: None,
            observer: parts.observer,
            questions: Questions::default(),
            cancel: parts.cancel,
        }
    }

    /// The log of the session.
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The name of the model.
    pub fn model_name(&self) -> &str {
        &self.settings.request.model
    }

    /// The log of the session, for the next agent.
    pub fn into_journal(self) -> Journal {
        self.journal
    }

    /// Gives a task, and works on it until the model is done, or something ends it.
    pub async fn run(&mut self, task: Vec<Part>) -> Result<RunEnd, LogError> {
        self.add_task(task)?;
        self.work().await
    }

    /// Goes on with a run that waits for answers or was interrupted. What has an answer already
    /// is not asked again.
    pub async fn resume(&mut self) -> Result<RunEnd, LogError> {
        match self.answer_calls().await? {
            CallsEnd::Answered => {}
            CallsEnd::Paused => return self.end(EndStatus::ApprovalWanted, None),
            CallsEnd::Cancelled => return self.end(EndStatus::Cancelled, None),
        }
        let conversation = self.journal.conversation();
        if conversation.turns().is_empty() {
            return self.end(no_answer(), None);
        }
        let Some(answer) = conversation.last_answer() else {
            return self.work().await;
        };
        let finish = conversation.finish().cloned();
        match finish {
            None | Some(Finish::MaxTokens) => {
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
            if self.ledger.exceeded().is_none() {
                self.compact_if_due().await?;
            }
            // A summary is paid for as well.
            if let Some(limit) = self.ledger.exceeded() {
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
            self.record(&response)?;
            if let Some(end) = self.end_with_answer(&response)? {
                return Ok(end);
            }
            if let Some(status) = final_status(&response) {
                return self.end(status, None);
            }
            match self.answer_calls().await? {
                CallsEnd::Answered => {}
                CallsEnd::Paused => return self.end(EndStatus::ApprovalWanted, None),
                CallsEnd::Cancelled => return self.end(EndStatus::Cancelled, None),
            }
            if self.repeats(&response)? == Repetition::End {
                return self.end(EndStatus::Loop, None);
            }
        }
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
