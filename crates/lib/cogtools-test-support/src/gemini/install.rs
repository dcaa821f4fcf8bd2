//! Installs a version from npm, once for all tests.

use std::path::{Path, PathBuf};

use super::Version;
use crate::install::npm;

/// The directory of `version`, installed below `cache` if necessary.
pub(super) fn install(version: &Version, cache: &Path) -> PathBuf {
    let package = format!("@google/gemini-cli@{}", version.number);
    let place = npm(
        cache,
        &format!("gemini-cli-{}", version.number),
        &[&package],
    );
    let program = place.join("node_modules/.bin/gemini");
    assert!(program.exists(), "{package} has no {}", program.display());
    place
}
