//! The world around a project, for whatever runs programs.

use std::path::PathBuf;

use crate::trust::Trust;
use crate::{Cancel, Environment};

/// What tools and sources that run programs need to know. Templates need nothing.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The working directory of every program that is run: the project's root, absolute.
    pub root: PathBuf,
    /// The variables that they may see.
    pub environment: Environment,
    /// What the user has allowed to run of what others have written.
    pub trust: Trust,
    /// Where what can be had again may be kept, if anywhere.
    pub cache: Option<PathBuf>,
    /// Whether what is kept there is had again all the same.
    pub refresh: bool,
    /// The folder of our own programs, if it is known.
    pub programs: Option<PathBuf>,
    /// Tells them to stop.
    pub cancel: Cancel,
}
