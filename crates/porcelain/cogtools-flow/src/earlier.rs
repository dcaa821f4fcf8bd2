//! Results of earlier runs, for nodes with `cache`, and failures with which a run has gone on.
//!
//! The results are in the sessions: a result that no one can look at would be hard to trust. Sessions
//! are the user's own, so a project cannot bring results along.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use cogtools_core::tool::Flow;
use cogtools_core::{Code, Diagnostic, Registry, Tool, digest};
use cogtools_executor::{Failure, State};
use cogtools_log::view::{Results, Run};
use cogtools_log::{NodeState, SessionFile};
use cogtools_program::Io;
use serde_json::{Map, Value, json};

use crate::journal;

/// The number of sessions that are read, the newest first.
const MAX_SESSIONS: usize = 32;

/// Results of earlier runs, by the digest of their call; they are read when the first is wanted.
#[derive(Debug, Default)]
pub(crate) struct EarlierResults {
    sessions: Vec<SessionFile>,
    found: OnceLock<BTreeMap<String, Value>>,
}

impl EarlierResults {
    /// The results of the project that nodes of `tool` may use. Without `cache` no session is looked for.
    pub(crate) fn of(tool: &Tool, io: &Io<'_>) -> Self {
        let mut nodes = tool.flow().map(Flow::nodes).unwrap_or_default().iter();
        if !nodes.any(|node| node.is_cached) {
            return Self::default();
        }
        let mut sessions = journal::sessions(io);
        sessions.truncate(MAX_SESSIONS);
        Self {
            sessions,
            found: OnceLock::new(),
        }
    }

    /// The result of the call `key`.
    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        let found = self.found.get_or_init(|| self.read());
        found.get(key).cloned()
    }

    /// All results; of several for a call, the newest. A session that cannot be read has none: the
    /// call is made again.
    fn read(&self) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        for file in self.sessions.iter().rev() {
            if let Ok(session) = journal::read(file)
                && let Some(run) = Run::last(&session.branch(None), "flow")
            {
                found.extend(run.keyed_results(file));
            }
        }
        found
    }
}

/// The digest of a call of `tool`, if its results may be used again: it only reads, or is
/// idempotent. What runs is part of it, so that a changed tool is called.
pub(crate) fn key(
    tool: &Tool,
    arguments: &Map<String, Value>,
    registry: &Registry,
) -> Option<String> {
    let annotations = &tool.annotations;
    let is = |hint: Option<bool>| hint == Some(true);
    if !is(annotations.read_only) && !is(annotations.idempotent) {
        return None;
    }
    let content = registry.content_digest(tool);
    let call = json!([tool.name().as_str(), content, arguments]);
    Some(digest::value(&call).to_string())
}

/// The failures with which a flow has gone on.
pub(crate) fn tolerated(
    flow: &Flow,
    states: &BTreeMap<String, State>,
) -> impl Iterator<Item = (String, Failure)> {
    let nodes = flow.nodes().iter().filter(|node| flow.tolerates(node));
    nodes.filter_map(|node| match states.get(&node.id) {
        Some(State::Failed(failure)) if !failure.is_blocking => {
            Some((node.id.clone(), failure.clone()))
        }
        _ => None,
    })
}

/// The failures of a run in a session with which other nodes have gone on, which have the `results`.
pub(crate) fn tolerated_before(
    tool: &Tool,
    run: &Run<'_>,
    results: &Results,
) -> BTreeMap<String, Failure> {
    let nodes = run.nodes.values();
    let failures = nodes.filter_map(|logged| {
        let NodeState::Failed { message, .. } = logged.state else {
            return None;
        };
        let flow = tool.flow()?;
        let node = flow.node(logged.id).filter(|node| flow.tolerates(node))?;
        let mut others = flow.dependents(node);
        others
            .any(|other| results.nodes.contains_key(&other.id))
            .then_some(())?;
        let failure = Failure::new(Diagnostic::new(Code::NodeFailed, message));
        Some((logged.id.to_owned(), failure))
    });
    failures.collect()
}
