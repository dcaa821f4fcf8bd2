//! What is known about the examples of tools: what their files say, and the last run that a page
//! has asked this server for. Looking at a page runs none of them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cogtools_core::Tool;
use cogtools_log::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// The last run of each tool's examples in the lifetime of the server, by the tool's file.
#[derive(Default)]
pub(crate) struct TestRuns(Mutex<HashMap<PathBuf, TestRun>>);

/// A run of the examples of a tool.
#[derive(Clone, Debug)]
struct TestRun {
    /// What the files were like when it began.
    files: u64,
    failures: u64,
    time: Timestamp,
}

/// The examples of a tool.
#[derive(Debug, Serialize)]
pub(super) struct Tests {
    /// How many there are.
    examples: usize,
    /// How many have a golden file.
    golden: usize,
    #[serde(flatten)]
    state: TestState,
    /// The state in words.
    label: &'static str,
    /// When they ran.
    time: Option<Timestamp>,
}

/// What is known about the examples of a tool.
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
    /// What is known about the examples of `tool`, which is in the file `path`.
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
        let name = example.name().map(ToString::to_string);
        let name = name.unwrap_or_else(|| format!("{number}"));
        path.with_extension(format!("{name}.golden"))
    })
}
