//! Findings for people, in the style of a compiler.

use std::fmt::Write as _;

use cogtools_core::Level;
use cogtools_program::terminal::style::{CYAN, GREEN, RED, Style, YELLOW};
use cogtools_program::terminal::{paint, pluralize, sanitize};

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
    let paint = |text: &str, style: Style| paint(text, style, colour);
    let location = &finding.location;
    let (state, style) = match finding.level {
        _ if finding.fixed => ("fixed", GREEN.bold()),
        Level::Error => (severity(finding), RED.bold()),
        Level::Warn | Level::Off => (severity(finding), YELLOW.bold()),
    };
    let label = paint(&format!("{state}[{}]", finding.rule.name), style);
    let (file, line, column) = (
        location.file.display().to_string(),
        location.line,
        location.column,
    );
    let (file, message) = (sanitize(&file), sanitize(&finding.message));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{file}:{line}:{column}: {label}: {message}");
    if finding.fixed {
        return;
    }
    text.push_str(&location.excerpt());
    let _ = writeln!(text, "{} {}", paint("why:", CYAN.bold()), finding.rule.why);
    let note = if finding.edits.is_empty() {
        ""
    } else {
        " (`--fix` does it)"
    };
    let _ = writeln!(
        text,
        "{} {}{note}",
        paint("fix:", CYAN.bold()),
        sanitize(&finding.fix)
    );
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
        (0, warnings) => pluralize(warnings, "warning"),
        (errors, 0) => pluralize(errors, "error"),
        (errors, warnings) => format!(
            "{}, {}",
            pluralize(errors, "error"),
            pluralize(warnings, "warning")
        ),
    });
    if fixable > 0 {
        parts.push(format!("`--fix` can fix {fixable}"));
    }
    format!(
        "{}: {}\n",
        pluralize(report.files, "file"),
        parts.join(", ")
    )
}
