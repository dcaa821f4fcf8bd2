//! The change that `--fix` makes to the project's settings.

use cogtools_edit::{Change, Existing, jsonc};
use cogtools_gemini_cli::settings::Scope;
use cogtools_gemini_cli::{Connection, Paths};
use serde_json::{Map, Value};

use crate::context::Context;

/// The project's settings as Gemini CLI can read them, with our commands as
/// `cogtools init` puts them there; `None` if there is nothing to change, or it
/// cannot be changed.
pub(crate) fn planned_change(cx: &Context) -> Option<Change> {
    let file = Paths::settings();
    let root = cx.root();
    // In the home directory these are the user's settings, which are never changed.
    if cx.gemini.paths.home.as_deref() == Some(root) {
        return None;
    }
    let existing = Existing::open(root, &file).ok()?;
    let before = existing.as_ref().map(|existing| existing.text.clone());
    let readable = cx
        .gemini
        .settings
        .file(Scope::Project)
        .is_some_and(|it| it.value.is_ok());
    let text = match &before {
        Some(text) if !readable => jsonc::repair(&file, text)?,
        Some(text) => text.clone(),
        None => String::new(),
    };
    // Commands of other programs stay; the rest is fixed.
    let after = jsonc::merge(&file, &text, &wanted(cx, &text)).unwrap_or(text);
    if before.as_deref() == Some(after.as_str()) {
        return None;
    }
    if let Some(existing) = &existing {
        existing.writable().ok()?;
    }
    Some(Change::new(root, file, before, after))
}

/// The change that the settings need: the rest of a connection, or else the best for the Gemini
/// CLI that starts here. `text` is the project's settings, which may have been repaired.
fn wanted(cx: &Context, text: &str) -> Map<String, Value> {
    let mut present = Connection::of_settings(&cx.gemini.settings);
    if let Ok(settings) = jsonc::read(&Paths::settings(), text) {
        present.extend(Connection::of_value(&settings));
    }
    if present.contains(&Connection::Commands) {
        return Connection::Commands.edit().wanted;
    }
    if present.contains(&Connection::Server) {
        return Map::new();
    }
    Connection::recommended(cx.gemini.version()).edit().wanted
}
