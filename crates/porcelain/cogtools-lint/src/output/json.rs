//! Findings for programs: one JSON array.

use serde_json::{Value, json};

use super::{Report, severity};
use crate::finding::Finding;

/// The report.
pub(crate) fn json(report: &Report<'_>) -> String {
    let findings: Vec<String> = report
        .findings
        .iter()
        .map(|it| object(it).to_string())
        .collect();
    if findings.is_empty() {
        return "[]\n".to_owned();
    }
    format!("[\n{}\n]\n", findings.join(",\n"))
}

fn object(finding: &Finding) -> Value {
    let location = &finding.location;
    json!({
        "rule": finding.rule.name,
        "severity": severity(finding),
        "file": location.file.display().to_string(),
        "line": location.line,
        "column": location.column,
        "endColumn": location.column + location.width,
        "message": finding.message,
        "why": finding.rule.why,
        "fix": finding.fix,
        "fixable": !finding.edits.is_empty(),
        "fixed": finding.fixed,
    })
}
