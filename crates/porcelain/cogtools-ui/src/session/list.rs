//! The list of sessions: what waits or runs on top, searched, and in pages.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use cogtools_core::Code;
use cogtools_log::{EndStatus, Event, Index, Line, SessionId, Timestamp, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cut;
use crate::respond::{Answer, App, PageError, failure};
use crate::session::sessions::{Known, RunState};
use crate::session::timeline::cost;
use crate::session::view::ends;

/// The number of lines at both ends of a long session that are looked at.
const END_LINES: usize = 24;
/// The number of lines up to which a session is read whole for the list.
const MAX_LINES: usize = 20_000;
/// The number of lines that are searched at a time.
const CHUNK_LINES: usize = 2_000;
/// The number of sessions on a page.
const PAGE_SESSIONS: usize = 50;

/// The query of a list.
#[derive(Default, Deserialize)]
pub(crate) struct Search {
    /// Words and `tool:`, `state:`, `model:`, `cost:`.
    #[serde(default)]
    q: String,
    /// The number of the page, from 1.
    #[serde(default)]
    page: usize,
}

/// A session in the list.
#[derive(Clone, Debug, Serialize)]
struct Summary {
    session: SessionId,
    subject: String,
    model: String,
    /// The tools that were called; for a long session, near its ends.
    tools: BTreeMap<String, usize>,
    state: State,
    /// The name of the end of its last turn.
    end: Option<String>,
    /// Tokens and money of all requests, if it is not too long to be read whole.
    tokens: Option<u64>,
    cost: String,
    #[serde(skip)]
    amount: f64,
    #[serde(skip)]
    run: RunState,
}

/// The state of a session in the list; the first ones are on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It waits for the user.
    Waiting,
    Running,
    Interrupted,
    Idle,
}

impl State {
    const fn of(run: RunState, waits: bool) -> Self {
        match run {
            RunState::Running => Self::Running,
            RunState::Interrupted => Self::Interrupted,
            RunState::Idle if waits => Self::Waiting,
            RunState::Idle => Self::Idle,
        }
    }
}

/// Summaries of sessions, as long as their files are the same.
#[derive(Default)]
pub(super) struct Summaries(Mutex<HashMap<PathBuf, Cached>>);

/// A summary, with the time and the size of its file.
#[derive(Clone)]
struct Cached {
    modified: Option<Timestamp>,
    length: u64,
    summary: Summary,
}

/// A session with its summary, or why there is none.
type Listed = (Known, Result<Summary, PageError>);

/// Facts about all sessions for every page.
#[derive(Serialize)]
pub(crate) struct Overview {
    /// The number of sessions that wait for the user.
    pub(crate) waiting: usize,
    /// Another text whenever the list is another one.
    stamp: String,
}

impl Overview {
    fn of(listed: &[Listed]) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut waiting = 0;
        for (known, summary) in listed {
            let state = summary.as_ref().ok().map(|summary| summary.state);
            waiting += usize::from(state == Some(State::Waiting));
            (&known.name, known.modified.map(Timestamp::as_millis), state).hash(&mut hasher);
        }
        let stamp = format!("{:016x}", hasher.finish());
        Self { waiting, stamp }
    }
}

impl App {
    /// Counts what waits, and names the present list.
    pub(crate) fn overview(&self) -> Result<Overview, PageError> {
        Ok(Overview::of(&self.listed()?))
    }

    /// All sessions: what waits for the user first, then what runs, then the newest.
    fn listed(&self) -> Result<Vec<Listed>, PageError> {
        let all = self.sessions.all()?.into_iter();
        let mut listed: Vec<Listed> = all
            .map(|known| {
                let summary = self.summary(&known);
                (known, summary)
            })
            .collect();
        listed.sort_by_key(|(_, summary)| match summary {
            Ok(summary) if summary.state < State::Interrupted => summary.state,
            _ => State::Idle,
        });
        Ok(listed)
    }

    fn summary(&self, known: &Known) -> Result<Summary, PageError> {
        let path = known.file.path();
        let length = path.metadata().map_or(0, |meta| meta.len());
        let lock = || {
            let all = &self.sessions.summaries.0;
            all.lock().unwrap_or_else(PoisonError::into_inner)
        };
        let modified = known.modified;
        let cached = lock().get(&path).cloned();
        let cached = cached.filter(|one| (one.modified, one.length) == (modified, length));
        if let Some(Cached { mut summary, .. }) = cached {
            let waits = summary.state == State::Waiting;
            summary.run = summary.run.again(&known.file)?;
            summary.state = State::of(summary.run, waits);
            return Ok(summary);
        }
        let summary = self.sessions.with_index(&known.file, describe)?;
        let cached = Cached {
            modified,
            length,
            summary: summary.clone(),
        };
        lock().insert(path, cached);
        Ok(summary)
    }
}

/// The page.
pub(super) fn list(app: &App, search: &Search) -> Result<Answer, PageError> {
    let query = Query::parse(&search.q);
    let (query, wrong) = match query {
        Ok(query) => (query, None),
        Err(message) => (Query::default(), Some(message)),
    };
    let listed = app.listed()?;
    // The stamp of exactly this list: what changes from now on is loaded.
    let (total, stamp) = (listed.len(), Overview::of(&listed).stamp);
    let mut found = Vec::new();
    for (known, summary) in listed {
        match query.matches(app, &known, &summary) {
            Ok(true) => found.push((known, summary)),
            Ok(false) => {}
            // One session that cannot be read does not hide the others.
            Err(error) => found.push((known, Err(error))),
        }
    }
    let pages = found.len().div_ceil(PAGE_SESSIONS).max(1);
    let page = search.page.clamp(1, pages);
    let rows = found.iter().skip((page - 1) * PAGE_SESSIONS);
    let rows: Vec<Value> = rows.take(PAGE_SESSIONS).map(row).collect();
    let context = json!({
        "page": "sessions",
        "sessions": rows,
        "search": search.q,
        "wrong": wrong,
        "found": found.len(),
        "total": total,
        "number": page,
        "pages": pages,
        "stamp": stamp,
    });
    app.pages.answer("sessions.njk", context, app)
}

fn row((known, summary): &Listed) -> Value {
    let mut row = match summary {
        Ok(summary) => json!(summary),
        Err(PageError::Failed(diagnostics)) => {
            let failures: Vec<Value> = diagnostics.iter().map(failure).collect();
            json!({"failures": failures})
        }
        Err(_) => json!({}),
    };
    row["name"] = known.name.as_str().into();
    row["file"] = known.file.display_path().display().to_string().into();
    row["modified"] = json!(known.modified);
    row
}

fn describe(index: &Index) -> Result<Summary, PageError> {
    let is_whole = index.lines() <= MAX_LINES;
    let (first, last) = if is_whole {
        (Vec::new(), index.read(2..index.lines() + 1)?)
    } else {
        ends(index, END_LINES)?
    };
    let header = index.header();
    let events = || first.iter().chain(&last).filter_map(event);
    let mut usage = Usage::default();
    let mut tools = BTreeMap::new();
    let mut model = &header.model;
    for event in events() {
        match event {
            Event::Request { model: used, .. } => model = used,
            Event::Usage(used) => usage += used,
            Event::Call(call) => *tools.entry(call.tool.clone()).or_default() += 1,
            _ => {}
        }
    }
    let mut lasts = last.iter().rev().filter_map(event);
    let end = lasts.find_map(|event| match event {
        Event::End { status } => Some(Some(status)),
        Event::Task { .. } | Event::Request { .. } => Some(None),
        _ => None,
    });
    let end = end.flatten().map(end_name);
    let waits = matches!(end, Some("approval_wanted" | "answer_wanted"));
    let run = RunState::of(index)?;
    Ok(Summary {
        session: header.session.clone(),
        subject: events().find_map(subject).unwrap_or_default(),
        model: model.clone(),
        tools,
        state: State::of(run, waits),
        end: end.map(ToOwned::to_owned),
        tokens: is_whole.then_some(usage.total),
        cost: if is_whole {
            cost(&usage)
        } else {
            String::new()
        },
        amount: usage.cost.map_or(0.0, |cost| cost.amount),
        run,
    })
}

/// The end of a session in a word.
fn end_name(status: &EndStatus) -> &str {
    match status {
        EndStatus::Failed { code } if code == Code::AnswerWanted.name() => "answer_wanted",
        status => status.name(),
    }
}

pub(super) fn event(line: &Line) -> Option<&Event> {
    line.entry.as_ref().ok().map(|entry| &entry.event)
}

/// The first words of a session.
pub(super) fn subject_of(index: &Index) -> Result<String, PageError> {
    let (first, _) = ends(index, END_LINES)?;
    let subject = first.iter().filter_map(event).find_map(subject);
    Ok(subject.unwrap_or_default())
}

/// The subject that an event gives a session, or a turn.
pub(super) fn subject(event: &Event) -> Option<String> {
    event.subject().map(cut::row)
}

/// The conditions of a search, which all apply.
#[derive(Default, PartialEq)]
struct Query {
    /// In lower case: each is somewhere in the texts of the session.
    words: Vec<String>,
    tools: Vec<String>,
    models: Vec<String>,
    /// The name of a state, or of an end.
    states: Vec<String>,
    /// The bounds of the money, below and above.
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Query {
    fn parse(text: &str) -> Result<Self, String> {
        let mut query = Self::default();
        for word in text.to_lowercase().split_whitespace() {
            match word.split_once(':') {
                Some(("tool", name)) => query.tools.push(name.to_owned()),
                Some(("model", name)) => query.models.push(name.to_owned()),
                Some(("state", name)) => query.states.push(name.to_owned()),
                Some(("cost", bound)) => {
                    let amount = bound.trim_start_matches(['>', '<', '=']);
                    let amount = amount
                        .parse()
                        .ok()
                        .filter(|amount: &f64| amount.is_finite());
                    let amount = amount.ok_or_else(|| {
                        format!("`{word}` has no amount: write cost:>0.5 or cost:<2")
                    })?;
                    if bound.starts_with('<') {
                        query.at_most = Some(amount);
                    } else {
                        query.at_least = Some(amount);
                    }
                }
                _ => query.words.push(word.to_owned()),
            }
        }
        Ok(query)
    }

    fn matches(
        &self,
        app: &App,
        known: &Known,
        summary: &Result<Summary, PageError>,
    ) -> Result<bool, PageError> {
        let Ok(summary) = summary else {
            return Ok(*self == Self::default());
        };
        let is_in = |text: &str, part: &String| text.to_lowercase().contains(part.as_str());
        let state = json!(summary.state);
        let is_state = |name: &String| state == *name || summary.end.as_ref() == Some(name);
        let has_tool = |name: &String| summary.tools.keys().any(|tool| is_in(tool, name));
        let has_cost = !summary.cost.is_empty();
        let matches = self.tools.iter().all(has_tool)
            && self.models.iter().all(|name| is_in(&summary.model, name))
            && self.states.iter().all(is_state)
            && self
                .at_least
                .is_none_or(|least| has_cost && summary.amount >= least)
            && self
                .at_most
                .is_none_or(|most| has_cost && summary.amount <= most);
        if !matches || self.words.is_empty() {
            return Ok(matches);
        }
        let name = summary.session.to_string();
        app.sessions.with_index(&known.file, |index| {
            let mut missing: Vec<&String> = self.words.iter().collect();
            missing.retain(|word| !is_in(&name, word));
            let mut next = 2;
            while !missing.is_empty() && next <= index.lines() {
                for line in index.read(next..next + CHUNK_LINES)? {
                    let text = spoken(&line).to_lowercase();
                    missing.retain(|word| !text.contains(word.as_str()));
                }
                next += CHUNK_LINES;
            }
            Ok(missing.is_empty())
        })
    }
}

/// The keys of a line whose texts people have written or read.
const TEXTS: [&str; 12] = [
    "arguments",
    "content",
    "inputs",
    "logs",
    "message",
    "output",
    "parts",
    "plan",
    "question",
    "summary",
    "text",
    "tool",
];

/// The texts of a line.
fn spoken(line: &Line) -> String {
    fn collect(value: &Value, text: &mut String) {
        match value {
            Value::String(one) => {
                text.push_str(one);
                text.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|one| collect(one, text)),
            Value::Object(fields) => fields.values().for_each(|one| collect(one, text)),
            _ => {}
        }
    }
    let mut text = String::new();
    let line: Value = serde_json::from_str(&line.text).unwrap_or_default();
    for key in TEXTS {
        collect(&line[key], &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_has_words_and_conditions() {
        let query = Query::parse("Berlin tool:clock cost:>0.5 cost:<2 state:waiting").expect("it");
        assert_eq!(
            (query.words, query.tools),
            (vec!["berlin".into()], vec!["clock".into()])
        );
        assert_eq!((query.at_least, query.at_most), (Some(0.5), Some(2.0)));
        for wrong in ["cost:", "cost:>x", "cost:nan"] {
            assert!(Query::parse(wrong).is_err(), "{wrong}");
        }
    }
}
