//! `--fix`: edits by byte offset that leave everything else untouched.

use std::path::Path;

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, Text};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;

use crate::finding::{Edit, Finding};
use crate::lint_file::LintFile;
use crate::linter::Linter;

/// One pass can make further edits possible, when a file parses or a line moves;
/// this limits the passes.
const MAX_PASSES: usize = 8;
/// The byte order mark, which offsets do not count.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Applies the fixes of `file`, in the project at `root`. Returns the fixed findings,
/// then the remaining ones.
pub(crate) fn apply(
    file: &LintFile,
    linter: &Linter,
    root: &Path,
) -> Result<Vec<Finding>, Failure> {
    let mut fixed = Vec::new();
    // The same file may have been fixed already under another name.
    let mut current = file.reload();
    let mut findings = linter.check(current.as_ref().unwrap_or(file));
    for _ in 0..MAX_PASSES {
        let file_now = current.as_ref().unwrap_or(file);
        let taken = take_non_overlapping(&mut findings);
        if taken.is_empty() {
            break;
        }
        write(
            root,
            file_now,
            taken.iter().flat_map(|finding| &finding.edits),
        )?;
        fixed.extend(taken);
        let Some(next) = file.reload() else {
            break;
        };
        findings = linter.check(&next);
        current = Some(next);
    }
    fixed.extend(findings);
    Ok(fixed)
}

/// Removes from `findings` those whose edits do not touch each other, and returns them.
fn take_non_overlapping(findings: &mut Vec<Finding>) -> Vec<Finding> {
    // A finding with edits all over the file is applied alone, before the others.
    if let Some(index) = findings.iter().position(|finding| finding.edits.len() > 1) {
        let mut finding = findings.remove(index);
        finding.fixed = true;
        return vec![finding];
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut taken = Vec::new();
    let mut remaining = Vec::new();
    for mut finding in std::mem::take(findings) {
        let is_disjoint = |edit: &Edit| {
            let before = |one: &Edit, other: &Edit| one.span.end < other.span.start;
            edits
                .iter()
                .all(|other| before(edit, other) || before(other, edit))
        };
        if !finding.edits.is_empty() && finding.edits.iter().all(is_disjoint) {
            edits.extend(finding.edits.iter().cloned());
            finding.fixed = true;
            taken.push(finding);
        } else {
            remaining.push(finding);
        }
    }
    *findings = remaining;
    taken
}

/// Replaces the file atomically by the edited one.
fn write<'e>(
    root: &Path,
    file: &LintFile,
    edits: impl Iterator<Item = &'e Edit>,
) -> Result<(), Failure> {
    let write_error = |error: &WriteError| {
        let path = file.text.display_path().display();
        let message = format!("`{path}` cannot be written: {error}");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(
            diagnostic.hint(error.hint("free disk space or grant permission, then run this again")),
        )
    };
    let changed_error = || {
        let path = file.text.display_path().display();
        let message = format!("`{path}` was changed by another program in the meantime");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(diagnostic.hint("run this again"))
    };
    let name = file.text.display_path();
    let old = text::bytes(&file.path, name, Text::MAX_BYTES, file.text.scope())
        .map_err(|error| Failure::from(error.diagnostic(Code::IoFailed)))?;
    let text = old.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&old);
    if text != file.text.as_str().as_bytes() {
        return Err(changed_error());
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
        WriteError::Changed => changed_error(),
        error => write_error(&error),
    })
}
