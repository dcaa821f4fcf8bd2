//! What came of the tests of one tool.

use std::path::PathBuf;

use cogtools_core::Place;

use crate::flaw::Flaw;

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
    pub(crate) flaws: Vec<Flaw>,
    /// Golden files that were removed, as their user knows them.
    pub(crate) removed: Vec<PathBuf>,
}

/// One example.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Where it begins.
    pub(crate) place: Option<Place>,
    /// Its golden file, as its user knows it.
    pub(crate) golden: PathBuf,
    /// What is wrong with it.
    pub(crate) flaws: Vec<Flaw>,
    /// Whether its golden file was written.
    pub(crate) written: bool,
}

impl Suite {
    /// Everything that is wrong with it.
    pub(crate) fn all_flaws(&self) -> impl Iterator<Item = &Flaw> {
        let cases = self.cases.iter().flat_map(|case| &case.flaws);
        self.flaws.iter().chain(cases)
    }

    /// Whether nothing is wrong.
    pub(crate) fn passed(&self) -> bool {
        self.all_flaws().next().is_none()
    }

    /// Whether it is a tool with nothing to test.
    pub(crate) fn is_bare(&self) -> bool {
        self.exists && self.cases.is_empty() && self.flaws.is_empty()
    }

    /// The golden files that were written, as their user knows them.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        let written = self.cases.iter().filter(|case| case.written);
        written.map(|case| &case.golden)
    }
}
