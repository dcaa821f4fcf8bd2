//! Results of earlier runs, for nodes with `cache`.
//!
//! They are in the sessions: a result that no one can look at would be hard to trust. Sessions are
//! the user's own, so a project cannot bring results along.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use cogtools_core::tool::Flow;
use cogtools_core::{Registry, Tool, digest};
use cogtools_log::SessionFile;
use cogtools_log::view::Run;
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
