//! The part of a session that a page shows: whole turns, around one or before a line.

use cogtools_log::{Blobs, Event, Index, Line};
use serde_json::{Value, json};

use crate::respond::{App, PageError};
use crate::session::list::event;
use crate::session::request::asked_calls;
use crate::session::sessions::RunState;
use crate::session::timeline::read_texts;
use crate::session::turn::{QuestionKind, Turn};
use crate::session::turns::turns;
use crate::tool;

/// Number of lines of a page; the rest of a turn that it would cut in two comes on top.
const PAGE_LINES: usize = 400;
/// The number of lines in which the beginning of a turn is looked for.
const MAX_TURN_LINES: usize = 20_000;

/// Returns true if a turn begins with the line behind `before`. The task of an agent that a call
/// runs belongs to the turn of the call, and a plan to the turn of the task that it answers.
pub(super) fn begins_turn(before: &Line, line: &Line) -> bool {
    match event(line) {
        Some(Event::Task { .. }) => !matches!(event(before), Some(Event::Agent { .. })),
        Some(Event::Flow { .. }) => true,
        Some(Event::Plan { .. }) => matches!(event(before), Some(Event::End { .. })),
        _ => false,
    }
}

/// The number of the last line, at most `number`, with which a turn begins.
fn turn_before(index: &Index, number: usize) -> Result<usize, PageError> {
    let mut behind = number + 1;
    while behind > 3 && number.saturating_sub(behind) < MAX_TURN_LINES {
        let first = behind.saturating_sub(PAGE_LINES).max(2);
        let lines = index.read(first..behind)?;
        let mut pairs = lines.windows(2).rev();
        if let Some(pair) = pairs.find(|pair| begins_turn(&pair[0], &pair[1])) {
            return Ok(pair[1].number);
        }
        behind = first + 1;
    }
    Ok(if behind <= 3 { 2 } else { number })
}

/// The number of the first line, at least `number`, with which a turn begins, or the one behind
/// the last line.
fn turn_from(index: &Index, number: usize) -> Result<usize, PageError> {
    let behind = (index.lines() + 1).max(2);
    let mut first = number.saturating_sub(1).max(2);
    while first + 1 < behind && first < number.saturating_add(MAX_TURN_LINES) {
        let end = first.saturating_add(PAGE_LINES).min(behind);
        let lines = index.read(first..end)?;
        let mut pairs = lines.windows(2);
        if let Some(pair) = pairs.find(|pair| begins_turn(&pair[0], &pair[1])) {
            return Ok(pair[1].number);
        }
        first = end - 1;
    }
    Ok(if first + 1 >= behind { behind } else { number })
}

/// The part of a session that a page shows.
pub(crate) struct View {
    /// The first line of it.
    first: usize,
    /// The last line of the session.
    last: usize,
    /// True if the page ends with the session.
    is_end: bool,
    pub(super) turns: Vec<Turn>,
    state: RunState,
    /// The name of the lines.
    content: String,
}

impl View {
    /// Reads the lines before the line `before`; without it, those from the turn that begins with
    /// the line `selected`, or the last ones if it is among them.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if no turn begins there.
    pub(crate) fn read(
        index: &Index,
        before: Option<usize>,
        selected: Option<usize>,
    ) -> Result<Self, PageError> {
        let behind = index.lines() + 1;
        let after = selected.map(|line| line.saturating_add(PAGE_LINES));
        let end = before.or(after).unwrap_or(behind).clamp(2, behind.max(2));
        let start = turn_before(index, end.saturating_sub(PAGE_LINES).max(2))?;
        let end = turn_from(index, end)?;
        let lines = index.read(start..end)?;
        let (state, is_end) = (RunState::of(index)?, end == behind.max(2));
        let mut turns = turns(&lines);
        if let Some(last) = turns.last_mut().filter(|_| is_end)
            && state == RunState::Interrupted
        {
            last.interrupt();
        }
        if selected.is_some_and(|line| turns.iter().all(|turn| turn.line != line)) {
            return Err(PageError::NotFound);
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

    /// Says of the tools whose calls wait for the user what they are, and what they would run.
    pub(crate) fn describe_questions(&mut self, app: &App) {
        let questions = self.turns.iter_mut().flat_map(|turn| &mut turn.questions);
        for question in questions.filter(|question| !question.tool.is_empty()) {
            // Without its file, a tool is shown by its name.
            let described = tool::with_tool(app, &question.tool, |tool, _| {
                let runs = tool.command_line().map(|line| line.to_string());
                (tool.description.clone(), runs.unwrap_or_default())
            });
            (question.description, question.runs) = described.unwrap_or_default();
            if question.kind == QuestionKind::Program {
                question.calls = asked_calls(app, &question.code);
            }
        }
    }

    /// Reads what the requests of the turn have sent that [`View::shown`] is.
    pub(crate) fn read_prompts(&mut self, selected: Option<usize>, blobs: &Blobs) {
        let line = self.shown(selected).map(|turn| turn.line);
        let mut turns = self.turns.iter_mut();
        if let Some(turn) = turns.find(|turn| Some(turn.line) == line) {
            read_texts(turn.requests(), blobs);
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
