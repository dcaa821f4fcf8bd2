//! What came of the tests of one tool.

use std::path::{Path, PathBuf};

use cogtools_core::{Candidate, Location};

use crate::failure::TestFailure;

/// A tool and its examples.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// The tool's name: its file's stem.
    pub(crate) name: String,
    /// Its file, as its user knows it.
    pub(crate) file: PathBuf,
    /// Whether there is such a file, or only golden files.
    pub(crate) exists: bool,
    /// Its examples.
    pub(crate) cases: Vec<Case>,
    /// What is wrong with the tool as a whole.
    pub(crate) failures: Vec<TestFailure>,
    /// Golden files that were removed, as their user knows them.
    pub(crate) removed: Vec<PathBuf>,
}

/// One example.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Where it begins.
    pub(crate) place: Option<Location>,
    /// Its golden file, as its user knows it.
    pub(crate) golden: PathBuf,
    /// What is wrong with it.
    pub(crate) failures: Vec<TestFailure>,
    /// Whether its golden file was written.
    pub(crate) written: bool,
}

impl Suite {
    /// The suite of the tool in `file`, with nothing in it yet.
    pub(crate) fn new(file: &Candidate) -> Self {
        Self {
            name: Path::new(&file.name).display().to_string(),
            file: file.display_path.clone(),
            exists: true,
            cases: Vec::new(),
            failures: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Everything that is wrong with it.
    pub(crate) fn all_failures(&self) -> impl Iterator<Item = &TestFailure> {
        let cases = self.cases.iter().flat_map(|case| &case.failures);
        self.failures.iter().chain(cases)
    }

    /// Whether nothing is wrong.
    pub(crate) fn passed(&self) -> bool {
        self.all_failures().next().is_none()
    }

    /// Whether it is a tool with nothing to test.
    pub(crate) fn has_no_examples(&self) -> bool {
        self.exists && self.cases.is_empty() && self.failures.is_empty()
    }

    /// The golden files that were written, as their user knows them.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        self.cases
            .iter()
            .filter(|case| case.written)
            .map(|case| &case.golden)
    }
}
