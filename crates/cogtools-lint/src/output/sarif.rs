//! Findings for code hosts: SARIF 2.1.0.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Report, severity};
use crate::finding::{Edit, Finding};
use crate::rule::Rule;
use crate::rules::rules;
use crate::secret;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The report; fixed findings are not results.
pub(crate) fn sarif(report: &Report<'_>) -> String {
    let open = report.findings.iter().filter(|finding| !finding.fixed);
    let results: Vec<Value> = open.map(result).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cogtools-lint",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules().map(descriptor).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log}\n")
}

fn descriptor(rule: &Rule) -> Value {
    use cogtools_core::Level;
    let level = match rule.level {
        Level::Off => "none",
        Level::Warn => "warning",
        Level::Error => "error",
    };
    json!({
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"enabled": rule.level != Level::Off, "level": level},
    })
}

fn result(finding: &Finding) -> Value {
    let location = &finding.location;
    let index = rules().position(|rule| rule.name == finding.rule.name);
    let mut result = json!({
        "ruleId": finding.rule.name,
        "ruleIndex": index,
        "level": severity(finding),
        "message": {"text": format!("{}; {}", finding.message, finding.fix)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&location.file)},
            "region": {
                "startLine": location.line,
                "startColumn": location.column,
                "endColumn": location.column + location.width,
            },
        }}],
    });
    if let Some(fix) = fix(finding) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// The edits of `--fix`, unless they contain a secret.
fn fix(finding: &Finding) -> Option<Value> {
    let secret = |edit: &Edit| secret::redact(&edit.text) != edit.text;
    if finding.edits.is_empty() || finding.edits.iter().any(secret) {
        return None;
    }
    let replacements = finding.edits.iter().map(|edit| {
        let [start, end] = edit.region?;
        Some(json!({
            "deletedRegion": {
                "startLine": start.0, "startColumn": start.1,
                "endLine": end.0, "endColumn": end.1,
            },
            "insertedContent": {"text": edit.text},
        }))
    });
    let replacements: Vec<Value> = replacements.collect::<Option<_>>()?;
    Some(json!({
        "description": {"text": finding.fix},
        "artifactChanges": [{
            "artifactLocation": {"uri": uri(&finding.location.file)},
            "replacements": replacements,
        }],
    }))
}

/// A path as a relative or a `file` URI: `/` between parts, all but the
/// unreserved characters percent-encoded.
fn uri(path: &std::path::Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = if path.is_absolute() {
        "file://".to_owned()
    } else {
        String::new()
    };
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
