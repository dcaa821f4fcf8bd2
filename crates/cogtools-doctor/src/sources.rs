//! The sources that require approval, and whether they have it.

use cogtools_core::trust::{Standing, subjects};
use cogtools_program::Io;
use cogtools_program::project::{config, project, watched};

/// A package or a provider that requires approval.
#[derive(Debug)]
pub(crate) struct SourceStatus {
    /// What kind of source it is.
    pub(crate) noun: &'static str,
    /// Its name.
    pub(crate) name: String,
    /// Whether it is approved.
    pub(crate) approval: Standing,
}

/// Those of the project around `io`'s working directory.
pub(crate) fn gather(io: &Io<'_>) -> Vec<SourceStatus> {
    let project = project(io);
    let Ok(config) = config(&project, io) else {
        return Vec::new();
    };
    let around = watched(io, &project, config.env_priority);
    subjects(&config, &around)
        .iter()
        .map(|subject| SourceStatus {
            noun: subject.noun(),
            name: subject.name.clone(),
            approval: subject.standing(&around),
        })
        .collect()
}
