//! The state of a session at one of its entries: everything that the next request needs.

use std::collections::HashMap;
use std::sync::Arc;

use cogtools_core::todo::Todo;
use cogtools_log::{
    Approval, CacheState, CallId, Decision, Entry, Event, Id, Outcome, Session, Timestamp,
};
use cogtools_model::Content;
use serde_json::Value;

use crate::Conversation;
use crate::cache::{CacheRecord, CacheUse};
use crate::history::SentTokens;
use crate::prompt::{Prompt, StaticLayer};

/// The state of a session, read from its log.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The conversation.
    pub conversation: Conversation,
    /// The last entry.
    pub head: Option<Id>,
    /// The tokens of the last request.
    pub(crate) sent: SentTokens,
    /// The cache that the last requests used.
    pub(crate) cache: Option<CacheRecord>,
    /// Number of requests.
    pub(crate) requests: u32,
    /// The tokens of the last request when no cache could be made.
    refused_at: Option<u64>,
    decisions: HashMap<CallId, Approval>,
    /// The questions about calls that the run waits for.
    questions: HashMap<CallId, Approval>,
    is_paused: bool,
    has_ended: bool,
    todos: TodoState,
}

/// The part that all requests of a run have in common.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// Instructions.
    pub system: Option<Arc<Content>>,
    /// The declarations of the tools.
    pub tools: Arc<Vec<Value>>,
    /// The state of the world when the task was given.
    pub dynamic: Option<Arc<Content>>,
}

impl State {
    /// The state of `session` after the entry `from`, or after its last one.
    pub fn new(session: &Session, from: Option<Id>) -> Self {
        let mut state = Self::default();
        let head = from.or_else(|| session.head());
        for Entry { id, event, .. } in head.map(|head| session.path_to(head)).unwrap_or_default() {
            state.apply(*id, event);
        }
        state
    }

    /// The state of a conversation that begins below the entry `parent`.
    pub(crate) fn below(parent: Id) -> Self {
        Self {
            head: Some(parent),
            ..Self::default()
        }
    }

    /// Forgets which calls were approved.
    pub(crate) fn forget_grants(&mut self) {
        let is_denied = |approval: &Approval| approval.decision == Decision::Denied;
        self.decisions.retain(|_, approval| is_denied(approval));
        self.conversation.forget_grants();
    }

    /// Adds the next entry.
    pub fn apply(&mut self, id: Id, event: &Event) {
        self.head = Some(id);
        self.conversation.push(id, event);
        self.todos.apply(event);
        self.has_ended = matches!(event, Event::End { .. });
        match event {
            Event::Request { .. } => self.requests += 1,
            Event::Usage(usage) => {
                self.sent = SentTokens {
                    prompt: usage.prompt,
                    cached: usage.cached,
                };
            }
            // What was sent before is not sent again.
            Event::Compaction { .. } | Event::Expired { .. } => {
                self.sent = SentTokens::default();
                self.cache = None;
                self.refused_at = None;
            }
            Event::Paused { .. } => self.is_paused = true,
            Event::Task { .. } => self.is_paused = false,
            Event::Call(call) if call.approval.decision == Decision::Asked => {
                self.questions
                    .insert(call.call.clone(), call.approval.clone());
            }
            Event::Decision { call, approval } => {
                self.decisions.insert(call.clone(), approval.clone());
            }
            Event::Cache { name, state, .. } => {
                CacheRecord::update(&mut self.cache, name, state);
                match state {
                    CacheState::Created { .. } => self.refused_at = None,
                    CacheState::Failed { .. } if name.is_empty() => {
                        self.refused_at = Some(self.sent.prompt);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The prompt for the next request, whose first layer has `turns` turns. `None` if there is
    /// nothing to react to.
    pub fn prompt(&self, fixed: &Fixed, turns: usize) -> Option<Prompt> {
        let mut contents = self.conversation.contents();
        let (_, trigger) = contents.pop()?;
        let cut = contents.partition_point(|(end, _)| *end <= turns);
        let buffered = contents.split_off(cut);
        let strip = |contents: Vec<(usize, Arc<Content>)>| {
            contents.into_iter().map(|(_, content)| content).collect()
        };
        Some(Prompt {
            fixed: StaticLayer {
                system: fixed.system.clone(),
                tools: Arc::clone(&fixed.tools),
                history: strip(contents),
            },
            dynamic: fixed.dynamic.clone(),
            buffered: strip(buffered),
            trigger,
        })
    }

    /// The first layer with `turns` turns.
    pub fn static_layer(&self, fixed: &Fixed, turns: usize) -> StaticLayer {
        let contents = self.conversation.contents().into_iter();
        let contents = contents.take_while(|(end, _)| *end <= turns);
        StaticLayer {
            system: fixed.system.clone(),
            tools: Arc::clone(&fixed.tools),
            history: contents.map(|(_, content)| content).collect(),
        }
    }

    /// The cache of the session, if it still is what a request with that first layer begins with.
    pub fn usable_cache(&self, fixed: &Fixed, model: &str, now: Timestamp) -> Option<CacheUse> {
        let cache = self.cache.as_ref()?;
        if cache.expires <= now || cache.key != cache_key(fixed, model) {
            return None;
        }
        let mut turns = self.conversation.turns().iter();
        let turns = match cache.up_to {
            Some(id) => turns.position(|turn| turn.id == id)? + 1,
            None => 0,
        };
        Some(CacheUse {
            turns,
            name: Some(cache.name.clone()),
        })
    }

    /// Returns true if the session had a cache of that first layer which the provider has deleted
    /// by now.
    pub(crate) fn has_lapsed_cache(&self, fixed: &Fixed, model: &str, now: Timestamp) -> bool {
        let is_lapsed =
            |cache: &CacheRecord| cache.expires <= now && cache.key == cache_key(fixed, model);
        self.cache.as_ref().is_some_and(is_lapsed)
    }

    /// Returns true if a cache can be made: one that was refused is tried again when there is twice
    /// as much to cache.
    pub(crate) fn may_create_cache(&self) -> bool {
        self.refused_at
            .is_none_or(|refused| self.sent.prompt >= refused.saturating_mul(2))
    }

    /// The list of things to do.
    pub fn todos(&self) -> &[Todo] {
        self.todos.list()
    }

    /// Returns true if there is nothing to go on with, and the last run has said so.
    pub fn is_done(&self) -> bool {
        let is_empty = self.conversation.turns().is_empty();
        is_empty || self.has_ended && self.conversation.is_finished()
    }

    /// Returns true if the last run waits for the user's answers, and calls have no result yet.
    pub fn waits(&self) -> bool {
        self.is_paused && !self.conversation.open_calls().is_empty()
    }

    /// Returns the question about a call that the run waits for.
    pub fn question(&self, call: &CallId) -> Option<&Approval> {
        self.questions.get(call)
    }

    /// Returns the user's decision about a call that a run waited for.
    pub fn decision(&self, call: &CallId) -> Option<&Approval> {
        self.decisions.get(call)
    }
}

/// Key of a cache: the hash of the model, the instructions and the tools.
pub(crate) fn cache_key(fixed: &Fixed, model: &str) -> String {
    let layer = StaticLayer {
        system: fixed.system.clone(),
        tools: Arc::clone(&fixed.tools),
        history: Vec::new(),
    };
    layer.key(model)
}

/// The tool that writes the list.
const TOOL: &str = "todo_write";

/// The list, and calls that may replace it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TodoState {
    list: Vec<Todo>,
    open: Vec<(CallId, Vec<Todo>)>,
}

impl TodoState {
    /// The list.
    pub(crate) fn list(&self) -> &[Todo] {
        &self.list
    }

    /// Adds the next entry.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::Call(call) if call.tool == TOOL => {
                let todos = todos(call.resolved());
                self.open
                    .extend(todos.map(|todos| (call.call.clone(), todos)));
            }
            Event::Result(result) => {
                let is_same = |(open, _): &(CallId, Vec<Todo>)| *open == result.call;
                let Some(index) = self.open.iter().position(is_same) else {
                    return;
                };
                let (_, todos) = self.open.remove(index);
                if result.outcome == Outcome::Succeeded {
                    self.list = todos;
                }
            }
            _ => {}
        }
    }
}

fn todos(arguments: &Value) -> Option<Vec<Todo>> {
    serde_json::from_value(arguments.get("todos")?.clone()).ok()
}
