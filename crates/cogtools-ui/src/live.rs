//! Events for pages that are open: a session has new lines, or tools have changed. They only
//! say what there is; pages load it.

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
use tokio::task::spawn_blocking;

use crate::app::App;
use crate::respond::PageError;
use crate::tool;

/// How often a session is looked at.
const SESSION_POLL: Duration = Duration::from_millis(150);
/// How often the tools are looked at.
const TOOLS_POLL: Duration = Duration::from_secs(1);
/// How many lines are announced at a time.
const MAX_LINES: usize = 500;

/// The last line that a page has.
#[derive(Deserialize)]
pub(crate) struct After {
    after: Option<usize>,
}

/// The lines of a session from the one after that which a page has. The `id` of an event is the
/// number of its line, so that a browser whose connection breaks goes on behind the last one.
pub(crate) async fn session(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(After { after }): Query<After>,
    headers: HeaderMap,
) -> Response {
    let file = match app.sessions.file(&name) {
        Ok(file) => file,
        Err(error) => return error.answer(&app).into(),
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = last.and_then(|id| id.parse().ok()).or(after);
    let start = Follow {
        app,
        file,
        next: last.unwrap_or(1).saturating_add(1).max(2),
        lines: Vec::new().into_iter(),
    };
    let events = stream::unfold(start, |mut follow| async {
        let line = follow.line().await?;
        let kind = line
            .entry
            .as_ref()
            .map_or("line", |entry| entry.event.kind());
        let event = Event::default()
            .id(line.number.to_string())
            .data(plain(kind));
        Some((Ok::<_, Infallible>(event), follow))
    });
    Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// A session that is followed.
struct Follow {
    app: Arc<App>,
    file: SessionFile,
    next: usize,
    lines: std::vec::IntoIter<Line>,
}

impl Follow {
    /// The next line; `None` when the server shuts down or the file cannot be read on.
    async fn line(&mut self) -> Option<Line> {
        loop {
            if self.app.stop.is_cancelled() {
                return None;
            }
            if let Some(line) = self.lines.next() {
                self.next = line.number + 1;
                return Some(line);
            }
            let (app, file, next) = (Arc::clone(&self.app), self.file.clone(), self.next);
            let read = spawn_blocking(move || {
                app.sessions.with_index(&file, |index| {
                    Ok(index.read(next..next.saturating_add(MAX_LINES))?)
                })
            });
            let lines: Result<Vec<Line>, PageError> = read.await.ok()?;
            self.lines = lines.ok()?.into_iter();
            if self.lines.len() == 0 {
                tokio::time::sleep(SESSION_POLL).await;
            }
        }
    }
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
