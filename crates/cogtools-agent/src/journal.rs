//! A log and the conversation in it, kept in step.

use std::collections::HashMap;

use cogtools_log::{Approval, CallId, Cost, Entry, Event, Id, Log, LogError, Session};
use cogtools_model::Usage;

use serde_json::json;

use crate::cache::CacheRecord;
use crate::history::SentTokens;
use crate::{Conversation, Price};

/// What a model reads that repeats itself.
const REPETITION: &str = "Note from cogtools: you have made the same calls with the same results \
several times. Do something else, or answer with what you know.";

/// The log of a run: what is appended to it is part of the conversation at once.
#[derive(Debug)]
pub struct Journal {
    log: Log,
    conversation: Conversation,
    head: Option<Id>,
    /// The tokens of the last request.
    sent: SentTokens,
    /// The cache that the last requests used.
    cache: Option<CacheRecord>,
    /// How many requests the session has.
    requests: u32,
    /// What the user decided about calls that a run waited for.
    decisions: HashMap<CallId, Approval>,
}

impl Journal {
    /// A session that begins.
    pub fn new(log: Log) -> Self {
        Self {
            log,
            conversation: Conversation::default(),
            head: None,
            sent: SentTokens::default(),
            cache: None,
            requests: 0,
            decisions: HashMap::new(),
        }
    }

    /// A session that goes on after the entry `from`.
    pub fn resume(log: Log, session: &Session, from: Option<Id>) -> Self {
        let mut journal = Self::new(log);
        let head = from.or_else(|| session.head());
        for entry in head.map(|head| session.path_to(head)).unwrap_or_default() {
            journal.read(entry);
        }
        journal.head = head;
        journal
    }

    fn read(&mut self, entry: &Entry) {
        self.conversation.push(entry.id, &entry.event);
        self.note(&entry.event);
    }

    /// Appends an event.
    pub fn append(&mut self, event: Event) -> Result<Id, LogError> {
        let id = self.log.append(self.head, event.clone())?;
        self.head = Some(id);
        self.conversation.push(id, &event);
        self.note(&event);
        Ok(id)
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::Request { .. } => self.requests += 1,
            Event::Usage(usage) => {
                self.sent = SentTokens {
                    prompt: usage.prompt,
                    cached: usage.cached,
                };
            }
            // What was sent before is not sent again.
            Event::Compaction { .. } => {
                self.sent = SentTokens::default();
                self.cache = None;
            }
            Event::Decision { call, approval } => {
                self.decisions.insert(call.clone(), approval.clone());
            }
            Event::Cache { name, state, .. } => {
                CacheRecord::update(&mut self.cache, name, state);
            }
            _ => {}
        }
    }

    /// Keeps the whole of a result beside the log.
    pub fn write_blob(&mut self, bytes: &[u8]) -> Result<cogtools_log::BlobId, LogError> {
        self.log.write_blob(bytes)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), LogError> {
        self.log.sync()
    }

    /// The conversation.
    pub const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The tokens of the last request.
    pub const fn sent(&self) -> SentTokens {
        self.sent
    }

    /// The cache that the last requests used.
    pub const fn cache(&self) -> Option<&CacheRecord> {
        self.cache.as_ref()
    }

    /// How many requests the session has.
    pub const fn requests(&self) -> u32 {
        self.requests
    }

    /// What the user decided about a call that a run waited for.
    pub fn decision(&self, call: &CallId) -> Option<Approval> {
        self.decisions.get(call).cloned()
    }

    /// Tells the model that it repeats itself: a message of its own, because results are what
    /// tools answered.
    pub(crate) fn warn_about_repetition(&mut self) -> Result<(), LogError> {
        let parts = vec![json!({ "text": REPETITION })];
        self.append(Event::Task { parts }).map(drop)
    }

    /// The time, by the clock of the log.
    pub fn now(&self) -> cogtools_log::Timestamp {
        self.log.now()
    }

    /// The last entry.
    pub const fn head(&self) -> Option<Id> {
        self.head
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
