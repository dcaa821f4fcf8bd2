//! What `--fix` does: only files of the project, and only what loses nothing.

use std::path::PathBuf;

use cogtools_edit::{ApplyError, Change, Existing, Plan, Step, jsonc};
use cogtools_gemini_cli::settings::Scope;
use cogtools_gemini_cli::{Places, command};
use cogtools_program::Failure;

use crate::check;
use crate::finding::State;
use crate::scene::Scene;

/// Mends what is fixable among `results`; the files that were written.
pub(crate) fn apply(results: &[check::Result], scene: &Scene) -> Result<Vec<PathBuf>, Failure> {
    let mut findings = results.iter().flat_map(|result| &result.findings);
    if !findings.any(|finding| finding.fixable && finding.state != State::Ok) {
        return Ok(Vec::new());
    }
    let Some(change) = settings(scene) else {
        return Ok(Vec::new());
    };
    let file = change.file.clone();
    let plan = Plan {
        steps: vec![Step::Write(change)],
    };
    plan.apply()
        .map_err(ApplyError::fault)
        .map_err(Failure::from)?;
    Ok(vec![file])
}

/// The project's settings as Gemini CLI can read them, with our commands as
/// `cogtools init` puts them there; `None` when there is nothing to change, or
/// something stands in the way.
pub(crate) fn settings(scene: &Scene) -> Option<Change> {
    let file = Places::settings();
    let root = scene.root();
    // In the user's own folder they are the user's settings, which are not ours.
    if scene.places.home.as_deref() == Some(root) {
        return None;
    }
    let existing = Existing::open(root, &file).ok()?;
    let before = existing.as_ref().map(|existing| existing.text.clone());
    let readable = scene
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
