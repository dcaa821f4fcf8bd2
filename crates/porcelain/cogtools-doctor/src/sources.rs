//! The sources that require approval, and whether they have it.

use cogtools_core::approval::{ApprovalStatus, trustable_sources};
use cogtools_program::Io;
use cogtools_program::project::{cancellable_context, config, project};

/// The project, a package or a provider that requires approval.
#[derive(Debug)]
pub(crate) struct SourceStatus {
    /// The kind of source.
    pub(crate) noun: &'static str,
    /// Its name.
    pub(crate) name: String,
    /// True if it is approved.
    pub(crate) approval: ApprovalStatus,
}

/// The sources of the project that contains `io`'s working directory.
pub(crate) fn gather(io: &Io<'_>) -> Vec<SourceStatus> {
    let project = project(io);
    let Ok(config) = config(&project, io) else {
        return Vec::new();
    };
    let cx = cancellable_context(io, &project, config.env_priority, config.bounds());
    trustable_sources(&config, &cx)
        .iter()
        .filter(|source| source.runs_something())
        .map(|source| SourceStatus {
            noun: source.noun(),
            name: source.name.clone(),
            approval: source.status(&cx),
        })
        .collect()
}
