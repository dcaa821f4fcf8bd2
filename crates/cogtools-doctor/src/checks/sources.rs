//! Packages and providers that wait for the user's word: until it is given, their
//! tools are declared and denied, or not declared at all.

use cogtools_core::approval::ApprovalStatus;
use cogtools_core::trust::Verdict;
use cogtools_program::call::quote;
use cogtools_program::render_hint;

use crate::context::Context;
use crate::finding::Finding;
use crate::sources::SourceStatus;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let findings: Vec<Finding> = cx.sources.iter().filter_map(describe).collect();
    if findings.is_empty() {
        return vec![Finding::ok("no source of tools needs your word")];
    }
    findings
}

/// What is so of a source; nothing where another check says it.
fn describe(source: &SourceStatus) -> Option<Finding> {
    let SourceStatus {
        noun,
        name,
        approval: ApprovalStatus {
            verdict,
            diagnostic,
        },
    } = source;
    if let Some(diagnostic) = diagnostic {
        // What ails a provider that may run is said with the configuration.
        if *verdict == Verdict::Allowed {
            return None;
        }
        let fix = diagnostic
            .hints
            .first()
            .map(render_hint)
            .unwrap_or_default();
        return Some(Finding::problem(diagnostic.summary()).fix(fix));
    }
    let message = match verdict {
        Verdict::Allowed => return Some(Finding::ok(format!("the {noun} `{name}` is allowed"))),
        Verdict::Changed => format!("the {noun} `{name}` has changed since it was allowed"),
        Verdict::NotApproved => format!("the {noun} `{name}` runs programs and is not allowed yet"),
    };
    Some(Finding::problem(message).fix(format!("cogtools trust {}", quote(name))))
}
