//! The folders that the user has trusted in Gemini CLI.
//!
//! Only an entry for exactly the project's folder counts. A trusted parent would make
//! every repository that is cloned into it trusted.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::file::ReadScope;
use crate::text::Text;

/// The value of an entry for a folder itself, in Gemini CLI 0.61.
const TRUST_FOLDER: &str = "TRUST_FOLDER";

/// Whether the list in `file` has an entry for exactly `root`, a path without links.
pub(super) fn lists(file: &Path, root: &Path) -> bool {
    entries(file).is_some_and(|entries| {
        let mut trusted = entries
            .iter()
            .filter(|(_, value)| value.as_str() == Some(TRUST_FOLDER))
            .map(|(folder, _)| PathBuf::from(folder))
            // A relative one would be any folder.
            .filter(|folder| folder.is_absolute());
        trusted.any(|folder| folder == root || folder.canonicalize().is_ok_and(|it| it == root))
    })
}

/// The entries; none if the list is missing or invalid, because Gemini CLI ignores it
/// then, too.
fn entries(file: &Path) -> Option<Map<String, Value>> {
    let text = Text::read(file, file, &ReadScope::User).ok()?;
    serde_json::from_str(text.as_str()).ok()
}
