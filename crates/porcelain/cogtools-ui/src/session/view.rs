//! The part of a session that a page shows: its last lines, or those before a line.

use cogtools_log::{Blobs, Index, Line};
use serde_json::{Value, json};

use super::prompt::read_texts;
use super::state::RunState;
use super::turn::Turn;
use super::turns::turns;
use crate::respond::PageError;

/// How many lines a page shows.
const PAGE_LINES: usize = 400;

/// What a page shows.
pub(crate) struct View {
    /// The first line of it.
    first: usize,
    /// The last line of the session.
    last: usize,
    /// Whether the page ends with the session.
    is_end: bool,
    turns: Vec<Turn>,
    state: RunState,
    /// What names the lines.
    content: String,
}

impl View {
    /// The lines before the line `before`, or the last ones.
    pub(crate) fn read(index: &Index, before: Option<usize>) -> Result<Self, PageError> {
        let behind = index.lines() + 1;
        let end = before.unwrap_or(behind).clamp(2, behind.max(2));
        let start = end.saturating_sub(PAGE_LINES).max(2);
        let lines = index.read(start..end)?;
        let (state, is_end) = (RunState::of(index)?, end == behind.max(2));
        let mut turns = turns(&lines);
        if let Some(last) = turns.last_mut().filter(|_| is_end)
            && state == RunState::Interrupted
        {
            last.interrupt();
        }
        Ok(Self {
            first: start,
            last: index.lines(),
            is_end,
            turns,
            state,
            content: index.content(),
        })
    }

    /// Reads what the requests of the turn have sent that [`View::shown`] is.
    pub(crate) fn read_prompts(&mut self, selected: Option<usize>, blobs: &Blobs) {
        let line = self.shown(selected).map(|turn| turn.line);
        let mut turns = self.turns.iter_mut();
        if let Some(turn) = turns.find(|turn| Some(turn.line) == line) {
            read_texts(&mut turn.requests, blobs);
        }
    }

    /// The turn that begins with the line `selected`; without it, the last one.
    pub(crate) fn shown(&self, selected: Option<usize>) -> Option<&Turn> {
        let is_selected = |turn: &&Turn| Some(turn.line) == selected;
        self.turns.iter().find(is_selected).or(self.turns.last())
    }

    /// Its variables for a template. `selected` is the line of the turn whose work is shown;
    /// without it, the last one.
    pub(crate) fn context(&self, selected: Option<usize>) -> Value {
        let shown = self.shown(selected);
        json!({
            "first": self.first,
            "last": self.last,
            "earlier": (self.first > 2).then_some(self.first),
            "is_end": self.is_end,
            "state": self.state,
            "content": self.content,
            "turns": self.turns,
            "turn": shown,
        })
    }
}

/// The lines at the beginning and at the end, for a list.
pub(crate) fn ends(index: &Index, count: usize) -> Result<(Vec<Line>, Vec<Line>), PageError> {
    let behind = index.lines() + 1;
    let first = index.read(2..behind.min(2 + count))?;
    let last = index.read(behind.saturating_sub(count).max(2)..behind)?;
    Ok((first, last))
}
