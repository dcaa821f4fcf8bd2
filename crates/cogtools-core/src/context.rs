//! The environment of a project, for everything that runs programs.

use std::path::PathBuf;

use crate::trust::Trust;
use crate::{Cancel, Environment};

/// The context for tools and sources that run programs. Templates do not need it.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The working directory of every program that is run: the project's root, absolute.
    pub root: PathBuf,
    /// The variables that they may see.
    pub environment: Environment,
    /// The user's approvals.
    pub trust: Trust,
    /// The folder for caches, if any.
    pub cache: Option<PathBuf>,
    /// The folder for the user's own records and private copies, if any.
    pub state: Option<PathBuf>,
    /// Whether to ignore cached data and renew it.
    pub refresh: bool,
    /// The folder of cogtools's own programs, if known.
    pub programs: Option<PathBuf>,
    /// Cancels running programs.
    pub cancel: Cancel,
}
