//! Findings for people: as a compiler says them.

use std::fmt::Write as _;

use cogtools_core::Level;

use super::{Report, severity};
use crate::finding::Finding;

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
    let paint = |text: &str, style: &str| {
        if colour {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    };
    let place = &finding.place;
    let (word, style) = match finding.level {
        _ if finding.fixed => ("fixed", "1;32"),
        Level::Error => (severity(finding), "1;31"),
        Level::Warn | Level::Off => (severity(finding), "1;33"),
    };
    let label = paint(&format!("{word}[{}]", finding.rule.name), style);
    let (file, line, column) = (place.file.display(), place.line, place.column);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{file}:{line}:{column}: {label}: {}", finding.message);
    if finding.fixed {
        return;
    }
    text.push_str(&place.excerpt());
    let _ = writeln!(text, "{} {}", paint("why:", "1;36"), finding.rule.why);
    let by_itself = if finding.edits.is_empty() {
        ""
    } else {
        " (`--fix` does it)"
    };
    let _ = writeln!(text, "{} {}{by_itself}", paint("fix:", "1;36"), finding.fix);
}

fn summary(report: &Report<'_>) -> String {
    let open = || report.findings.iter().filter(|finding| !finding.fixed);
    let errors = open()
        .filter(|finding| finding.level == Level::Error)
        .count();
    let warnings = open().count() - errors;
    let fixed = report.findings.len() - open().count();
    let fixable = open().filter(|finding| !finding.edits.is_empty()).count();
    let mut parts = Vec::new();
    if fixed > 0 {
        parts.push(format!("{fixed} fixed"));
    }
    parts.push(match (errors, warnings) {
        (0, 0) => "nothing to report".to_owned(),
        (0, warnings) => count(warnings, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    });
    if fixable > 0 {
        parts.push(format!("`--fix` mends {fixable}"));
    }
    format!("{}: {}\n", count(report.files, "file"), parts.join(", "))
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
