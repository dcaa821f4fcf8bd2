//! The editor that answers to the source `editor`.

use cogtools_core::source::Source;
use cogtools_editor_client::{Ambiguous, Found, Place, Request, find};
use cogtools_program::Io;
use cogtools_program::project::{config, context, project};

/// Asks the editor around the doctor, if the configuration names the source.
pub(crate) fn ask(io: &Io<'_>) -> Option<Result<Found, Ambiguous>> {
    let project = project(io);
    let config = config(&project, io).ok()?;
    let is_asked = config
        .sources
        .iter()
        .any(|source| matches!(source, Source::Editor));
    if !is_asked {
        return None;
    }
    let cx = context(io, &project, config.env_priority, config.bounds());
    Some(find(&Request::OpenFiles, &Place::of(&cx)))
}
