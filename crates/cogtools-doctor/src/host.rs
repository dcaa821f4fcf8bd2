//! The environment in which the doctor and the programs that it starts run.

use std::path::{Path, PathBuf};

use cogtools_core::Cancel;
use cogtools_gemini_cli::Vars;
use cogtools_program::Io;
use cogtools_program::project::project;

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
    /// Cancels the programs that are running.
    pub(crate) cancel: Cancel,
}

impl Host {
    /// The host that `io` describes.
    pub(crate) fn new(io: &Io<'_>) -> Self {
        Self {
            root: project(io).root().to_path_buf(),
            cwd: io.cwd.clone(),
            vars: io.vars.clone(),
            programs: io.program.parent().unwrap_or(Path::new("")).to_path_buf(),
            cancel: io.signals.begin(),
        }
    }
}
