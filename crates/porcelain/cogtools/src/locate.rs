//! Searches for programs.
//!
//! Programs of a project (in its `node_modules/.bin`, in a relative entry of PATH, or in one
//! that leads into it) are found only if the user trusts it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cogtools_core::owner::Owners;
use cogtools_core::trust::{Trust, Verdict};
use cogtools_core::{Code, Diagnostic, Project};
use cogtools_program::project::{project, trust};
use cogtools_program::{Failure, Io, dirs};

use crate::{PREFIX, built_ins};

/// The folder of a project's packages, and the one in it that has their programs.
const MODULES: &str = "node_modules";
const BIN: &str = ".bin";

/// The directories that are searched for programs.
pub(crate) struct ProgramPath {
    program: PathBuf,
    exec_dir: PathBuf,
    /// The others, in the order of the search.
    dirs: Vec<Dir>,
    /// The directories of projects that the user does not trust.
    untrusted: Vec<Dir>,
}

/// A directory that is searched.
struct Dir {
    path: PathBuf,
    /// The root of the project that it belongs to.
    project: Option<PathBuf>,
}

/// A program of a project that the user does not trust.
pub(crate) struct Untrusted {
    pub(crate) file: PathBuf,
    pub(crate) project: PathBuf,
}

impl ProgramPath {
    /// The directories for the program, the working directory and the environment of `io`.
    pub(crate) fn new(io: &Io<'_>) -> Result<Self, Failure> {
        let exec_dir = io.program.parent().map(Path::to_path_buf).ok_or_else(|| {
            Diagnostic::new(Code::Internal, "the directory of this program is unknown")
                .hint("start it by its full path")
        })?;
        let node_bin_dirs = io.cwd.ancestors().map(|dir| dir.join(MODULES).join(BIN));
        let entries = io
            .var("PATH")
            .map(std::env::split_paths)
            .into_iter()
            .flatten();
        let owners = dirs::config_paths(io).owners;
        let all = node_bin_dirs
            .chain(entries)
            .filter(|path| is_ours(path, &owners));
        let all = all.map(|path| Dir::new(path, &owners, io));
        let trust = trust(io);
        let (dirs, untrusted) = all.partition(|dir| dir.is_trusted(&trust));
        Ok(Self {
            program: io.program.clone(),
            exec_dir,
            dirs,
            untrusted,
        })
    }

    /// The directory of the programs of cogtools.
    pub(crate) fn exec_dir(&self) -> &Path {
        &self.exec_dir
    }

    /// The file of the program `name` that is not built in.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let binary = file_name(name)?;
        self.dirs().find_map(|dir| executable(dir, &binary))
    }

    /// The file of the program `name` among the programs that may not run.
    pub(crate) fn find_untrusted(&self, name: &str) -> Option<Untrusted> {
        let binary = file_name(name)?;
        self.untrusted.iter().find_map(|dir| {
            Some(Untrusted {
                file: executable(&dir.path, &binary)?,
                project: dir.project.clone()?,
            })
        })
    }

    /// The directories, in the order of the search.
    fn dirs(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.exec_dir).chain(self.dirs.iter().map(|dir| &dir.path))
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

/// Returns true if the directory at `path` and the one above it belong to the user: one above the
/// working directory may be writable for everyone.
fn is_ours(path: &Path, owners: &Owners) -> bool {
    let is_ours = |dir: &Path| owners.check(dir, dir).is_ok();
    is_ours(path) && path.parent().is_none_or(is_ours)
}

impl Dir {
    fn new(path: PathBuf, owners: &Owners, io: &Io<'_>) -> Self {
        let home = io.var("HOME").map(Path::new);
        let root = project(io).root().to_path_buf();
        let is_bin = path.ends_with(Path::new(MODULES).join(BIN));
        let project = if !path.is_absolute() || is_below(&path, &root, home) {
            Some(root)
        } else if is_bin {
            let folder = path.ancestors().nth(2);
            folder.map(|folder| Project::find(folder, home, owners).root().to_path_buf())
        } else {
            None
        };
        Self { path, project }
    }

    fn is_trusted(&self, trust: &Trust) -> bool {
        let verdict = |root: &PathBuf| trust.project_verdict(root);
        let verdict = self.project.as_ref().map(verdict);
        verdict.is_none_or(|verdict| verdict.is_ok_and(|it| it == Verdict::Approved))
    }
}

/// Returns true if `path` leads into the project at `root`. A project that contains the whole home
/// directory does not contain the user's own programs.
fn is_below(path: &Path, root: &Path, home: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let root = real(root);
    let contains_home = home.is_some_and(|home| real(home).starts_with(&root));
    !contains_home && (path.starts_with(&root) || real(path).starts_with(&root))
}

/// The name of the file of the program `name`, if it can be one.
fn file_name(name: &str) -> Option<String> {
    let is_plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    (is_plain && !name.is_empty()).then(|| format!("{PREFIX}{name}"))
}

/// The file that the system would run for `name` in `dir`.
fn executable(dir: &Path, name: &str) -> Option<PathBuf> {
    which::which_in_global(name, Some(dir)).ok()?.next()
}
