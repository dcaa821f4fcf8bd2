//! The output formats of findings: for people, for programs (JSON) and for code hosts (SARIF).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use cogtools_core::{Level, digest, lexical};
use cogtools_program::file_uri;
use cogtools_program::terminal::style::{CYAN, GREEN, RED, Style, YELLOW};
use cogtools_program::terminal::{paint, pluralize, sanitize};
use serde_json::{Value, json};

use crate::finding::{Edit, Finding};
use crate::linter::Rule;
use crate::rules::rules;
use crate::secret;

/// The result of a run.
pub(crate) struct Report<'r> {
    /// The findings.
    pub(crate) findings: &'r [Finding],
    /// The number of files that were checked.
    pub(crate) files: usize,
    /// The root of the project.
    pub(crate) root: &'r Path,
    /// The folder that paths in findings are relative to.
    pub(crate) folder: &'r Path,
}

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
}

/// The name of a level in other programs.
const fn severity(level: Level) -> &'static str {
    match level {
        Level::Off => "none",
        Level::Note => "note",
        Level::Warn => "warning",
        Level::Error => "error",
    }
}

/// The report, coloured if `colour`.
pub(crate) fn human(report: &Report<'_>, colour: bool) -> String {
    let mut text = String::new();
    for finding in report.findings {
        paragraph(finding, colour, &mut text);
        text.push('\n');
    }
    text.push_str(&summary(report));
    text
}

fn paragraph(finding: &Finding, colour: bool, text: &mut String) {
    let paint = |text: &str, style: Style| paint(text, style, colour);
    let location = &finding.location;
    let (state, style) = match finding.level {
        _ if finding.fixed => ("fixed", GREEN.bold()),
        level @ Level::Error => (severity(level), RED.bold()),
        level @ Level::Warn => (severity(level), YELLOW.bold()),
        level => (severity(level), CYAN.bold()),
    };
    let label = paint(&format!("{state}[{}]", finding.rule.name), style);
    let (line, column) = (location.line, location.column);
    let file = location.file.display().to_string();
    let (file, message) = (sanitize(&file), sanitize(&finding.message));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{file}:{line}:{column}: {label}: {message}");
    if finding.fixed {
        return;
    }
    text.push_str(&location.excerpt());
    let _ = writeln!(text, "{} {}", paint("why:", CYAN.bold()), finding.rule.why);
    let (label, fix) = (paint("fix:", CYAN.bold()), sanitize(&finding.fix));
    let note = if finding.is_fixable() {
        " (`--fix` does it)"
    } else {
        ""
    };
    let _ = writeln!(text, "{label} {fix}{note}");
}

fn summary(report: &Report<'_>) -> String {
    let open = || report.findings.iter().filter(|finding| !finding.fixed);
    let fixed = report.findings.len() - open().count();
    let fixable = open().filter(|finding| finding.is_fixable()).count();
    let mut parts = Vec::new();
    if fixed > 0 {
        parts.push(format!("{fixed} fixed"));
    }
    if open().next().is_none() {
        parts.push("nothing to report".to_owned());
    }
    for level in [Level::Error, Level::Warn, Level::Note] {
        let count = open().filter(|finding| finding.level == level).count();
        if count > 0 {
            parts.push(pluralize(count, severity(level)));
        }
    }
    if fixable > 0 {
        parts.push(format!("`--fix` can fix {fixable}"));
    }
    format!(
        "{}: {}\n",
        pluralize(report.files, "file"),
        parts.join(", ")
    )
}

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
        "severity": severity(finding.level),
        "file": location.file.display().to_string(),
        "line": location.line,
        "column": location.column,
        "endColumn": location.column + location.width,
        "message": finding.message,
        "why": finding.rule.why,
        "fix": finding.fix,
        "fixable": finding.is_fixable(),
        "fixed": finding.fixed,
    })
}

/// The key of fingerprints; a change of how they are made needs another one.
const FINGERPRINT: &str = "cogtoolsLint/v1";
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The report; fixed findings are not results.
pub(crate) fn sarif(report: &Report<'_>) -> String {
    let open = report.findings.iter().filter(|finding| !finding.fixed);
    let mut seen = HashMap::new();
    let results: Vec<Value> = open
        .map(|finding| result(finding, &uri(&finding.location.file, report), &mut seen))
        .collect();
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
    json!({
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "helpUri": help_uri(rule.name, env!("CARGO_PKG_REPOSITORY")),
        "defaultConfiguration": {
            "enabled": rule.level != Level::Off,
            "level": severity(rule.level),
        },
    })
}

/// The page that explains a rule: in the repository if that is published, and otherwise the name
/// that the reference has among the names of this project.
fn help_uri(rule: &str, repository: &str) -> String {
    if repository.is_empty() {
        return format!("schema:agladysh-research.org,2025/cogtools:lint-rules#{rule}");
    }
    let repository = repository.trim_end_matches('/');
    format!("{repository}/blob/HEAD/docs/reference/lint-rules.md#{rule}")
}

/// The number of findings of a rule on lines with the same text.
type Seen = HashMap<String, usize>;

fn result(finding: &Finding, uri: &str, seen: &mut Seen) -> Value {
    let location = &finding.location;
    let index = rules().position(|rule| rule.name == finding.rule.name);
    let mut result = json!({
        "ruleId": finding.rule.name,
        "ruleIndex": index,
        "level": severity(finding.level),
        "message": {"text": format!("{}; {}", finding.message, finding.fix)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {
                "startLine": location.line,
                "startColumn": location.column,
                "endColumn": location.column + location.width,
            },
        }}],
        "partialFingerprints": {FINGERPRINT: fingerprint(finding, uri, seen)},
    });
    if let Some(fix) = fix(finding, uri) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// A key that stays when lines before the finding change: a hash of the rule, the file and
/// the text of the line, and which of several it is.
fn fingerprint(finding: &Finding, uri: &str, seen: &mut Seen) -> String {
    let line = finding.location.text.as_deref().unwrap_or_default().trim();
    let text = format!("{}\0{uri}\0{line}", finding.rule.name);
    let count = seen.entry(text.clone()).or_default();
    *count += 1;
    format!("{}:{count}", digest::bytes(text.as_bytes()))
}

/// The edits of `--fix`, unless they contain a secret.
fn fix(finding: &Finding, uri: &str) -> Option<Value> {
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
            "artifactLocation": {"uri": uri},
            "replacements": replacements,
        }],
    }))
}

/// A path as a URI relative to the root of the project, or a `file` URI outside of it: `/`
/// between parts, all but the unreserved characters percent-encoded.
fn uri(path: &Path, report: &Report<'_>) -> String {
    let absolute = lexical(&report.folder.join(path));
    let relative = absolute.strip_prefix(lexical(report.root));
    let (start, shown) = match relative {
        Ok(relative) => ("", relative),
        Err(_) => ("file://", absolute.as_path()),
    };
    format!("{start}{}", file_uri::encoded(shown))
}

#[cfg(test)]
mod tests {
    use super::help_uri;

    #[test]
    fn a_rule_is_explained_in_the_repository() {
        assert_eq!(
            help_uri("not-json", "https://example.org/a/cogtools/"),
            "https://example.org/a/cogtools/blob/HEAD/docs/reference/lint-rules.md#not-json"
        );
        assert_eq!(
            help_uri("not-json", ""),
            "schema:agladysh-research.org,2025/cogtools:lint-rules#not-json"
        );
    }
}
