//! The tools of a project, and those that are left out.

use std::path::PathBuf;

use crate::source::{Candidate, SourceError};
use crate::tool::Author;
use crate::{Diagnostic, Omission, OmissionReason};

/// The result of loading all tools.
#[derive(Debug)]
pub struct Found<T> {
    /// One item for each tool file, in the order of sources and names.
    pub items: Vec<T>,
    /// Sources that could not be listed.
    pub source_errors: Vec<SourceError>,
    /// Files and declarations that an earlier source hides.
    pub shadowed: Vec<Shadowed>,
    /// The number of files that the filters have excluded.
    pub filtered_out: usize,
    /// Patterns of the filters that match none of the tools, with suggestions.
    pub unmatched: Vec<Diagnostic>,
}

/// A file or a declaration that is shadowed, because an earlier source has a tool of that name.
#[derive(Clone, Debug)]
pub struct Shadowed {
    /// The file or the declaration, as shown to the user.
    pub file: PathBuf,
    /// The one that won.
    pub winner: PathBuf,
    /// The omission to report, if others have written it.
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

impl<T> Found<T> {
    /// Describes the sources that could not be listed.
    pub fn source_diagnostics(&self) -> Vec<Diagnostic> {
        let errors = self.source_errors.iter();
        errors.map(SourceError::diagnostic).collect()
    }

    /// Replaces the items by what `items` makes of them.
    pub fn map<U>(self, items: impl FnOnce(&[T]) -> Vec<U>) -> Found<U> {
        Found {
            items: items(&self.items),
            source_errors: self.source_errors,
            shadowed: self.shadowed,
            filtered_out: self.filtered_out,
            unmatched: self.unmatched,
        }
    }
}

impl<T> Found<Result<T, Vec<Diagnostic>>> {
    /// Returns the valid items, and the diagnostics of sources and of the other items.
    pub fn split(self) -> (Vec<T>, Vec<Diagnostic>) {
        let mut diagnostics = self.source_diagnostics();
        let mut items = Vec::new();
        for item in self.items {
            match item {
                Ok(item) => items.push(item),
                Err(errors) => diagnostics.extend(errors),
            }
        }
        (items, diagnostics)
    }
}
