//! A log and the state of the session in it, kept in step.

use std::collections::HashMap;
use std::sync::Arc;

use cogtools_log::{BlobId, Blobs, Cost, Entry, Event, Id, LayerSize, Log, LogError, Session};
use cogtools_model::{Content, Usage};
use parking_lot::{Mutex, MutexGuard};
use serde_json::json;

use crate::prompt::sent_dynamic;
use crate::{Conversation, Price, Prompt, State};

/// The note for a model that repeats itself.
const REPETITION: &str = "Note from cogtools: you have made the same calls with the same results \
several times. Do something else, or answer with what you know.";

/// The task for a model whose answer was cut off.
pub(crate) const GO_ON: &str = "Go on where you stopped.";

/// The task for a model that does not take a schema beside tools, after its work.
pub(crate) const AS_JSON: &str = "Give your answer again, as JSON that matches the schema.";

/// The log of a run: what is appended to it is part of the conversation at once.
#[derive(Debug)]
pub struct Journal {
    log: SharedLog,
    state: State,
    /// The blobs of prompts, by the hash of what they have before secrets are masked.
    prompts: HashMap<BlobId, BlobId>,
}

/// A log that the agents in a session share.
pub(crate) type SharedLog = Arc<Mutex<Log>>;

impl Journal {
    /// A session that begins.
    pub fn new(log: Log) -> Self {
        Self {
            log: Arc::new(Mutex::new(log)),
            state: State::default(),
            prompts: HashMap::new(),
        }
    }

    /// A conversation of its own below the entry `parent`.
    pub(crate) fn below(log: SharedLog, parent: Id) -> Self {
        Self {
            log,
            state: State::below(parent),
            prompts: HashMap::new(),
        }
    }

    /// The log, to share it.
    pub(crate) fn shared_log(&self) -> SharedLog {
        self.log.clone()
    }

    /// The log, which no other agent in the session writes meanwhile.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock()
    }

    /// A session that goes on after the entry `from`, or after its last one.
    pub fn resume(log: Log, session: &Session, from: Option<Id>) -> Self {
        Self {
            log: Arc::new(Mutex::new(log)),
            state: State::new(session, from),
            prompts: HashMap::new(),
        }
    }

    /// Forgets which calls the session says the user has approved: others may have written it.
    #[must_use]
    pub fn without_grants(mut self) -> Self {
        self.state.forget_grants();
        self
    }

    /// The log with the entry that its next line follows; `None` while an agent still has it.
    pub fn into_log(self) -> Option<(Log, Option<Id>)> {
        let head = self.state.head;
        let log = Arc::into_inner(self.log)?;
        Some((log.into_inner(), head))
    }

    /// Appends an event.
    pub fn append(&mut self, event: Event) -> Result<Id, LogError> {
        let applied = event.clone();
        let id = self.log.lock().append(self.state.head, event)?;
        self.state.apply(id, &applied);
        Ok(id)
    }

    /// Tells the model that it repeats itself: a message of its own, because results are what
    /// tools answered.
    pub(crate) fn warn_about_repetition(&mut self) -> Result<(), LogError> {
        let parts = vec![json!({ "text": REPETITION })];
        self.append(Event::Task { parts }).map(drop)
    }

    /// Takes the last task of the user back: what is appended from now on follows the entry before
    /// it. The file only grows. Returns the task; `None` if there is none.
    pub fn undo(&mut self) -> Result<Option<Event>, LogError> {
        let session = self.log.lock().session()?;
        let path = match self.state.head {
            Some(head) => session.path_to(head),
            None => Vec::new(),
        };
        let Some(task) = path.into_iter().rev().find(|entry| is_of_user(entry)) else {
            return Ok(None);
        };
        self.state = match task.parent {
            Some(parent) => State::new(&session, Some(parent)),
            None => State::default(),
        };
        self.append(Event::Undone { task: task.id })?;
        Ok(Some(task.event.clone()))
    }

    /// Keeps the text of `prompt` beside the log, and returns what the log says about its layers.
    /// What does not change is kept once.
    pub(crate) fn keep_prompt(
        &mut self,
        prompt: &Prompt,
        is_cached: bool,
    ) -> Result<Vec<LayerSize>, LogError> {
        let mut layers = prompt.sizes(is_cached);
        for (layer, parts) in layers.iter_mut().zip(prompt.texts()) {
            for part in parts {
                let hash = BlobId::of(part.as_bytes());
                let blob = match self.prompts.get(&hash) {
                    Some(known) => known.clone(),
                    None => self.log().write_blob(&part)?,
                };
                self.prompts.insert(hash, blob.clone());
                layer.parts.push(blob);
            }
        }
        Ok(layers)
    }

    /// The dynamic layer of the session, if a request has been sent with one.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub(crate) fn sent_dynamic(&self) -> Result<Option<Arc<Content>>, LogError> {
        let Some(head) = self.state.head.filter(|_| self.state.requests > 0) else {
            return Ok(None);
        };
        let log = self.log.lock();
        let session = log.session()?;
        Ok(sent_dynamic(session.path_to(head), log.blobs()))
    }

    /// Reads the session, and the folder of its blobs.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub fn read(&self) -> Result<(Session, Blobs), LogError> {
        let log = self.log.lock();
        Ok((log.session()?, log.blobs().clone()))
    }

    /// The state of the session.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The conversation.
    pub const fn conversation(&self) -> &Conversation {
        &self.state.conversation
    }
}

/// Returns true if an entry is a task that the user gave, and not one of the agent itself.
fn is_of_user(entry: &Entry) -> bool {
    let is_task = matches!(entry.event, Event::Task { .. });
    is_task && !matches!(entry.event.text(), Some(REPETITION | GO_ON | AS_JSON))
}

/// The usage of a request as a log has it.
pub(crate) fn usage_event(usage: &Usage, price: Option<&Price>) -> Event {
    Event::Usage(cogtools_log::Usage {
        prompt: usage.prompt,
        cached: usage.cached,
        candidates: usage.output,
        thoughts: usage.thoughts,
        total: usage.total,
        cost: price.map(|price| Cost {
            amount: price.cost(usage),
            currency: price.currency.clone(),
        }),
    })
}
