//! A log and the state of the session in it, kept in step.

use cogtools_log::{BlobId, Cost, Event, Id, Log, LogError, Session, Timestamp};
use cogtools_model::Usage;
use serde_json::json;

use crate::{Conversation, Price, State};

/// What a model reads that repeats itself.
const REPETITION: &str = "Note from cogtools: you have made the same calls with the same results \
several times. Do something else, or answer with what you know.";

/// The log of a run: what is appended to it is part of the conversation at once.
#[derive(Debug)]
pub struct Journal {
    log: Log,
    state: State,
}

impl Journal {
    /// A session that begins.
    pub fn new(log: Log) -> Self {
        Self {
            log,
            state: State::default(),
        }
    }

    /// A session that goes on after the entry `from`, or after its last one.
    pub fn resume(log: Log, session: &Session, from: Option<Id>) -> Self {
        Self {
            log,
            state: State::new(session, from),
        }
    }

    /// Appends an event.
    pub fn append(&mut self, event: Event) -> Result<Id, LogError> {
        let applied = event.clone();
        let id = self.log.append(self.state.head(), event)?;
        self.state.apply(id, &applied);
        Ok(id)
    }

    /// Tells the model that it repeats itself: a message of its own, because results are what
    /// tools answered.
    pub(crate) fn warn_about_repetition(&mut self) -> Result<(), LogError> {
        let parts = vec![json!({ "text": REPETITION })];
        self.append(Event::Task { parts }).map(drop)
    }

    /// Keeps the whole of a result beside the log.
    pub fn write_blob(&mut self, bytes: &[u8]) -> Result<BlobId, LogError> {
        self.log.write_blob(bytes)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), LogError> {
        self.log.sync()
    }

    /// The state of the session.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The conversation.
    pub const fn conversation(&self) -> &Conversation {
        self.state.conversation()
    }

    /// The time, by the clock of the log.
    pub fn now(&self) -> Timestamp {
        self.log.now()
    }
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
