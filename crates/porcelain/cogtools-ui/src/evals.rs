//! Reports of `cogtools eval`: the matrix of cases and models, and the trials of a case, each with
//! its session.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use cogtools_core::file::{self, WritePath};
use cogtools_core::{Code, Diagnostic};
use serde_json::{Value, json};

use crate::respond::{Answer, App, PageError};

/// The size of a report that a page shows, in bytes.
const MAX_BYTES: u64 = 32 << 20;

/// The newest report.
pub(crate) async fn newest_page(State(app): State<Arc<App>>) -> Response {
    app.run(|app| matrix(app, None)).await
}

/// A report.
pub(crate) async fn page(State(app): State<Arc<App>>, Path(run): Path<String>) -> Response {
    app.run(move |app| matrix(app, Some(&run))).await
}

/// The trials of the case with a number in a report.
pub(crate) async fn case_page(
    State(app): State<Arc<App>>,
    Path((run, number)): Path<(String, usize)>,
) -> Response {
    app.run(move |app| case(app, &run, number)).await
}

/// The names and files of the reports, the newest first.
fn reports(app: &App) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(app.sessions.reports());
    let mut found: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let run = name.strip_suffix(".json")?.to_owned();
            Some((entry.metadata().ok()?.modified().ok()?, run, entry.path()))
        })
        .collect();
    found.sort_unstable();
    let found = found.into_iter().rev();
    found.map(|(_, run, path)| (run, path)).collect()
}

/// Reads the report `run`, or the newest one; none if there is none. Returns the names of all.
fn read(app: &App, run: Option<&str>) -> Result<Option<(Value, Vec<String>)>, PageError> {
    let reports = reports(app);
    let found = match run {
        None => reports.first(),
        Some(run) => Some(
            reports
                .iter()
                .find(|(name, _)| name == run)
                .ok_or(PageError::NotFound)?,
        ),
    };
    let Some((name, path)) = found else {
        return Ok(None);
    };
    let failed = |error: String| {
        let diagnostic = Diagnostic::new(
            Code::IoFailed,
            format!("the report cannot be read: {error}"),
        );
        PageError::Failed(vec![
            diagnostic
                .with_subject(name.as_str())
                .hint("run cogtools eval again"),
        ])
    };
    let scope = WritePath::of_user(path).read_scope();
    let read = file::read(path, &scope, MAX_BYTES).map_err(|error| failed(error.to_string()))?;
    let report = serde_json::from_slice(&read.0).map_err(|error| failed(error.to_string()))?;
    Ok(Some((
        report,
        reports.into_iter().map(|(name, _)| name).collect(),
    )))
}

/// The cells of a report by case, in its order.
fn cases(report: &Value) -> Vec<Vec<&Value>> {
    let mut cases: Vec<Vec<&Value>> = Vec::new();
    for cell in report["cases"].as_array().into_iter().flatten() {
        let is_same = |case: &&mut Vec<&Value>| {
            let first = case[0];
            first["file"] == cell["file"] && first["case"] == cell["case"]
        };
        match cases.iter_mut().find(is_same) {
            Some(case) => case.push(cell),
            None => cases.push(vec![cell]),
        }
    }
    cases
}

/// The figures of a case with a model.
fn figures(cell: &Value) -> Value {
    let number = |key: &str| cell[key].as_f64().unwrap_or_default();
    let is_judged = cell["trials"].as_u64().unwrap_or_default() > 0;
    let kind = match (is_judged, cell["ok"] == true) {
        (false, _) => "unsupported",
        (true, true) => "passed",
        (true, false) => "failed",
    };
    json!({
        "model": cell["model"],
        "kind": kind,
        "passed": cell["passed"],
        "trials": cell["trials"],
        "interval": format!("{:.2} to {:.2}", number("low"), number("high")),
        "first_try": cell["first_try"],
        "errors": cell["errors"],
        "skipped": cell["skipped"],
        "stale": cell["stale"],
    })
}

fn matrix(app: &App, run: Option<&str>) -> Result<Answer, PageError> {
    let Some((report, runs)) = read(app, run)? else {
        let context = json!({"page": "evals", "runs": []});
        return app.pages.answer("evals.njk", context, app);
    };
    let models: Vec<&Value> = report["models"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|model| &model["model"])
        .collect();
    let rows = cases(&report).into_iter().map(|case| {
        let cells = models.iter().map(|model| {
            let found = case.iter().find(|cell| cell["model"] == **model);
            found.map_or(Value::Null, |cell| figures(cell))
        });
        let cells: Vec<Value> = cells.collect();
        json!({"case": case[0]["case"], "file": case[0]["file"], "line": case[0]["line"], "cells": cells})
    });
    let rows: Vec<Value> = rows.collect();
    let context = json!({
        "page": "evals",
        "run": report["run"],
        "ended": report["time"],
        "models": models,
        "rows": rows,
        "summary": report["summary"],
        "overall": report["overall"],
        "runs": runs,
    });
    app.pages.answer("evals.njk", context, app)
}

fn case(app: &App, run: &str, number: usize) -> Result<Answer, PageError> {
    let (report, _) = read(app, Some(run))?.ok_or(PageError::NotFound)?;
    let cases = cases(&report);
    let case = cases.get(number).ok_or(PageError::NotFound)?;
    let models = case.iter().map(|cell| {
        let mut model = figures(cell);
        let trials = cell["results"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|result| {
                // The session of a recording stays where it was made.
                let session = result["session"].as_str();
                let session = session.filter(|name| app.sessions.file(name).is_ok());
                json!({"trial": result["trial"], "verdict": result["verdict"],
                "failures": result["failures"], "session": session})
            });
        model["results"] = trials.collect();
        model["violations"] = cell["rejected"]["violations"].clone();
        model
    });
    let models: Vec<Value> = models.collect();
    let context = json!({
        "page": "evals",
        "run": run,
        "case": case[0]["case"],
        "file": case[0]["file"],
        "line": case[0]["line"],
        "models": models,
    });
    app.pages.answer("eval_case.njk", context, app)
}
