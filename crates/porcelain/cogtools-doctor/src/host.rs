//! The environment in which the doctor and the programs that it starts run.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cogtools_core::Cancel;
use cogtools_core::trust::Verdict;
use cogtools_gemini_cli::Vars;
use cogtools_program::Io;
use cogtools_program::project::{project, trust};

/// The directories and the environment that all programs run with.
#[derive(Debug)]
pub(crate) struct Host {
    /// The root of the project, in which hosts are started.
    pub(crate) root: PathBuf,
    /// The directory in which the doctor was started.
    pub(crate) cwd: PathBuf,
    /// The environment, which every host and every tool would inherit.
    pub(crate) vars: Vars,
    /// The folder that contains the programs of cogtools.
    pub(crate) programs: PathBuf,
    /// The root with links resolved, if the user does not trust the project.
    untrusted: Option<PathBuf>,
    /// Cancels the programs that are running.
    pub(crate) cancel: Cancel,
}

impl Host {
    /// The host that `io` describes.
    pub(crate) fn new(io: &Io<'_>) -> Self {
        let root = project(io).root().to_path_buf();
        let is_trusted = trust(io).project_verdict(&root);
        let is_trusted = is_trusted.is_ok_and(|verdict| verdict == Verdict::Approved);
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        // A project that contains the home directory does not contain the user's programs.
        let home = io
            .var("HOME")
            .and_then(|home| Path::new(home).canonicalize().ok());
        let has_home = home.is_some_and(|home| home.starts_with(&real));
        Self {
            root,
            untrusted: (!is_trusted && !has_home).then_some(real),
            cwd: io.cwd.clone(),
            vars: io.vars.clone(),
            programs: io.program.parent().unwrap_or(Path::new("")).to_path_buf(),
            cancel: io.signals.begin(),
        }
    }

    /// Returns true if `program` may be started: it is not one of a project that is not trusted.
    pub(crate) fn may_start(&self, program: &Path) -> bool {
        let Some(root) = &self.untrusted else {
            return true;
        };
        let real = program.canonicalize();
        let is_outside = |path: &Path| path.is_absolute() && !path.starts_with(root);
        let is_outside = is_outside(program) && real.is_ok_and(|real| is_outside(&real));
        is_outside && !program.starts_with(&self.root) && !is_in_modules_above(program, root)
    }

    /// The environment of programs. Those that they start are not the project's, either.
    pub(crate) fn program_vars(&self) -> Vars {
        let mut vars = self.vars.clone();
        let Some(path) = vars
            .get(OsStr::new("PATH"))
            .filter(|_| self.untrusted.is_some())
        else {
            return vars;
        };
        let entries = env::split_paths(path).filter(|entry| self.may_start(entry));
        let entries = env::join_paths(entries).unwrap_or_default();
        vars.insert("PATH".into(), entries);
        vars
    }
}

/// Returns true if `program` is in the `node_modules` of a folder above the project.
fn is_in_modules_above(program: &Path, root: &Path) -> bool {
    let above = root.ancestors().skip(1);
    above
        .into_iter()
        .any(|folder| program.starts_with(folder.join("node_modules")))
}
