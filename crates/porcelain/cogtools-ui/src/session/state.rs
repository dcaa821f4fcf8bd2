//! Whether a session is being written.

use cogtools_log::{Entry, Event, Index, Line};
use serde::Serialize;

use crate::respond::PageError;

/// How many lines at the end are looked at.
const END_LINES: usize = 24;

/// What a session does right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunState {
    /// A process, of this server or of a terminal, works on a turn.
    Running,
    /// A turn has no end, and its process is gone.
    Interrupted,
    /// Every turn has its end.
    Idle,
}

impl RunState {
    /// The state of the session with these lines.
    pub(crate) fn of(index: &Index) -> Result<Self, PageError> {
        let behind = index.lines() + 1;
        let lines = index.read(behind.saturating_sub(END_LINES)..behind)?;
        if !is_open(&lines) {
            return Ok(Self::Idle);
        }
        Ok(if index.file().is_in_use()? {
            Self::Running
        } else {
            Self::Interrupted
        })
    }

    /// The state now, if nothing was written since: only the process may be gone, or another.
    pub(crate) fn again(self, index: &Index) -> Result<Self, PageError> {
        Ok(match self {
            Self::Idle => Self::Idle,
            Self::Running | Self::Interrupted if index.file().is_in_use()? => Self::Running,
            Self::Running | Self::Interrupted => Self::Interrupted,
        })
    }

    /// Its name in pages and events.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Idle => "idle",
        }
    }
}

/// Whether the last turn in `lines` has no end. What a run writes about itself, such as its cache,
/// may also come after its end; and the end of an agent that a call runs is not that of the turn.
fn is_open(lines: &[Line]) -> bool {
    let entries: Vec<&Entry> = lines
        .iter()
        .filter_map(|line| line.entry.as_ref().ok())
        .collect();
    let mut found = entries.iter().rev().filter_map(|entry| match entry.event {
        Event::End { .. } if is_nested(entry, &entries) => None,
        Event::End { .. } | Event::Undone { .. } => Some(false),
        Event::Cache { .. }
        | Event::Usage(_)
        | Event::Error { .. }
        | Event::Expired { .. }
        | Event::Compaction { .. }
        | Event::Torn { .. }
        | Event::Unknown(_) => None,
        _ => Some(true),
    });
    found.next().unwrap_or(false)
}

/// Whether an entry is below an agent that a call runs, as far as `entries` say so.
fn is_nested(entry: &Entry, entries: &[&Entry]) -> bool {
    let parent = |entry: &&Entry| {
        let id = entry.parent?;
        entries.iter().copied().find(|one| one.id == id)
    };
    std::iter::successors(Some(entry), parent).any(|one| matches!(one.event, Event::Agent { .. }))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use cogtools_log::Reader;
    use serde_json::json;

    use super::*;

    /// Whether a session is open that has these events, each with its parent.
    fn check(events: &[(u64, serde_json::Value)], expected: bool) {
        let mut text = json!({"kind": "session", "format": 1, "session": "a", "project": "p",
            "time": "2026-11-22T09:00:00Z", "program": "1", "model": "m"})
        .to_string();
        for ((parent, event), id) in events.iter().zip(1_u64..) {
            let mut line = event.clone();
            line["id"] = id.into();
            line["parent"] = (*parent > 0).then_some(*parent).into();
            line["time"] = "2026-11-22T09:00:00Z".into();
            let _ = write!(text, "\n{line}");
        }
        let mut reader = Reader::new(text.as_bytes(), Path::new("s")).expect("a session");
        let lines: Vec<Line> = std::iter::from_fn(|| reader.next_line().expect("a line")).collect();
        assert!(lines.iter().all(|line| line.entry.is_ok()), "{lines:?}");
        assert_eq!(is_open(&lines), expected, "{events:?}");
    }

    #[test]
    fn a_turn_is_open_until_its_own_end() {
        let task = || json!({"kind": "task", "parts": []});
        let agent = || json!({"kind": "agent", "tool": "t"});
        let end = || json!({"kind": "end", "status": "completed"});
        let cache = || json!({"kind": "cache", "name": "n", "state": "deleted", "tokens": 1});
        let later = || json!({"kind": "later"});
        check(&[], false);
        check(&[(0, task())], true);
        check(&[(0, task()), (1, end())], false);
        check(
            &[(0, task()), (1, end()), (2, cache()), (3, later())],
            false,
        );
        check(&[(0, task()), (1, end()), (2, task()), (3, cache())], true);
        // The agent has ended, and the call that runs it has not.
        check(&[(0, task()), (1, agent()), (2, task()), (3, end())], true);
        let agents = [
            (0, task()),
            (1, agent()),
            (2, task()),
            (3, end()),
            (1, end()),
        ];
        check(&agents, false);
        let undone = json!({"kind": "undone", "task": 1});
        check(&[(0, task()), (0, undone)], false);
    }
}
