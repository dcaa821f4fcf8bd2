//! Packages and providers that require approval: until then, their tools are
//! declared and denied, or not declared at all.

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
        return vec![Finding::ok("no tool source needs approval")];
    }
    findings
}

/// The status of a source; nothing if another check reports it.
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
        // Errors of an approved provider are reported with the configuration.
        if *verdict == Verdict::Approved {
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
        Verdict::Approved => return Some(Finding::ok(format!("the {noun} `{name}` is approved"))),
        Verdict::Changed => format!("the {noun} `{name}` has changed since it was approved"),
        Verdict::NotApproved => format!("the {noun} `{name}` runs programs and is not approved"),
    };
    Some(Finding::problem(message).fix(format!("cogtools trust {}", quote(name))))
}
