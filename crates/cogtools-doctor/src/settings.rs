//! What `--fix` would make of the project's settings.

use cogtools_edit::{Change, Existing, jsonc};
use cogtools_gemini_cli::settings::Scope;
use cogtools_gemini_cli::{Places, command};

use crate::context::Context;

/// The project's settings as Gemini CLI can read them, with our commands as
/// `cogtools init` puts them there; `None` when there is nothing to change, or
/// something stands in the way.
pub(crate) fn planned_change(cx: &Context) -> Option<Change> {
    let file = Places::settings();
    let root = cx.root();
    // In the user's own folder they are the user's settings, which are not ours.
    if cx.gemini.places.home.as_deref() == Some(root) {
        return None;
    }
    let existing = Existing::open(root, &file).ok()?;
    let before = existing.as_ref().map(|existing| existing.text.clone());
    let readable = cx
        .gemini
        .settings
        .file(Scope::Project)
        .is_some_and(|f| f.value.is_ok());
    let text = match &before {
        Some(text) if !readable => jsonc::mend(&file, text)?,
        Some(text) => text.clone(),
        None => String::new(),
    };
    // Where another program is named, its owner decides, and the rest is mended.
    let after = jsonc::merge(&file, &text, &command::edit().wanted).unwrap_or(text);
    if before.as_deref() == Some(after.as_str()) {
        return None;
    }
    if let Some(existing) = &existing {
        existing.writable().ok()?;
    }
    Some(Change::new(root, file, before, after))
}
