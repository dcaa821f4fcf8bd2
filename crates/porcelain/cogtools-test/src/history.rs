//! Which tools failed last, so that they are tested first. It is in the user's folder for
//! state, never in the project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cogtools_core::file::{self, ReadScope, WritePath};
use cogtools_core::{Candidate, Context, digest, text};
use serde_json::{Value, json};

use crate::suite::Suite;

/// The folder in the user's folder for state.
const FOLDER: &str = "test";

/// The maximum size of a record.
const MAX_BYTES: usize = 1 << 20;

/// The tools of a project that failed in the last run that tested them.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The record; there is none without a home directory.
    path: Option<PathBuf>,
    /// The files of the tools.
    failed: BTreeSet<String>,
}

impl History {
    /// The record of the project in `cx`. One that cannot be read is empty: only the order of
    /// the tests depends on it.
    pub(crate) fn read(cx: &Context) -> Self {
        let Some(state) = &cx.state else {
            return Self::default();
        };
        let folder = state.join(FOLDER);
        let key = digest::value(&json!(cx.root.to_string_lossy()));
        let path = folder.join(format!("{key}.json"));
        let bytes = text::bytes(&path, &path, MAX_BYTES, &ReadScope::foreign(&folder));
        let record = bytes
            .ok()
            .and_then(|it| serde_json::from_slice::<Vec<Value>>(&it).ok());
        let files = record.into_iter().flatten();
        Self {
            path: Some(path),
            failed: files
                .filter_map(|it| it.as_str().map(str::to_owned))
                .collect(),
        }
    }

    /// Moves the tools that failed last to the front; otherwise the order stays.
    pub(crate) fn sort(&self, files: &mut [Candidate]) {
        files.sort_by_key(|file| !self.failed.contains(&key(&file.display_path)));
    }

    /// Records the results in `suites`. An error is ignored, because the tests are done.
    pub(crate) fn record(mut self, suites: &[Suite]) {
        let before = self.failed.clone();
        for suite in suites {
            let key = key(&suite.file);
            if suite.passed() {
                self.failed.remove(&key);
            } else {
                self.failed.insert(key);
            }
        }
        let Some(path) = self.path.filter(|_| self.failed != before) else {
            return;
        };
        let path = WritePath::of_user(&path);
        if self.failed.is_empty() {
            let _ = file::remove(&path);
        } else {
            let record = json!(self.failed).to_string();
            let _ = file::replace_private(&path, record.as_bytes());
        }
    }
}

fn key(file: &std::path::Path) -> String {
    file.to_string_lossy().into_owned()
}
