//! Where programs are looked for, and what is found there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io};

use crate::{PREFIX, built_ins};

/// The directories that may hold programs, in the order in which they are asked.
pub(crate) struct Places {
    program: PathBuf,
    own: PathBuf,
    modules: Vec<PathBuf>,
    path: Vec<PathBuf>,
}

impl Places {
    /// The places as seen from `io`.
    pub(crate) fn new(io: &Io<'_>) -> Result<Self, Failure> {
        let own = io.program.parent().map(Path::to_path_buf).ok_or_else(|| {
            Diagnostic::new(Code::Internal, "the directory of this program is not known")
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
            program: io.program.clone(),
            own,
            modules: modules.collect(),
            path: path.unwrap_or_default(),
        })
    }

    /// The directory of the programs that belong to cogtools.
    pub(crate) fn own(&self) -> &Path {
        &self.own
    }

    /// The program that `cogtools NAME` means, when it is none of this package.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let binary = format!("{PREFIX}{name}");
        self.in_order()
            .filter(|_| plain)
            .find_map(|place| executable(place, &binary))
    }

    fn in_order(&self) -> impl Iterator<Item = &PathBuf> {
        let others = self.modules.iter().chain(&self.path);
        std::iter::once(&self.own).chain(others)
    }

    /// Every program, by name, with its file. That of a program of this package is
    /// `cogtools` itself where none lies beside it.
    pub(crate) fn all(&self) -> BTreeMap<String, PathBuf> {
        let own = built_ins().map(|(name, _)| {
            let beside = executable(&self.own, &format!("{PREFIX}{name}"));
            (
                name.to_owned(),
                beside.unwrap_or_else(|| self.program.clone()),
            )
        });
        let mut found: BTreeMap<_, _> = own.collect();
        for place in self.in_order() {
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
