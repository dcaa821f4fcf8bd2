//! Filters that match nothing, which are usually misspelt.

use super::Found;
use crate::source::Candidate;
use crate::suggest::did_you_mean;
use crate::{Code, Diagnostic, Filter};

/// The patterns of `filters` that match none of the tools that were found before
/// filtering, if all sources could be listed.
pub(super) fn unmatched(filters: &[Filter], found: &Found<Candidate>) -> Vec<Diagnostic> {
    let is_complete = found
        .source_errors
        .iter()
        .all(crate::SourceError::is_partial);
    if found.items.is_empty() || !is_complete {
        return Vec::new();
    }
    let tool = |file| -> Option<(&str, Option<&str>)> {
        let file: &Candidate = file;
        Some((file.name.to_str()?, file.provenance.toolset.as_deref()))
    };
    let tools: Vec<(&str, Option<&str>)> = found.items.iter().filter_map(tool).collect();
    let mut diagnostics = Vec::new();
    for (key, pattern) in filters.iter().flat_map(|filter| filter.unmatched(&tools)) {
        let diagnostic = diagnostic(key, &pattern, &tools);
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

fn diagnostic(key: &str, pattern: &str, tools: &[(&str, Option<&str>)]) -> Diagnostic {
    let (noun, mut known): (&str, Vec<&str>) = if key == "toolsets" {
        let toolsets = tools.iter().filter_map(|(_, toolset)| *toolset);
        ("toolset", toolsets.collect())
    } else {
        ("tool", tools.iter().map(|(name, _)| *name).collect())
    };
    known.sort_unstable();
    known.dedup();
    let message = format!("the pattern `{pattern}` in `{key}` of a filter matches no {noun}");
    let plain = pattern.replace(['*', '?'], "");
    let hint = did_you_mean(&plain, known)
        .unwrap_or_else(|| format!("correct it, or remove it from `{key}`"));
    Diagnostic::new(Code::InvalidConfig, message).hint(hint)
}
