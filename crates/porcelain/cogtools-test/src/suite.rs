//! The results of the tests of one tool.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::tool::Coverage;
use cogtools_core::{Candidate, Location};

use crate::failure::TestFailure;

/// A tool and its examples.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// The name of the tool, which is the stem of its file.
    pub(crate) name: String,
    /// Its file, as shown.
    pub(crate) file: PathBuf,
    /// Whether the file exists; otherwise there are only golden files.
    pub(crate) exists: bool,
    /// Its examples.
    pub(crate) cases: Vec<Case>,
    /// What its examples reach, with `--coverage`.
    pub(crate) coverage: Option<Coverage>,
    /// The failures of the tool as a whole.
    pub(crate) failures: Vec<TestFailure>,
    /// The golden files that were removed, as shown.
    pub(crate) removed: Vec<PathBuf>,
}

/// One example.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: Option<String>,
    /// Where it is in the file.
    pub(crate) location: Option<Location>,
    /// Its golden file, as shown, if its whole result is compared.
    pub(crate) golden: Option<PathBuf>,
    /// Its failures.
    pub(crate) failures: Vec<TestFailure>,
    /// Whether its golden file was written.
    pub(crate) written: bool,
    /// How long it took.
    pub(crate) time: Duration,
}

impl Case {
    /// Its name, or else its number.
    pub(crate) fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.number.to_string())
    }
}

impl Suite {
    /// An empty suite of the tool in `file`.
    pub(crate) fn new(file: &Candidate) -> Self {
        Self {
            name: Path::new(&file.name).display().to_string(),
            file: file.display_path.clone(),
            exists: true,
            cases: Vec::new(),
            coverage: None,
            failures: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// The failures of the tool and of its examples.
    pub(crate) fn all_failures(&self) -> impl Iterator<Item = &TestFailure> {
        let cases = self.cases.iter().flat_map(|case| &case.failures);
        self.failures.iter().chain(cases)
    }

    /// Whether there are no failures.
    pub(crate) fn passed(&self) -> bool {
        self.all_failures().next().is_none()
    }

    /// Whether the tool exists and has no examples.
    pub(crate) fn has_no_examples(&self) -> bool {
        self.exists && self.cases.is_empty() && self.failures.is_empty()
    }

    /// The golden files that were written, as shown.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        self.cases
            .iter()
            .filter(|case| case.written)
            .filter_map(|case| case.golden.as_ref())
    }
}
