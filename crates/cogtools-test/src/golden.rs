//! Golden files: `NAME.N.golden` beside the tool, with exactly what a call prints.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, TextError};
use cogtools_core::{Candidate, Code, Diagnostic, Name};

/// The ending of golden files.
const EXTENSION: &str = "golden";

/// The largest golden file that is read: 16 MiB.
const LIMIT: usize = 16 << 20;

/// A golden file, there or not.
#[derive(Clone, Debug)]
pub(crate) struct Golden {
    path: WritePath,
    /// The file as its user knows it.
    pub(crate) shown: PathBuf,
}

/// The golden files in folders: by folder and tool, the numbers of examples.
#[derive(Debug, Default)]
pub(crate) struct Goldens(HashMap<PathBuf, BTreeMap<String, Vec<usize>>>);

impl Goldens {
    /// Lists those of `folders`, each once. What cannot be listed has none.
    pub(crate) fn list<'f>(folders: impl Iterator<Item = &'f Path>) -> Self {
        let mut found = HashMap::new();
        for folder in folders {
            if !found.contains_key(folder) {
                found.insert(folder.to_path_buf(), tools(folder));
            }
        }
        Self(found)
    }

    /// The tools that the folder at `path` has golden files for, with the numbers.
    pub(crate) fn tools(&self, path: &Path) -> impl Iterator<Item = (&str, &[usize])> {
        let tools = self.0.get(path).into_iter().flatten();
        tools.map(|(name, numbers)| (name.as_str(), numbers.as_slice()))
    }

    /// The numbers of the golden files of the tool in `file`, ascending.
    pub(crate) fn numbers(&self, file: &Candidate) -> &[usize] {
        let folder = file.path.parent().and_then(|folder| self.0.get(folder));
        let stem = file.name.to_str().unwrap_or_default();
        folder
            .and_then(|tools| tools.get(stem))
            .map_or(&[], Vec::as_slice)
    }
}

fn tools(folder: &Path) -> BTreeMap<String, Vec<usize>> {
    let mut tools: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some((name, number)) = entry.file_name().to_str().and_then(parse) {
            tools.entry(name.to_owned()).or_default().push(number);
        }
    }
    for numbers in tools.values_mut() {
        numbers.sort_unstable();
    }
    tools
}

/// The tool and the number that a file's name speaks of, if it is one of ours to
/// the letter: others are not removed.
pub(crate) fn parse(file: &str) -> Option<(&str, usize)> {
    let (rest, ending) = file.rsplit_once('.')?;
    let (name, digits) = rest.rsplit_once('.')?;
    let number: usize = digits.parse().ok()?;
    let ours = ending == EXTENSION && number > 0 && number.to_string() == digits;
    (ours && Name::new(name).is_ok()).then_some((name, number))
}

impl Golden {
    /// The golden file of an example of the tool in `file`, for the project at `root`.
    pub(crate) fn of(root: &Path, file: &Candidate, number: usize) -> Self {
        let mut name = file.name.clone();
        name.push(format!(".{number}.{EXTENSION}"));
        Self {
            path: WritePath::in_project(root, &file.path.with_file_name(&name)),
            shown: file.display_path.with_file_name(&name),
        }
    }

    /// What it holds, if it is there.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, Box<Diagnostic>> {
        match text::bytes(&self.path.full(), &self.shown, LIMIT) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(TextError::Absent(_)) => Ok(None),
            Err(TextError::TooLarge(file)) => {
                let most = LIMIT >> 20;
                let message = format!("`{}` is larger than {most} MiB", file.display());
                let diagnostic = Diagnostic::new(Code::IoFailed, message);
                Err(Box::new(diagnostic.hint("let the example ask for less")))
            }
            Err(error) => Err(Box::new(error.diagnostic(Code::IoFailed))),
        }
    }

    /// Makes it hold `bytes`.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
        file::write(&self.path, bytes).map_err(|error| self.diagnostic("written", &error))
    }

    /// Removes it.
    pub(crate) fn remove(&self) -> Result<(), Box<Diagnostic>> {
        file::remove(&self.path).map_err(|error| self.diagnostic("removed", &error))
    }

    fn diagnostic(&self, what: &str, error: &WriteError) -> Box<Diagnostic> {
        let message = format!("`{}` cannot be {what}: {error}", self.shown.display());
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Box::new(diagnostic.hint(error.hint("make room or give permission, then run this again")))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn names() {
        let check = |file: &str, expected| assert_eq!(parse(file), expected, "{file}");
        check("say.1.golden", Some(("say", 1)));
        check("say.120.golden", Some(("say", 120)));
        for other in [
            "say.golden",
            "say.0.golden",
            "say.01.golden",
            "say.+1.golden",
            "say.x.golden",
            "a.b.1.golden",
            ".1.golden",
            "say.1.golden~",
            "say.1.gold",
            "1.golden",
            "",
        ] {
            check(other, None);
        }
    }
}
