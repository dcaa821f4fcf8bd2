//! The context of a run: the project and the user's directories.

use std::path::{Path, PathBuf};

use cogtools_core::trust::is_untouched;
use cogtools_program::{Io, Vars};

/// The inputs of the configurations of hosts.
#[derive(Clone, Debug)]
pub(crate) struct SetupContext {
    /// The project.
    pub(crate) root: PathBuf,
    /// True if nothing of others was in it before.
    pub(crate) is_new: bool,
    /// The requested name.
    pub(crate) name: Option<String>,
    /// The path of `cogtools`, for hosts that do not search `PATH`.
    pub(crate) program: PathBuf,
    /// The variables, which say where the user's files are.
    pub(crate) vars: Vars,
}

impl SetupContext {
    /// The context of a run with `io`.
    pub(crate) fn new(name: Option<String>, io: &Io<'_>) -> Self {
        let program = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
        Self {
            root: io.cwd.clone(),
            is_new: is_untouched(&io.cwd),
            name,
            program: io.program.with_file_name(program),
            vars: io.vars.clone(),
        }
    }

    /// The full path of `file`.
    pub(crate) fn full(&self, file: &Path) -> PathBuf {
        self.root.join(file)
    }
}
