//! The approval of a provider, and the private copy of the files that it covers.

use std::path::PathBuf;

use super::{Provider, ProviderError, directory};
use crate::Context;
use crate::digest::{self, Hash};
use crate::store::{Mirror, ProviderStore, StoreError};
use crate::trust::{Grant, Identity, Verdict};

/// The project's files that the approval of a provider covers, which run from a private
/// copy: only [`Provider::check_approval`] creates a value.
#[derive(Debug)]
pub(super) struct ApprovedFiles(Option<(Mirror, Hash)>);

/// A copy of them.
pub(super) struct CopiedFiles<'a> {
    mirror: &'a Mirror,
    folder: PathBuf,
}

impl Provider {
    /// Whether it requires approval: the author of the project has named it, or has
    /// written what it runs, or it starts in the project.
    pub fn requires_approval(&self, cx: &Context) -> bool {
        let settings = &self.settings;
        let directory = directory::directory(settings, cx);
        let inside = |argument: &String| {
            let files = digest::referenced_files(&directory, argument);
            files
                .iter()
                .any(|file| directory::is_inside(file, &cx.root))
        };
        let mut arguments = settings.approved_parts().into_iter().flatten();
        !settings.is_neutral() || arguments.any(inside)
    }

    /// The grant that it needs before it runs: its command lines, in this project.
    pub fn command(&self, cx: &Context) -> Result<Grant, ProviderError> {
        self.content(&self.mirror(cx), cx).map(|(grant, _)| grant)
    }

    /// The project's files that its command lines run, with those beside them.
    pub fn mirror(&self, cx: &Context) -> Mirror {
        let directory = directory::directory(&self.settings, cx);
        Mirror::of(&cx.root, &directory, &self.settings.lines())
    }

    /// The grant, and the digest of the files in `mirror`.
    fn content(&self, mirror: &Mirror, cx: &Context) -> Result<(Grant, Hash), ProviderError> {
        let directory = directory::directory(&self.settings, cx);
        let failed = |error| ProviderError::Content(self.name(), error);
        let lines = digest::command(&directory, &self.settings.approved_parts()).map_err(failed)?;
        let files = mirror.digest().map_err(failed)?;
        // Another project at the same path does not inherit the approval.
        let hash = Identity::of(&cx.root).bind(lines.and(files));
        Ok((self.grant_of(String::new(), hash, cx), files))
    }

    /// Fails unless the user has approved the provider's command.
    pub(super) fn check_approval(&self, cx: &Context) -> Result<ApprovedFiles, ProviderError> {
        if !self.requires_approval(cx) {
            return Ok(ApprovedFiles(None));
        }
        let failed = |error| ProviderError::Record(self.name(), error);
        let record = cx.trust.read().map_err(failed)?;
        if !record.knows(&self.key(cx), "") {
            // Nothing is hashed for a repository that nothing was approved of.
            return Err(ProviderError::NotApproved(self.name()));
        }
        let mirror = self.mirror(cx);
        let (grant, files) = self.content(&mirror, cx)?;
        match record.verdict(&grant) {
            Verdict::Approved if mirror.is_empty() => Ok(ApprovedFiles(None)),
            Verdict::Approved => Ok(ApprovedFiles(Some((mirror, files)))),
            Verdict::Changed => Err(ProviderError::ApprovalOutdated(self.name())),
            Verdict::NotApproved => Err(ProviderError::NotApproved(self.name())),
        }
    }
}

impl ApprovedFiles {
    /// The digest of the files, if there are any.
    pub(super) fn digest(&self) -> Option<String> {
        self.0.as_ref().map(|(_, hash)| hash.to_string())
    }

    /// The copy from which `provider` runs; `None` if nothing of the project is covered.
    pub(super) fn copy(
        &self,
        provider: &Provider,
        cx: &Context,
    ) -> Result<Option<CopiedFiles<'_>>, ProviderError> {
        let Some((mirror, hash)) = &self.0 else {
            return Ok(None);
        };
        let state = cx.state.as_deref().ok_or(StoreError::Nowhere);
        let copied = state
            .and_then(|state| ProviderStore::new(state).copy(&provider.key(cx), mirror, *hash));
        let folder = copied.map_err(|error| ProviderError::Copy(provider.name(), error))?;
        Ok(Some(CopiedFiles { mirror, folder }))
    }
}

impl CopiedFiles<'_> {
    /// The folder with the copy.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The command `line` with paths in the copy.
    pub(super) fn relocate(&self, line: &[String]) -> Vec<String> {
        self.mirror.relocate(line, &self.folder)
    }
}
