//! The programs that do what a page asks for, and what is known about the examples of tools.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cogtools_core::Tool;
use cogtools_core::process::Output;
use cogtools_log::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::child::failures;
use crate::cut;
use crate::markdown::Html;
use crate::page::visible;
use crate::respond::{App, PageError};
use crate::tool::page::with_file;

/// The time that the linter may take for a list, or a new tool to be written.
const LINT_TIMEOUT: Duration = Duration::from_secs(20);
/// The time that examples may take.
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
    let output = app.project.run(args, arguments, CALL_TIMEOUT)?;
    if output.exit.is_success() {
        let text = String::from_utf8_lossy(&output.stdout.bytes);
        let shown = cut::text(&text);
        let html = Html::structured(&shown).unwrap_or_else(|| Html::markdown(&shown, "result"));
        return Ok(visible(
            json!({"result": text, "html": html, "left_out": output.stdout.left_out}),
        ));
    }
    Ok(visible(json!({"failures": failures(&output)})))
}

/// Creates a tool that works.
pub(super) fn create(app: &App, name: &str) -> Result<Value, PageError> {
    let args = ["new", "--error-format", "json", "--", name];
    let output = app.project.run(args, Vec::new(), LINT_TIMEOUT)?;
    let failures = if output.exit.is_success() {
        Vec::new()
    } else {
        failures(&output)
    };
    Ok(visible(json!({"failures": failures})))
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
    let output = app.project.run(args, Vec::new(), TEST_TIMEOUT)?;
    let Some(report) = json_of(&output) else {
        return Ok(visible(json!({"failures": failures(&output)})));
    };
    app.tests.note(&before.0, before.1, &report);
    let tests = with_file(app, name, |tool, path, _| app.tests.tests(tool, path))?;
    Ok(visible(json!({"report": report, "tests": tests})))
}

/// The output of a program, if it is JSON.
fn json_of(output: &Output) -> Option<Value> {
    serde_json::from_slice(&output.stdout.bytes).ok()
}

/// The last run of each tool's examples in the lifetime of the server, by the tool's file.
#[derive(Default)]
pub(crate) struct TestRuns(Mutex<HashMap<PathBuf, TestRun>>);

/// A run of the examples of a tool.
#[derive(Clone, Debug)]
struct TestRun {
    /// The digest of the files when it began.
    files: u64,
    failures: u64,
    time: Timestamp,
}

/// The examples of a tool.
#[derive(Debug, Serialize)]
pub(super) struct Tests {
    /// Their number.
    examples: usize,
    /// The number of examples with a golden file.
    golden: usize,
    #[serde(flatten)]
    state: TestState,
    /// The state in words.
    label: &'static str,
    /// When they ran.
    time: Option<Timestamp>,
}

/// The state of the examples of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum TestState {
    /// It has none.
    NoExamples,
    /// They have not run since the server began.
    NotRun,
    /// All passed, and nothing has changed since.
    Passed,
    /// So many did not pass, and nothing has changed since.
    Failed { failures: u64 },
    /// They ran, and the tool or its golden files have changed since.
    OutOfDate { failures: u64 },
}

impl TestState {
    const fn label(self) -> &'static str {
        match self {
            Self::NoExamples => "No examples",
            Self::NotRun => "Not run",
            Self::Passed => "Passed",
            Self::Failed { .. } => "Failed",
            Self::OutOfDate { .. } => "Out of date",
        }
    }
}

impl TestRuns {
    /// The examples of `tool`, which is in the file `path`, and their state.
    pub(super) fn tests(&self, tool: &Tool, path: &Path) -> Tests {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let run = runs.get(path).filter(|_| !tool.tests().is_empty());
        let state = match run {
            _ if tool.tests().is_empty() => TestState::NoExamples,
            None => TestState::NotRun,
            Some(run) if run.files != files(tool, path) => TestState::OutOfDate {
                failures: run.failures,
            },
            Some(run) if run.failures > 0 => TestState::Failed {
                failures: run.failures,
            },
            Some(_) => TestState::Passed,
        };
        Tests {
            examples: tool.tests().len(),
            golden: golden_files(tool, path)
                .filter(|path| path.is_file())
                .count(),
            state,
            label: state.label(),
            time: run.map(|run| run.time),
        }
    }

    /// Notes the report of a run that began when the files were as `files` says.
    pub(super) fn note(&self, path: &Path, files: u64, report: &Value) {
        let Some(failures) = report.pointer("/summary/failures").and_then(Value::as_u64) else {
            return;
        };
        let run = TestRun {
            files,
            failures,
            time: Timestamp::now(),
        };
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.insert(path.to_path_buf(), run);
    }
}

/// A hash of the tool's file, and of what its golden files are.
pub(super) fn files(tool: &Tool, path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.source().hash(&mut hasher);
    for golden in golden_files(tool, path) {
        let meta = golden.metadata();
        let written = meta.and_then(|meta| Ok((meta.modified()?, meta.len())));
        written.ok().hash(&mut hasher);
    }
    hasher.finish()
}

/// Where the golden file of each example would be.
pub(super) fn golden_files(tool: &Tool, path: &Path) -> impl Iterator<Item = PathBuf> {
    let examples = tool.tests().iter().zip(1..);
    examples.map(move |(example, number)| {
        let name = example.name.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_else(|| format!("{number}"));
        path.with_extension(format!("{name}.golden"))
    })
}
