//! The requests for sessions.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use cogtools_core::tool::FlowTask;
use cogtools_log::{BlobId, Event, Index, Line, SessionFile};
use serde::Deserialize;
use serde_json::Value;

use super::list::list;
use super::turn::Turn;
use super::view::View;
use crate::app::App;
use crate::graph::graph;
use crate::respond::{Answer, PageError};
use crate::tool;

/// Which part of a session a page shows.
#[derive(Default, Deserialize)]
pub(crate) struct Part {
    /// The lines before this one.
    before: Option<usize>,
    /// The turn whose work is shown, by its first line.
    turn: Option<usize>,
}

/// The list of sessions.
pub(crate) async fn list_page(State(app): State<Arc<App>>) -> Response {
    app.run(list).await
}

/// A session.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let (header, mut view) = app.sessions.with_index(&file, |index| {
            Ok((index.header().clone(), View::read(index, part.before)?))
        })?;
        view.read_prompts(part.turn, &file.blobs());
        let mut context = view.context(part.turn);
        context["graph"] = view
            .shown(part.turn)
            .and_then(|turn| graph_of(app, turn))
            .into();
        context["page"] = "sessions".into();
        context["name"] = name.into();
        context["file"] = file.display_path().display().to_string().into();
        context["session"] = serde_json::json!(header);
        context["before"] = part.before.into();
        app.pages.answer("session.njk", context, app)
    })
    .await
}

/// The graph of the flow that a turn runs, with the states of its nodes. Without it if the flow
/// is not there any more, or is another one by now.
fn graph_of(app: &App, turn: &Turn) -> Option<Value> {
    let flow = turn.flow.as_ref()?;
    let steps = turn.board.iter();
    let badges = steps.map(|step| (step.key.clone(), step.badge)).collect();
    let drawn = tool::with_tool(app, &flow.tool, |tool, _| {
        let is_same = FlowTask::digest(tool) == flow.digest;
        tool.flow()
            .filter(|_| is_same)
            .and_then(|flow| graph(flow, &badges))
    });
    drawn.ok().flatten()
}

/// The line `number` of a session.
fn line_of(app: &App, file: &SessionFile, number: usize) -> Result<Line, PageError> {
    let after = number.checked_add(1).ok_or(PageError::NotFound)?;
    let read = |index: &Index| Ok(index.read(number..after)?);
    let lines = app.sessions.with_index(file, read)?;
    lines.into_iter().next().ok_or(PageError::NotFound)
}

/// A line as it is in the file.
pub(crate) async fn line(
    State(app): State<Arc<App>>,
    Path((name, number)): Path<(String, usize)>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let line = line_of(app, &file, number)?;
        Ok(Answer::Text(line.text.into_bytes()))
    })
    .await
}

/// The text of a layer of the request on a line.
pub(crate) async fn layer(
    State(app): State<Arc<App>>,
    Path((name, number, layer)): Path<(String, usize, usize)>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let line = line_of(app, &file, number)?;
        let Ok(Event::Request { layers, .. }) = line.entry.map(|entry| entry.event) else {
            return Err(PageError::NotFound);
        };
        let layer = layers.get(layer).filter(|layer| !layer.parts.is_empty());
        let layer = layer.ok_or(PageError::NotFound)?;
        let text = file.blobs().layer_text(layer);
        Ok(Answer::Text(
            text.map_err(|_| PageError::NotFound)?.into_bytes(),
        ))
    })
    .await
}

/// The whole of a result.
pub(crate) async fn blob(
    State(app): State<Arc<App>>,
    Path((name, blob)): Path<(String, String)>,
) -> Response {
    app.run(move |app| {
        let file = app.sessions.file(&name)?;
        let blob: BlobId = blob.parse().map_err(|_| PageError::NotFound)?;
        let bytes = file.blobs().read(&blob).map_err(|_| PageError::NotFound)?;
        Ok(Answer::Text(bytes))
    })
    .await
}
