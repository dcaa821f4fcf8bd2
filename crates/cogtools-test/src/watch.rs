//! `--watch`: tests again whenever a file has changed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use cogtools_core::Project;
use cogtools_program::project::project;
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Severity};

use crate::command::Request;
use crate::golden;
use crate::snapshot::Snapshot;
use crate::target::Targets;

/// How long to wait between two looks; a change is taken up when two in a row are
/// the same, for editors and version control write more than one file.
const PAUSE: Duration = Duration::from_millis(150);

/// How many changed files are named.
const NAMED: usize = 3;

/// Clears a terminal and what can be scrolled back to.
const CLEAR: &str = "\u{1b}[2J\u{1b}[3J\u{1b}[H";

/// The files that have changed.
pub(crate) struct Changed(Vec<PathBuf>);

/// Tests, and tests again after each change, until the process is ended.
pub(crate) fn run(request: &Request, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut changed: Option<Changed> = None;
    loop {
        let paths = watched_paths(request, io);
        // Taken before the run: what changes meanwhile is another change.
        let before = Snapshot::take(&paths);
        if io.terminals.stdout {
            io.print(CLEAR.as_bytes())?;
        }
        if let Some(changed) = &changed {
            let line = format!("== changed: {} ==\n", sanitize(&changed.display(&io.cwd)));
            io.print(line.as_bytes())?;
        }
        match request.run_once(changed.as_ref(), io) {
            Ok(()) => {}
            Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            Err(failure) => {
                for diagnostic in failure.diagnostics() {
                    io.report(Severity::Error, diagnostic);
                }
            }
        }
        io.print(b"\nwaiting for a change; Ctrl-C ends\n\n")?;
        changed = Some(wait(&before, &paths));
    }
}

/// What is looked at: the configuration, and the folders of the tools with all
/// that a template may include.
fn watched_paths(request: &Request, io: &Io<'_>) -> Vec<PathBuf> {
    let (config, _) = project(io).resolve(Path::new(Project::CONFIG));
    let mut paths = vec![config];
    if let Ok(targets) = request.targets(io) {
        let files = targets.files.iter().filter_map(|file| file.path.parent());
        let whole = targets.folders.iter().map(cogtools_core::Folder::path);
        paths.extend(files.chain(whole).map(Path::to_path_buf));
    } else {
        // A name that is not there yet, or a configuration that is being mended.
        paths.push(io.cwd.clone());
    }
    paths.sort();
    paths.dedup();
    paths
}

fn wait(before: &Snapshot, paths: &[PathBuf]) -> Changed {
    let mut last = Snapshot::take(paths);
    loop {
        thread::sleep(PAUSE);
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
    /// Leaves of `targets` what the change touches, if that can be told: a tool
    /// file or a golden file is one tool's, anything else may be everybody's.
    pub(crate) fn filter(&self, targets: &mut Targets) {
        let touched: Option<Vec<(&Path, OsString)>> =
            self.0.iter().map(|path| owner(path)).collect();
        let Some(touched) = touched else { return };
        let is_touched = |path: &Path, stem: &OsStr| {
            let own =
                |(folder, name): &(&Path, OsString)| path.parent() == Some(*folder) && stem == name;
            touched.iter().any(own)
        };
        let known = touched.iter().all(|(folder, name)| {
            let files = &mut targets.files.iter();
            files.any(|file| file.path.parent() == Some(*folder) && file.name == *name)
        });
        if known {
            targets
                .files
                .retain(|file| is_touched(&file.path, &file.name));
            targets.folders.clear();
        }
    }

    /// The files as their user knows them, on one line.
    fn display(&self, cwd: &Path) -> String {
        let shown = |path: &PathBuf| path.strip_prefix(cwd).unwrap_or(path).display().to_string();
        let mut names: Vec<String> = self.0.iter().take(NAMED).map(shown).collect();
        if self.0.len() > NAMED {
            names.push(format!("{} more", self.0.len() - NAMED));
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
