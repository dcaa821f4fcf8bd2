//! A tool that another one of the same name hides.

use std::path::PathBuf;

use crate::source::Candidate;
use crate::tool::Author;
use crate::{Omission, OmissionReason};

/// A file or a declaration that is shadowed, because an earlier source has a tool of that name.
#[derive(Clone, Debug)]
pub struct Shadowed {
    /// The file or the declaration, as shown to the user.
    pub file: PathBuf,
    /// The one that won.
    pub winner: PathBuf,
    /// The same as a tool that is left out, if others have written it.
    pub omission: Option<Omission>,
}

impl Shadowed {
    pub(super) fn new(hidden: Candidate, winner: &Candidate) -> Self {
        let author = &hidden.provenance.author;
        let is_foreign =
            hidden.remote().is_some() || matches!(author, Author::Provider | Author::Package(_));
        let omission = is_foreign.then(|| Omission {
            source: hidden.provenance.source.clone(),
            tool: hidden.name.to_string_lossy().into_owned(),
            reason: OmissionReason::Shadowed,
        });
        Self {
            file: hidden.display_path,
            winner: winner.display_path.clone(),
            omission,
        }
    }
}
