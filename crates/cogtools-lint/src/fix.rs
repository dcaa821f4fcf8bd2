//! `--fix`: edits by byte offsets, everything else left as it is.

use std::path::Path;

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;

use crate::finding::{Edit, Finding};
use crate::lint_file::LintFile;
use crate::linter::Linter;

/// Edits bring new edits within reach (a file that parses, a line that moved);
/// so often is that followed.
const MAX_PASSES: usize = 8;
/// What stands before the text that offsets count from.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Applies the fixes of `file`, in the project at `root`; what was fixed, then what remains.
pub(crate) fn all(file: &LintFile, linter: &Linter, root: &Path) -> Result<Vec<Finding>, Failure> {
    let mut fixed = Vec::new();
    // Another name of the same file may have had its turn already.
    let mut current = file.reload();
    let mut found = linter.check(current.as_ref().unwrap_or(file));
    for _ in 0..MAX_PASSES {
        let now = current.as_ref().unwrap_or(file);
        let taken = take_non_overlapping(&mut found);
        if taken.is_empty() {
            break;
        }
        write(root, now, taken.iter().flat_map(|finding| &finding.edits))?;
        fixed.extend(taken);
        let Some(next) = file.reload() else {
            break;
        };
        found = linter.check(&next);
        current = Some(next);
    }
    fixed.extend(found);
    Ok(fixed)
}

/// Takes the findings whose edits do not touch each other out of `found`.
fn take_non_overlapping(found: &mut Vec<Finding>) -> Vec<Finding> {
    // What changes lines all over the file goes alone; the others come after it.
    if let Some(index) = found.iter().position(|finding| finding.edits.len() > 1) {
        let mut finding = found.remove(index);
        finding.fixed = true;
        return vec![finding];
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut taken = Vec::new();
    let mut left = Vec::new();
    for mut finding in std::mem::take(found) {
        let is_apart = |edit: &Edit| {
            let before = |one: &Edit, other: &Edit| one.span.end < other.span.start;
            edits
                .iter()
                .all(|other| before(edit, other) || before(other, edit))
        };
        if !finding.edits.is_empty() && finding.edits.iter().all(is_apart) {
            edits.extend(finding.edits.iter().cloned());
            finding.fixed = true;
            taken.push(finding);
        } else {
            left.push(finding);
        }
    }
    *found = left;
    taken
}

/// Writes the edited file beside the old one, then puts it in its place.
fn write<'e>(
    root: &Path,
    file: &LintFile,
    edits: impl Iterator<Item = &'e Edit>,
) -> Result<(), Failure> {
    let failed = |error: &WriteError| {
        let shown = file.text.display_path().display();
        let message = format!("`{shown}` cannot be written: {error}");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(
            diagnostic.hint(error.hint("make room or give permission, then run this again")),
        )
    };
    let overtaken = || {
        let shown = file.text.display_path().display();
        let message = format!("`{shown}` was changed by somebody else meanwhile");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(diagnostic.hint("run this again"))
    };
    let old = std::fs::read(&file.path).map_err(|error| failed(&error.into()))?;
    let text = old.strip_prefix(MARK).unwrap_or(&old);
    if text != file.text.as_str().as_bytes() {
        return Err(overtaken());
    }
    let mut edits: Vec<&Edit> = edits.collect();
    edits.sort_by_key(|edit| edit.span.start);
    let mut new = old[..old.len() - text.len()].to_vec();
    let mut at = 0;
    for edit in edits {
        new.extend_from_slice(&text[at..edit.span.start]);
        new.extend_from_slice(edit.text.as_bytes());
        at = edit.span.end;
    }
    new.extend_from_slice(&text[at..]);
    let path = WritePath::in_project(root, &file.path);
    file::replace_if_unchanged(&path, Some(&old), &new).map_err(|error| match error {
        WriteError::Changed => overtaken(),
        error => failed(&error),
    })
}
