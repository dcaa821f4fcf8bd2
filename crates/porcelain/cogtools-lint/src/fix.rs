//! `--fix`: edits by byte offset that leave everything else untouched.
//!
//! The edited text is loaded and checked before it is written: a fix never breaks a tool,
//! and never makes two things equal that were not.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, Text};
use cogtools_core::{Code, Diagnostic, Level};
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
    let mut rejected = HashSet::new();
    // The same file may have been fixed already under another name.
    let mut current = file.reload();
    let mut findings = linter.check(current.as_ref().unwrap_or(file));
    for _ in 0..MAX_PASSES {
        let file_now = current.as_ref().unwrap_or(file);
        let before = findings.clone();
        let taken = take_non_overlapping(&mut findings);
        if taken.is_empty() {
            break;
        }
        let (taken, worse) = safe(file_now, linter, &before, taken);
        rejected.extend(worse.iter().map(identity));
        if !taken.is_empty() {
            write(root, file_now, &edited(file_now, &edits_of(&taken)))?;
        }
        fixed.extend(taken);
        let Some(next) = file.reload() else {
            break;
        };
        findings = linter.check(&next);
        for finding in &mut findings {
            if rejected.contains(&identity(finding)) {
                finding.edits.clear();
            }
        }
        current = Some(next);
    }
    fixed.extend(findings);
    Ok(fixed)
}

/// The findings of which one pass makes the edits, together.
pub(crate) fn first(file: &LintFile, linter: &Linter, findings: &[Finding]) -> Vec<Finding> {
    let taken = take_non_overlapping(&mut findings.to_vec());
    safe(file, linter, findings, taken).0
}

/// The key of a finding from pass to pass.
fn identity(finding: &Finding) -> (&'static str, String, Option<String>) {
    let text = finding.location.text.clone();
    (finding.rule.name, finding.message.clone(), text)
}

/// Divides findings into those whose edits make nothing worse, together, and the others.
fn safe(
    file: &LintFile,
    linter: &Linter,
    before: &[Finding],
    taken: Vec<Finding>,
) -> (Vec<Finding>, Vec<Finding>) {
    if is_better(file, linter, before, &edits_of(&taken)) {
        return (taken, Vec::new());
    }
    let mut kept = Vec::new();
    let mut worse = Vec::new();
    for finding in taken {
        kept.push(finding);
        if !is_better(file, linter, before, &edits_of(&kept)) {
            worse.extend(kept.pop());
        }
    }
    (kept, worse)
}

/// Returns true if the file is still a tool with the edits, if it is one, and no rule finds more errors.
pub(crate) fn is_better(
    file: &LintFile,
    linter: &Linter,
    before: &[Finding],
    edits: &[Edit],
) -> bool {
    let bytes = edited(file, edits).into_bytes();
    let name = file.text.display_path();
    let Ok(text) = Text::new(name, bytes).map(|text| text.in_scope(file.text.scope())) else {
        return false;
    };
    let after = LintFile::parse(&file.path, text);
    let is_lost = |was: bool, is: bool| was && !is;
    if is_lost(file.tool.is_some(), after.tool.is_some())
        || is_lost(file.document.is_some(), after.document.is_some())
    {
        return false;
    }
    let errors = |findings: &[Finding]| {
        let mut counts: HashMap<&'static str, usize> = HashMap::new();
        for finding in findings.iter().filter(|it| it.level == Level::Error) {
            *counts.entry(finding.rule.name).or_default() += 1;
        }
        counts
    };
    // A file that is not a tool yet shows more when it becomes one.
    if file.tool.is_none() {
        return true;
    }
    let (before, after) = (errors(before), errors(&linter.check(&after)));
    after
        .iter()
        .all(|(rule, count)| before.get(rule).is_some_and(|it| count <= it))
}

/// Removes from `findings` those whose edits do not touch each other, and returns them.
fn take_non_overlapping(findings: &mut Vec<Finding>) -> Vec<Finding> {
    // A finding with edits all over the file is applied alone, before the others.
    if let Some(index) = findings
        .iter()
        .position(|finding| finding.is_fixable() && finding.edits.len() > 1)
    {
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
        if finding.is_fixable() && finding.edits.iter().all(is_disjoint) {
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

fn edits_of(findings: &[Finding]) -> Vec<Edit> {
    let edits = findings.iter().flat_map(|finding| &finding.edits);
    edits.cloned().collect()
}

/// The text of the file with these edits.
fn edited(file: &LintFile, edits: &[Edit]) -> String {
    let text = file.text.as_str();
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.start);
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        new.push_str(&text[at..edit.span.start]);
        new.push_str(&edit.text);
        at = edit.span.end;
    }
    new.push_str(&text[at..]);
    new
}

/// Replaces the text of the file atomically.
fn write(root: &Path, file: &LintFile, text: &str) -> Result<(), Failure> {
    let name = file.text.display_path();
    let changed_error = || {
        let path = name.display();
        let message = format!("`{path}` was changed by another program in the meantime");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(diagnostic.hint("run this again"))
    };
    let old = text::bytes(&file.path, name, Text::MAX_BYTES, file.text.scope())
        .map_err(|error| Failure::from(error.diagnostic(Code::IoFailed)))?;
    let before = old.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&old);
    if before != file.text.as_str().as_bytes() {
        return Err(changed_error());
    }
    let mark = &old[..old.len() - before.len()];
    let new = [mark, text.as_bytes()].concat();
    let path = WritePath::in_project(root, &file.path);
    file::replace_if_unchanged(&path, Some(&old), &new).map_err(|error| match error {
        WriteError::Changed => changed_error(),
        error => {
            let otherwise = "free disk space or grant permission, then run this again";
            error.diagnostic(name, "written", otherwise).into()
        }
    })
}
