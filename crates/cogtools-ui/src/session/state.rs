//! Whether a session is being written.

use cogtools_log::{Event, Index, Line};
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
/// may also come after its end.
fn is_open(lines: &[Line]) -> bool {
    let events = lines
        .iter()
        .rev()
        .filter_map(|line| line.entry.as_ref().ok());
    let mut found = events.filter_map(|entry| match entry.event {
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
