//! Edits of files that belong to others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod entry;
mod merge;
mod nasty;
mod read;
mod toml;

use cogtools_core::Diagnostic;

/// The hints of a diagnostic, on one line.
fn hints(diagnostic: &Diagnostic) -> String {
    let hints = diagnostic.hints.iter();
    let rendered = hints.map(|hint| hint.render(|command| format!("{command:?}")));
    rendered.collect::<Vec<_>>().join("; ")
}
