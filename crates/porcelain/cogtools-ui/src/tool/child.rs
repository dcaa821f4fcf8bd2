//! The programs that do what a page asks for: the same ones as in a terminal.

use std::collections::BTreeMap;
use std::time::Duration;

use cogtools_core::Diagnostic;
use cogtools_core::process::Output;
use serde_json::{Value, json};

use super::catalogue::with_file;
use super::tests::files;
use crate::app::App;
use crate::child::failures;
use crate::page::visible;
use crate::respond::PageError;

/// How long the linter may take for a list.
const LINT_TIMEOUT: Duration = Duration::from_secs(20);
/// How long examples may take.
const TEST_TIMEOUT: Duration = Duration::from_mins(10);
/// More than any tool may take: `cogtools call` knows how long that is.
const CALL_TIMEOUT: Duration = Duration::from_hours(24);

/// The findings of the linter, by file. Without them if it cannot run: a list needs none.
pub(super) fn findings(app: &App) -> BTreeMap<String, Vec<Value>> {
    let args = ["lint", "--format", "json"];
    let output = app.project.run(args, Vec::new(), LINT_TIMEOUT);
    let findings = output.ok().and_then(|output| json_of(&output));
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for finding in findings
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let file = finding.get("file").and_then(Value::as_str).unwrap_or("");
        files
            .entry(file.to_owned())
            .or_default()
            .push(finding.clone());
    }
    files
}

/// Calls a tool with `arguments`: its result, or what is wrong.
pub(super) fn call(app: &App, name: &str, arguments: Vec<u8>) -> Result<Value, PageError> {
    let args = ["call", "--error-format", "json", "--", name];
    let output = app
        .project
        .run(args, arguments, CALL_TIMEOUT)
        .map_err(failed)?;
    if output.exit.is_success() {
        let text = String::from_utf8_lossy(&output.stdout.bytes);
        return Ok(visible(
            json!({"result": text, "left_out": output.stdout.left_out}),
        ));
    }
    Ok(visible(json!({"failures": failures(&output)})))
}

/// Runs the examples of a tool.
pub(super) fn test(app: &App, name: &str) -> Result<Value, PageError> {
    let before = with_file(app, name, |tool, path, _| {
        (path.to_path_buf(), files(tool, path))
    })?;
    let args = [
        "test",
        "--error-format",
        "json",
        "--format",
        "json",
        "--",
        name,
    ];
    let output = app
        .project
        .run(args, Vec::new(), TEST_TIMEOUT)
        .map_err(failed)?;
    let report = json_of(&output);
    let Some(report) = report else {
        return Ok(visible(json!({"failures": failures(&output)})));
    };
    app.tests.note(&before.0, before.1, &report);
    let tests = with_file(app, name, |tool, path, _| app.tests.tests(tool, path))?;
    Ok(visible(json!({"report": report, "tests": tests})))
}

fn failed(diagnostic: Box<Diagnostic>) -> PageError {
    PageError::Failed(vec![*diagnostic])
}

/// What a program has printed, if it is JSON.
fn json_of(output: &Output) -> Option<Value> {
    serde_json::from_slice(&output.stdout.bytes).ok()
}
