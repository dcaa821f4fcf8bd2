//! Which files a run looks at.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cogtools_core::source::Listing;
use cogtools_core::yaml::Node;
use cogtools_core::{Code, Config, Fault, Folder, SourceError};

use crate::subject::Subject;

/// What a run looks at.
pub(crate) struct Targets {
    /// The files.
    pub(crate) subjects: Vec<Subject>,
    /// Files and folders that cannot be read.
    pub(crate) faults: Vec<Fault>,
}

/// The files at `paths`, or where there are none those of the project.
pub(crate) fn collect(paths: &[OsString], config: &Config, cwd: &Path) -> Targets {
    let mut files = Vec::new();
    let mut faults = Vec::new();
    for path in paths.iter().map(Path::new) {
        let whole = cwd.join(path);
        if whole.is_dir() {
            list(
                &Folder::new(whole, path.to_path_buf(), true),
                &mut files,
                &mut faults,
            );
        } else {
            files.push((whole, path.to_path_buf()));
        }
    }
    if paths.is_empty() {
        for folder in config.folders() {
            list(folder, &mut files, &mut faults);
        }
    }
    let mut subjects: Vec<Subject> = Vec::new();
    for (path, shown) in files {
        if subjects.iter().any(|subject| subject.path == path) {
            continue;
        }
        match Subject::read(&path, &shown) {
            Ok(subject) => subjects.push(subject),
            Err(error) => faults.push(error.fault(Code::InvalidTool)),
        }
    }
    // In a folder a `.yml` file may be anything.
    subjects.retain(|subject| !is_yml(&subject.path) || subject.looks_like_a_tool());
    shadow(&mut subjects, config);
    twins(&mut subjects);
    Targets { subjects, faults }
}

fn is_yml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yml")
}

/// Adds the tool files of a folder, and those that want to be.
fn list(folder: &Folder, files: &mut Vec<(PathBuf, PathBuf)>, faults: &mut Vec<Fault>) {
    let Listing { listed, errors } = folder.list();
    faults.extend(errors.iter().map(SourceError::fault));
    files.extend(listed.into_iter().map(|file| (file.path, file.shown)));
    for folder in folder.toolsets() {
        files.extend(misnamed(&folder));
    }
}

/// The files in a folder that do not quite end as tool files do.
fn misnamed(folder: &Folder) -> impl Iterator<Item = (PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder.path())
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<OsString> = entries
        .map(|entry| entry.file_name())
        .filter(|name| is_yml(Path::new(name)) && !name.as_encoded_bytes().starts_with(b"."))
        .filter(|name| folder.path().join(name).is_file())
        .collect();
    names.sort_unstable();
    let both = |name: OsString| (folder.path().join(&name), folder.shown().join(&name));
    names.into_iter().map(both)
}

/// Notes which files an earlier source of the project hides.
fn shadow(subjects: &mut [Subject], config: &Config) {
    let mut winners: HashMap<OsString, PathBuf> = HashMap::new();
    let mut hidden: HashMap<PathBuf, PathBuf> = HashMap::new();
    for file in config.folders().flat_map(|folder| folder.list().listed) {
        match winners.get(&file.stem) {
            Some(winner) => drop(hidden.insert(real(&file.path), winner.clone())),
            None => drop(winners.insert(file.stem, file.shown)),
        }
    }
    for subject in subjects {
        subject.shadowed_by = hidden.get(&real(&subject.path)).cloned();
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Notes which files declare what an earlier one declares already, or nearly so.
fn twins(subjects: &mut [Subject]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for index in 0..subjects.len() {
        let subject = &subjects[index];
        let name = subject.value("name").and_then(Node::text);
        let Some(name) = name.filter(|_| subject.shadowed_by.is_none()) else {
            continue;
        };
        let plain = name.to_lowercase().replace('-', "_");
        match first.get(&plain) {
            Some(&twin) if real(&subjects[twin].path) != real(&subject.path) => {
                subjects[index].twin = Some(subjects[twin].text.name().to_path_buf());
            }
            Some(_) => {}
            None => drop(first.insert(plain, index)),
        }
    }
}
