//! Where programs are looked for, and what is found there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cogtools_core::{Code, Fault};
use cogtools_program::{Failure, Io};

use crate::{PREFIX, built_in};

/// The directories that may hold programs, in the order in which they are asked.
pub(crate) struct Places {
    own: PathBuf,
    modules: Vec<PathBuf>,
    path: Vec<PathBuf>,
}

impl Places {
    /// The places as seen from `io`.
    pub(crate) fn new(io: &Io<'_>) -> Result<Self, Failure> {
        let own = io.program.parent().map(Path::to_path_buf).ok_or_else(|| {
            Fault::new(Code::Internal, "the directory of this program is not known")
                .hint("start it by its full path")
        })?;
        let modules = io
            .cwd
            .ancestors()
            .map(|at| at.join("node_modules").join(".bin"));
        let path = io
            .var("PATH")
            .map(|path| std::env::split_paths(path).collect());
        Ok(Self {
            own,
            modules: modules.collect(),
            path: path.unwrap_or_default(),
        })
    }

    /// The directory of the programs that belong to cogtools.
    pub(crate) fn own(&self) -> &Path {
        &self.own
    }

    /// The program that `cogtools NAME` means.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let binary = format!("{PREFIX}{name}");
        self.ask(name)
            .filter(|_| plain)
            .find_map(|place| executable(place, &binary))
    }

    /// The directories to ask for `name`: a package must not take the place of a
    /// program that belongs to cogtools, also where npm has put packages on PATH.
    fn ask(&self, name: &str) -> impl Iterator<Item = &PathBuf> {
        let own = built_in().any(|(built_in, _)| built_in == name);
        let packages = Path::new("node_modules").join(".bin");
        let others = self.modules.iter().chain(&self.path);
        std::iter::once(&self.own).chain(others.filter(move |at| !own || !at.ends_with(&packages)))
    }

    /// Every program found, by name, with its file.
    pub(crate) fn all(&self) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        let places = std::iter::once(&self.own)
            .chain(&self.modules)
            .chain(&self.path);
        for place in places {
            for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
                let file = PathBuf::from(entry.file_name());
                let stem = if cfg!(windows) {
                    file.with_extension("")
                } else {
                    file
                };
                let name = stem.to_str().and_then(|stem| stem.strip_prefix(PREFIX));
                if let Some(name) = name.filter(|name| !found.contains_key(*name))
                    && let Some(path) = self.find(name)
                {
                    found.insert(name.to_owned(), path);
                }
            }
        }
        found
    }
}

/// The file that the system would run for `name` in `place`.
fn executable(place: &Path, name: &str) -> Option<PathBuf> {
    which::which_in_global(name, Some(place)).ok()?.next()
}
