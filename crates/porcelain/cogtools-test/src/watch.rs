//! `--watch`: runs the tests again whenever a file changes.
//!
//! Polling needs neither another crate nor support by the system, and works where notifications
//! do not: on network mounts, in containers, through links. A snapshot of a thousand tools takes
//! a few milliseconds.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use cogtools_core::{Folder, Project};
use cogtools_program::project::project;
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Severity};

use crate::target::Targets;
use crate::{TestArgs, golden};

/// The interval between two snapshots. A change is handled when two in a row are equal, because
/// editors and version control write more than one file.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// The maximum number of changed files listed.
const MAX_LISTED: usize = 3;

/// Clears a terminal and its scrollback.
const CLEAR: &str = "\u{1b}[2J\u{1b}[3J\u{1b}[H";

/// The files that have changed.
pub(crate) struct Changed(Vec<PathBuf>);

/// Runs the tests, and again after each change, until the process is terminated.
pub(crate) fn run(args: &TestArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut changed: Option<Changed> = None;
    loop {
        let paths = watched_paths(args, io);
        // Taken before the run, so that a change during the run is detected.
        let before = Snapshot::take(&paths);
        if io.terminals.stdout {
            io.print(CLEAR.as_bytes())?;
        }
        if let Some(changed) = &changed {
            let line = format!("== changed: {} ==\n", sanitize(&changed.display(&io.cwd)));
            io.print(line.as_bytes())?;
        }
        match args.run_once(changed.as_ref(), io) {
            Ok(()) => {}
            Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            Err(failure) => {
                for diagnostic in failure.diagnostics() {
                    io.report(Severity::Error, diagnostic);
                }
            }
        }
        io.print(b"\nwaiting for a change; press Ctrl-C to stop\n\n")?;
        changed = Some(wait(&before, &paths));
    }
}

/// The watched paths: the configuration, and the folders of the tools, which contain everything
/// that a template may include.
fn watched_paths(args: &TestArgs, io: &Io<'_>) -> Vec<PathBuf> {
    let (config, _) = project(io).resolve(Path::new(Project::CONFIG));
    let mut paths = vec![config];
    if let Ok(targets) = args.targets(io) {
        let files = targets.files.iter().filter_map(|file| file.path.parent());
        let folders = targets.folders.iter().map(Folder::path);
        paths.extend(files.chain(folders).map(Path::to_path_buf));
    } else {
        // A tool may not exist yet, or the configuration is being edited.
        paths.push(io.cwd.clone());
    }
    paths.sort();
    paths.dedup();
    paths
}

fn wait(before: &Snapshot, paths: &[PathBuf]) -> Changed {
    let mut last = Snapshot::take(paths);
    loop {
        thread::sleep(POLL_INTERVAL);
        let now = Snapshot::take(paths);
        if now == last {
            let changed = before.changed(&now);
            if !changed.is_empty() {
                return Changed(changed);
            }
        }
        last = now;
    }
}

impl Changed {
    /// Limits `targets` to the tools that the change affects: a tool file or a golden file affects
    /// one tool; any other file may affect all.
    pub(crate) fn filter(&self, targets: &mut Targets) {
        let affected: Option<Vec<(&Path, OsString)>> =
            self.0.iter().map(|path| owner(path)).collect();
        let Some(affected) = affected else { return };
        let is_affected = |path: &Path, stem: &OsStr| {
            affected
                .iter()
                .any(|(folder, name)| path.parent() == Some(*folder) && stem == name)
        };
        let all_known = affected.iter().all(|(folder, name)| {
            let files = &mut targets.files.iter();
            files.any(|file| file.path.parent() == Some(*folder) && file.name == *name)
        });
        if all_known {
            targets
                .files
                .retain(|file| is_affected(&file.path, &file.name));
            targets.folders.clear();
        }
    }

    /// The files relative to `cwd`, on one line.
    fn display(&self, cwd: &Path) -> String {
        let relative =
            |path: &PathBuf| path.strip_prefix(cwd).unwrap_or(path).display().to_string();
        let mut names: Vec<String> = self.0.iter().take(MAX_LISTED).map(relative).collect();
        if self.0.len() > MAX_LISTED {
            names.push(format!("{} more", self.0.len() - MAX_LISTED));
        }
        names.join(", ")
    }
}

/// The folder and the name of the tool that a file belongs to.
fn owner(path: &Path) -> Option<(&Path, OsString)> {
    let (folder, file) = (path.parent()?, path.file_name()?);
    let name = match golden::parse(file.to_str()?) {
        Some((name, _)) => OsString::from(name),
        None if path.extension()? == "yaml" => path.file_stem()?.to_owned(),
        None => return None,
    };
    // The configuration is a hidden file.
    (!name.as_encoded_bytes().starts_with(b".")).then_some((folder, name))
}

/// The maximum depth of folders searched.
const MAX_DEPTH: usize = 8;

/// The maximum number of files in a snapshot: a folder may be a whole disk.
const MAX_FILES: usize = 50_000;

/// Files with their fingerprints.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Fingerprint>);

/// The length of a file, the time of its last change, and its permissions.
type Fingerprint = (u64, Option<SystemTime>, Permissions);

impl Snapshot {
    /// The files at and below `paths`, without hidden files and `node_modules`.
    pub(crate) fn take(paths: &[PathBuf]) -> Self {
        let mut snapshot = Self::default();
        for path in paths {
            snapshot.add(path, MAX_DEPTH);
        }
        snapshot
    }

    fn add(&mut self, path: &Path, depth: usize) {
        let Ok(meta) = fs::metadata(path) else {
            return;
        };
        if meta.is_file() && self.0.len() < MAX_FILES {
            let fingerprint = (meta.len(), meta.modified().ok(), meta.permissions());
            self.0.insert(path.to_path_buf(), fingerprint);
        }
        if !meta.is_dir() || depth == 0 {
            return;
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !name.as_encoded_bytes().starts_with(b".") && name != "node_modules" {
                self.add(&entry.path(), depth - 1);
            }
        }
    }

    /// The files that are changed, new or removed in `later`, in order.
    pub(crate) fn changed(&self, later: &Self) -> Vec<PathBuf> {
        let removed = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let mut changed: Vec<PathBuf> = later
            .0
            .iter()
            .filter(|(path, fingerprint)| self.0.get(*path) != Some(fingerprint))
            .map(|(path, _)| path)
            .chain(removed)
            .cloned()
            .collect();
        changed.sort();
        changed
    }
}
