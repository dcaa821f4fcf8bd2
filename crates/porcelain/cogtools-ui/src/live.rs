//! Events for pages that are open: a session has new lines, or tools have changed. They only
//! say what there is; pages load it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use cogtools_log::{Line, SessionFile};
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::respond::{Answer, App, PageError};
use crate::session::RunState;
use crate::tool;

/// The time between two looks at a session.
const SESSION_POLL: Duration = Duration::from_millis(150);
/// The time between two looks at the tools.
const TOOLS_POLL: Duration = Duration::from_secs(1);
/// The number of lines that are announced at a time.
const MAX_LINES: usize = 500;

/// The lines that a page has.
#[derive(Deserialize)]
pub(crate) struct Has {
    /// The last line.
    after: Option<usize>,
    /// The name of the lines, and thus of the file that they are from.
    content: Option<String>,
}

/// News of a session.
enum Update {
    /// A line.
    Line { number: usize, kind: String },
    /// Another state, or the first one that is known.
    State(RunState),
    /// Another file is in its place: what a page has is not there any more.
    Replaced,
}

/// The lines of a session from the one after that which a page has. The `id` of an event is the
/// number of its line, so that a browser whose connection breaks goes on behind the last one.
pub(crate) async fn session(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(has): Query<Has>,
    headers: HeaderMap,
) -> Response {
    let file = match app.sessions.file(&name) {
        Ok(file) => file,
        Err(error) => return error.answer(&app).into(),
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = last.and_then(|id| id.parse().ok()).or(has.after);
    let start = Follow {
        app,
        file,
        next: last.unwrap_or(1).saturating_add(1).max(2),
        content: has.content,
        state: None,
        updates: VecDeque::new(),
        is_over: false,
    };
    let events = stream::unfold(start, |mut follow| async {
        let update = follow.update().await?;
        Some((Ok::<_, Infallible>(event(update)), follow))
    });
    Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response()
}

fn event(update: Update) -> Event {
    match update {
        Update::Line { number, kind } => Event::default().id(number.to_string()).data(kind),
        Update::State(state) => Event::default().event("state").data(state.name()),
        Update::Replaced => Event::default().event("replaced").data("reload"),
    }
}

/// A session that is followed.
struct Follow {
    app: Arc<App>,
    file: SessionFile,
    next: usize,
    /// The name of the lines so far.
    content: Option<String>,
    state: Option<RunState>,
    updates: VecDeque<Update>,
    is_over: bool,
}

/// The result of a look at a session.
struct Look {
    content: String,
    lines: Vec<Line>,
    state: RunState,
}

impl Follow {
    /// Waits for the next news; `None` when the server shuts down, the file cannot be read on, or
    /// another one is there.
    async fn update(&mut self) -> Option<Update> {
        loop {
            if let Some(update) = self.updates.pop_front() {
                return Some(update);
            }
            if self.is_over || self.app.stop.is_cancelled() {
                return None;
            }
            let look = self.look().await?;
            self.note(look);
            if self.updates.is_empty() {
                tokio::time::sleep(SESSION_POLL).await;
            }
        }
    }

    /// Reads what there is now.
    async fn look(&self) -> Option<Look> {
        let (app, file) = (Arc::clone(&self.app), self.file.clone());
        let (next, state) = (self.next, self.state);
        let read = spawn_blocking(move || {
            app.sessions.with_index(&file, |index| {
                let lines = index.read(next..next.saturating_add(MAX_LINES))?;
                let state = match state {
                    Some(state) if lines.is_empty() => state.again(index.file())?,
                    _ => RunState::of(index)?,
                };
                let content = index.content();
                Ok(Look {
                    content,
                    lines,
                    state,
                })
            })
        });
        let look: Result<Look, PageError> = read.await.ok()?;
        look.ok()
    }

    fn note(&mut self, look: Look) {
        if *self.content.get_or_insert_with(|| look.content.clone()) != look.content {
            self.is_over = true;
            self.updates.push_back(Update::Replaced);
            return;
        }
        for line in look.lines {
            self.next = line.number + 1;
            let entry = line.entry.as_ref();
            let kind = plain(entry.map_or("line", |entry| entry.event.kind()));
            let number = line.number;
            self.updates.push_back(Update::Line { number, kind });
        }
        if self.state.replace(look.state) != Some(look.state) {
            self.updates.push_back(Update::State(look.state));
        }
    }
}

/// Answers every open page, which asks again and again: the server still runs, and this waits.
pub(crate) async fn overview(State(app): State<Arc<App>>) -> Response {
    app.run(|app| Ok(Answer::Json(json!(app.overview()?))))
        .await
}

/// An event for each change of the tools.
pub(crate) async fn tools(State(app): State<Arc<App>>) -> Response {
    let events = stream::unfold((app, None), |(app, mut last)| async move {
        loop {
            if app.stop.is_cancelled() {
                return None;
            }
            let same = Arc::clone(&app);
            let found = spawn_blocking(move || tool::fingerprint(&same))
                .await
                .ok()?;
            let has_changed = last.is_some_and(|last| last != found);
            last = Some(found);
            if has_changed {
                let event = Event::default().data("changed");
                return Some((Ok::<_, Infallible>(event), (app, last)));
            }
            tokio::time::sleep(TOOLS_POLL).await;
        }
    });
    Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// The kind of a line, which others may have written, as the data of an event.
fn plain(kind: &str) -> String {
    let letters = kind.chars().filter(char::is_ascii_alphanumeric);
    letters.take(32).collect()
}
