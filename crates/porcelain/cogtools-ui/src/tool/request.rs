//! The requests for tools.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use serde::Deserialize;

use super::{child, page as view};
use crate::respond::{Answer, App, PageError, Post};

/// The words of a search.
#[derive(Default, Deserialize)]
pub(crate) struct Search {
    #[serde(default)]
    q: String,
}

/// The list of tools.
pub(crate) async fn list_page(
    State(app): State<Arc<App>>,
    Query(search): Query<Search>,
) -> Response {
    app.run(move |app| view::list(app, &search.q)).await
}

/// A tool.
pub(crate) async fn page(State(app): State<Arc<App>>, Path(name): Path<String>) -> Response {
    app.run(move |app| view::page(app, &name)).await
}

/// The data of the form of a tool.
pub(crate) async fn form(State(app): State<Arc<App>>, Path(name): Path<String>) -> Response {
    app.run(move |app| view::form(app, &name)).await
}

/// Checks arguments.
pub(crate) async fn check((State(app), Path(name), body): Post) -> Response {
    app.run(move |app| view::check(app, &name, body.into()))
        .await
}

/// Calls a tool.
pub(crate) async fn call((State(app), Path(name), body): Post) -> Response {
    app.run_long(move |app| Ok(Answer::Json(child::call(app, &name, body.into())?)))
        .await
}

/// Shows a line of the tool's file in the editor.
pub(crate) async fn open((State(app), Path(name), body): Post) -> Response {
    app.run_long(move |app| {
        let located = view::with_registry(app, |registry, _| registry.locate(&name))?;
        let file = located.map_err(|error| PageError::Failed(error.diagnostics()))?;
        // A declared tool has no file.
        if file.path.as_os_str().is_empty() {
            return Err(PageError::NotFound);
        }
        crate::child::open(app, &file.path, &body)
    })
    .await
}

/// Runs the examples of a tool.
pub(crate) async fn test(State(app): State<Arc<App>>, Path(name): Path<String>) -> Response {
    app.run_long(move |app| Ok(Answer::Json(child::test(app, &name)?)))
        .await
}

/// The name of a new tool.
#[derive(Deserialize)]
struct NewTool {
    name: String,
}

/// Creates a tool.
pub(crate) async fn create(State(app): State<Arc<App>>, body: Bytes) -> Response {
    app.run_long(move |app| {
        let new: NewTool = serde_json::from_slice(&body).map_err(|_| PageError::NotFound)?;
        Ok(Answer::Json(child::create(app, &new.name)?))
    })
    .await
}
