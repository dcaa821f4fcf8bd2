//! The files of a project that a provider's command lines run, with those beside them.
//!
//! A script imports files beside it, so its whole folder is covered by the approval, and
//! copied. The copy has the layout of the project: links lead from it to everything else,
//! so that a path such as `../shared` leads where it did.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::unit::{Unit, Walked};
use crate::containment::{
    MODULES, NamedFile, Reason, Uncovered, argument_starts, loads_modules, named_files,
    read_first_line, runs_in_place, searched_program,
};

/// The covered files of a project.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The project, without links.
    pub(super) root: PathBuf,
    /// Where the command lines start.
    directory: PathBuf,
    /// What is covered, sorted; no part is in another one's content.
    pub(super) units: Vec<Unit>,
    /// The words of the command lines that name files of the project, as they were when these
    /// were found: a file that disappears later must not be searched again.
    named: BTreeMap<String, Named>,
    /// What is named and not covered.
    uncovered: Vec<Uncovered>,
}

/// A word that ends in the path of a file.
#[derive(Clone, Debug)]
struct Named {
    /// Where the path starts in the word.
    start: usize,
    /// The path below the root.
    path: PathBuf,
    /// The file, which may have another path: an interpreter adds an extension.
    file: PathBuf,
}

impl Mirror {
    /// What the command `lines`, which start in `directory`, run of the project at `root`.
    pub fn of(root: &Path, directory: &Path, lines: &[&[String]]) -> Self {
        let real = root.canonicalize();
        let mut mirror = Self {
            root: real.unwrap_or_else(|_| root.to_path_buf()),
            directory: directory.to_path_buf(),
            units: Vec::new(),
            named: BTreeMap::new(),
            uncovered: Vec::new(),
        };
        let mut files = BTreeSet::new();
        for line in lines.iter().filter(|line| !runs_in_place(line)) {
            mirror.add_line(line, &mut files);
        }
        mirror.add_units(&files);
        mirror
    }

    /// Whether nothing of the project is covered.
    pub const fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The name of the project's folder.
    pub(super) fn name(&self) -> &OsStr {
        self.root.file_name().unwrap_or(OsStr::new("project"))
    }

    /// The covered files, relative to the project.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.units.iter().flat_map(|unit| &unit.walked.files);
        files.cloned().collect()
    }

    /// What may be loaded from the project without being covered.
    pub fn uncovered(&self) -> Vec<Uncovered> {
        let mut found = self.uncovered.clone();
        for unit in &self.units {
            let why = if unit.is_too_large {
                Reason::Large
            } else {
                Reason::Loaded
            };
            let what = unit.describe_rest();
            found.push(Uncovered { what, why });
            for link in &unit.walked.links {
                let target = self.root.join(link).canonicalize();
                if target.is_ok_and(|target| !self.covers(&target)) {
                    let what = link.display().to_string();
                    let why = Reason::Link;
                    found.push(Uncovered { what, why });
                }
            }
        }
        found
    }

    /// The command `line` with the paths of the project's copy in the folder `copy`.
    pub fn relocate(&self, line: &[String], copy: &Path) -> Vec<String> {
        if runs_in_place(line) {
            return line.to_vec();
        }
        let program = searched_program(line);
        let is_covered = |file: &Path| self.units.iter().any(|unit| unit.contains(file));
        let words = line.iter().enumerate();
        words
            .map(|(index, word)| match self.named.get(word) {
                Some(named) if Some(index) != program && is_covered(&named.file) => {
                    let path = copy.join(&named.path);
                    format!("{}{}", &word[..named.start], path.display())
                }
                _ => word.clone(),
            })
            .collect()
    }

    /// The path in `word` that reaches to its end and names a file of the project.
    fn find(&self, word: &str, is_module: bool) -> Option<Named> {
        let named = named_files(&self.directory, word, is_module)?;
        argument_starts(word).into_iter().find_map(|start| {
            let text = &word[start..];
            let one = named.iter().find(|one| one.path == text)?;
            let file = self.below(&one.file)?;
            let path = self.below(&self.directory.join(text))?;
            Some(Named { start, path, file })
        })
    }

    /// Adds the files that `line` names to `files`, relative to the root.
    fn add_line(&mut self, line: &[String], files: &mut BTreeSet<PathBuf>) {
        let is_module = line.iter().any(|word| loads_modules(word));
        let program = searched_program(line);
        for (index, word) in line.iter().enumerate() {
            if Some(index) == program {
                continue;
            }
            let found = self.find(word, is_module);
            let moved = found.as_ref().map(|named| named.file.clone());
            self.named.extend(found.map(|named| (word.clone(), named)));
            let named = named_files(&self.directory, word, is_module).unwrap_or_default();
            for NamedFile { path, file } in named {
                let Some(below) = self.below(&file) else {
                    if self.is_written_below(&path) {
                        self.add_in_place(path);
                    }
                    continue;
                };
                if moved.as_ref() != Some(&below) {
                    self.add_in_place(path);
                    continue;
                }
                self.add_interpreter(&file, files);
                let target = self.root.join(&below).canonicalize();
                files.extend(target.ok().and_then(|target| self.below(&target)));
                files.insert(below);
            }
        }
    }

    /// Adds the files that the first line of a script names, which are run where they are.
    fn add_interpreter(&mut self, script: &Path, files: &mut BTreeSet<PathBuf>) {
        let line = read_first_line(script).map(|line| line.words());
        for word in line.unwrap_or_default() {
            let named = named_files(&self.directory, &word, false).unwrap_or_default();
            for NamedFile { path, file } in named {
                if let Some(below) = self.below(&file) {
                    files.insert(below);
                    self.add_in_place(path);
                }
            }
        }
    }

    fn add_in_place(&mut self, what: String) {
        let why = Reason::InPlace;
        self.uncovered.push(Uncovered { what, why });
    }

    /// Whether `path` names a file outside the project by a way that the project decides.
    fn is_written_below(&self, path: &str) -> bool {
        Path::new(path).is_relative() || Path::new(path).starts_with(&self.root)
    }

    /// Adds the folders of `files`, as long as they are small enough.
    fn add_units(&mut self, files: &BTreeSet<PathBuf>) {
        let folders: BTreeSet<PathBuf> = files
            .iter()
            .map(|file| unit_folder(file))
            .filter(|folder| !folder.as_os_str().is_empty())
            .collect();
        let mut left = Walked::limit();
        let mut too_large = BTreeSet::new();
        for folder in &folders {
            if self.units.iter().any(|unit| unit.contains(folder)) {
                continue;
            }
            match Walked::folder(&self.root, folder, &mut left) {
                Some(walked) => self.units.push(Unit::folder(folder, walked)),
                None => {
                    too_large.insert(folder);
                }
            }
        }
        for file in files {
            if self.units.iter().any(|unit| unit.contains(file)) {
                continue;
            }
            let is_too_large = too_large.contains(&unit_folder(file));
            match Walked::file(&self.root, file, &mut left) {
                Some(walked) => self.units.push(Unit::file(file, walked, is_too_large)),
                None => self.add_in_place(file.display().to_string()),
            }
        }
        self.units.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// `path` relative to the root, with the links of its folder resolved.
    fn below(&self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?.canonicalize().ok()?;
        let Component::Normal(name) = path.components().next_back()? else {
            return None;
        };
        let below = folder.strip_prefix(&self.root).ok()?;
        Some(below.join(name))
    }

    /// Whether the file at `path`, without links, is covered.
    fn covers(&self, path: &Path) -> bool {
        path.strip_prefix(&self.root)
            .is_ok_and(|below| self.units.iter().any(|unit| unit.contains(below)))
    }
}

/// The folder that is covered with the `file`: the one that it is in, or its package.
fn unit_folder(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let names: Vec<&OsStr> = folder.iter().collect();
    let Some(modules) = names.iter().rposition(|name| *name == MODULES) else {
        return folder.to_path_buf();
    };
    let is_scope = |name: &&OsStr| name.as_encoded_bytes().starts_with(b"@");
    let length = 2 + usize::from(names.get(modules + 1).is_some_and(is_scope));
    names.iter().take(modules + length).collect()
}
