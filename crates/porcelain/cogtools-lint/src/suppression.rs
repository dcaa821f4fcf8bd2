//! Comments that allow what a rule finds: `# lint: allow RULE`, on the line or on the line
//! before; before the first key, for the whole file.

use cogtools_core::RETIRED_LINT_RULES;
use cogtools_core::text::Span;

use crate::finding::Finding;
use crate::lint_file::LintFile;
use crate::rules::{INVALID_TOOL, find};

/// The beginning of such a comment.
const MARK: &str = "# lint: allow ";

/// One comment.
#[derive(Debug)]
pub(crate) struct Suppression {
    /// The name of the rule, which need not exist.
    pub(crate) rule: String,
    /// Where the name is.
    pub(crate) span: Span,
    /// The lines that it is about, from 1; the whole file if there is none.
    lines: Option<[usize; 2]>,
}

/// The comments in `text`, of which the first key is on the line `first_key` (from 1).
pub(crate) fn all(text: &str, first_key: usize) -> Vec<Suppression> {
    let mut found = Vec::new();
    if !text.contains(MARK) {
        return found;
    }
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        if let Some(at) = line.find(MARK) {
            let before = line[..at].trim_end_matches('{').trim();
            let lines = if !before.is_empty() {
                Some([number, number])
            } else if number < first_key {
                None
            } else {
                Some([number, number + 1])
            };
            let names = &line[at + MARK.len()..];
            for (offset, name) in names_in(names) {
                let from = start + at + MARK.len() + offset;
                found.push(Suppression {
                    rule: name.to_owned(),
                    span: Span {
                        start: from,
                        end: from + name.len(),
                    },
                    lines,
                });
            }
        }
        start += line.len();
    }
    found
}

/// The names at the beginning of a text, with their offsets; a reason can follow them.
fn names_in(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive([',', ' ', '\n']) {
        let name = word.trim_end_matches([',', ' ', '\n', '\r']);
        if name.is_empty() {
            at += word.len();
            continue;
        }
        let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if !is_name || name.starts_with('-') {
            break;
        }
        found.push((at, name));
        at += word.len();
        if !word.trim_end_matches([' ', '\n', '\r']).ends_with(',') {
            break;
        }
    }
    found
}

impl Suppression {
    /// Returns true if it is about a finding.
    pub(crate) fn covers(&self, finding: &Finding, file: &LintFile) -> bool {
        let is_own = finding.location.file == file.text.display_path();
        let is_near = match self.lines {
            None => true,
            Some([first, last]) => is_own && (first..=last).contains(&finding.location.line),
        };
        is_near && finding.rule.name == self.rule && self.rule != INVALID_TOOL
    }

    /// Why it can have no effect, whatever is in the file.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.rule == INVALID_TOOL {
            return Some(format!("`{INVALID_TOOL}` cannot be allowed"));
        }
        let is_unknown =
            find(&self.rule).is_none() && !RETIRED_LINT_RULES.contains(&self.rule.as_str());
        is_unknown.then(|| format!("there is no rule `{}`", self.rule))
    }
}
