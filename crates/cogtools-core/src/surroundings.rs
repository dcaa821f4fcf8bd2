//! The world around a project, for whatever runs programs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Environment;
use crate::trust::Trust;

/// What tools and sources that run programs need to know. Templates need nothing.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
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

/// A wish to stop, shared by the one who has it and all who should follow it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks everybody who shares it to stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// The flag itself, for handlers of signals, which can do no more than set it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
