//! Searches for programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cogtools_core::owner::Owners;
use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io, dirs};

use crate::{PREFIX, built_ins};

/// The directories that are searched for programs.
pub(crate) struct ProgramPath {
    program: PathBuf,
    exec_dir: PathBuf,
    node_bin_dirs: Vec<PathBuf>,
    path: Vec<PathBuf>,
    owners: Owners,
}

impl ProgramPath {
    /// The directories for the program, the working directory and the environment of `io`.
    pub(crate) fn new(io: &Io<'_>) -> Result<Self, Failure> {
        let exec_dir = io.program.parent().map(Path::to_path_buf).ok_or_else(|| {
            Diagnostic::new(Code::Internal, "the directory of this program is unknown")
                .hint("start it by its full path")
        })?;
        let node_bin_dirs = io
            .cwd
            .ancestors()
            .map(|dir| dir.join("node_modules").join(".bin"));
        let path = io
            .var("PATH")
            .map(|path| std::env::split_paths(path).collect());
        Ok(Self {
            program: io.program.clone(),
            exec_dir,
            node_bin_dirs: node_bin_dirs.collect(),
            path: path.unwrap_or_default(),
            owners: dirs::config_paths(io).owners,
        })
    }

    /// The directory of the programs of cogtools.
    pub(crate) fn exec_dir(&self) -> &Path {
        &self.exec_dir
    }

    /// The file of the program `name` that is not built in.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let is_plain = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let binary = format!("{PREFIX}{name}");
        self.dirs()
            .filter(|_| is_plain)
            .find_map(|dir| executable(dir, &binary))
    }

    /// The directories, in the order of the search, without those of other users: a folder above
    /// the working directory may be writable for everyone.
    fn dirs(&self) -> impl Iterator<Item = &PathBuf> {
        let found = self.node_bin_dirs.iter().chain(&self.path);
        let is_ours = |dir: &Path| self.owners.check(dir, dir).is_ok();
        std::iter::once(&self.exec_dir)
            .chain(found.filter(move |dir| is_ours(dir) && dir.parent().is_none_or(is_ours)))
    }

    /// Every program, by name, with its file. The file of a built-in program is `cogtools` itself
    /// if there is no separate one.
    pub(crate) fn all(&self) -> BTreeMap<String, PathBuf> {
        let mut programs: BTreeMap<String, PathBuf> = built_ins()
            .map(|(name, _)| {
                let file = executable(&self.exec_dir, &format!("{PREFIX}{name}"));
                (
                    name.to_owned(),
                    file.unwrap_or_else(|| self.program.clone()),
                )
            })
            .collect();
        for dir in self.dirs() {
            for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
                let file = PathBuf::from(entry.file_name());
                let stem = if cfg!(windows) {
                    file.with_extension("")
                } else {
                    file
                };
                let name = stem.to_str().and_then(|stem| stem.strip_prefix(PREFIX));
                if let Some(name) = name.filter(|name| !programs.contains_key(*name))
                    && let Some(path) = self.find(name)
                {
                    programs.insert(name.to_owned(), path);
                }
            }
        }
        programs
    }
}

/// The file that the system would run for `name` in `dir`.
fn executable(dir: &Path, name: &str) -> Option<PathBuf> {
    which::which_in_global(name, Some(dir)).ok()?.next()
}
