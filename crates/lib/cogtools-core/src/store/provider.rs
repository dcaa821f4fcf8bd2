//! Private copies of the project's files that providers run.

use std::path::{Path, PathBuf};

use super::{Mirror, NewCopy, Store, StoreError, set_writable};
use crate::digest::Hash;

/// The copies of providers' files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderStore(Store);

impl ProviderStore {
    /// The copies in the user's folder `state`.
    pub fn new(state: &Path) -> Self {
        let folder = state.join("providers");
        Self(Store { folder })
    }

    /// The folder with the copy of the files in `mirror`, whose content has this `hash`,
    /// for the provider with this `key` in the record of approvals.
    pub fn copy(&self, key: &str, mirror: &Mirror, hash: Hash) -> Result<PathBuf, StoreError> {
        let fill = |copy: &NewCopy<'_>| {
            let (temp, path) = (copy.temp.join(mirror.name()), copy.path.join(mirror.name()));
            let copied = mirror.copy(&temp, &path)?;
            let failed = |error| StoreError::Io(temp.clone(), error);
            for folder in mirror.folders() {
                set_writable(&temp.join(folder), false).map_err(failed)?;
            }
            Ok(copied == hash)
        };
        let copy = self.0.copy(key, hash, fill)?.join(mirror.name());
        let linked = mirror.link_rest(&copy);
        linked.map_err(|error| StoreError::Io(copy.clone(), error))?;
        Ok(copy)
    }

    /// Removes all copies of the provider with this `key`.
    pub fn remove(&self, key: &str) {
        self.0.remove(key);
    }

    /// Removes the copies of providers for which `keep` returns false for the key.
    pub fn retain(&self, keep: impl Fn(&str) -> bool) -> usize {
        self.0.retain(|key, _| keep(key))
    }
}
