//! The folders with the code of a package, which its programs may read in any sandbox.

use std::path::PathBuf;

use super::{Boundary, MODULES};

impl Boundary {
    /// The installed package, its private copy, and the folders in which Node looks for what it
    /// depends on.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let modules = self.package.ancestors().map(|folder| folder.join(MODULES));
        let own = std::iter::once(self.package.clone());
        own.chain(self.copy.clone()).chain(modules).collect()
    }
}
