//! Superfluous white space, where it has no meaning.

use cogtools_core::Level;
use cogtools_core::text::{Span, Text};
use cogtools_core::yaml;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "carriage-return",
        level: Level::Warn,
        summary: "lines that end in CR LF",
        why: "on Unix the first line then names a program `cogtools-yaml\\r`, and the file does not run",
        fix: "save the file with LF line endings",
        fixable: true,
        fails: case!("carriage-return/fails"),
        passes: case!("carriage-return/passes"),
        check: carriage_return,
    },
    Rule {
        name: "trailing-space",
        level: Level::Warn,
        summary: "trailing white space, blank lines at the end of the file, or no newline there; only where YAML ignores them",
        why: "it shows up in diffs and merges, and is one edit away from becoming part of a text",
        fix: "remove it",
        fixable: true,
        fails: case!("trailing-space/fails"),
        passes: case!("trailing-space/passes"),
        check: trailing_space,
    },
];

/// How many lines are reported; a file with more has other problems.
const MAX_LINES: usize = 100;

fn carriage_return(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let Some(first) = text.find("\r\n") else {
        return;
    };
    if !is_unchanged(file, &text.replace("\r\n", "\n")) {
        return;
    }
    let mut finding = findings.report(
        Span {
            start: first,
            end: first + 1,
        },
        "lines end in CR LF",
    );
    for (at, _) in text.match_indices("\r\n") {
        finding = finding.edit(
            Span {
                start: at,
                end: at + 1,
            },
            "",
        );
    }
}

fn trailing_space(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let mut at = 0;
    let mut remaining = MAX_LINES;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let content = body.trim_end_matches([' ', '\t']);
        let span = Span {
            start: at + content.len(),
            end: at + body.len(),
        };
        at += line.len();
        if content.len() < body.len() && remaining > 0 {
            remaining -= 1;
            add_edit(file, findings, span, "", "trailing white space");
        }
    }
    let trimmed = text.trim_end();
    let end = Span {
        start: trimmed.len(),
        end: text.len(),
    };
    match text[trimmed.len()..].matches('\n').count() {
        _ if trimmed.is_empty() => {}
        0 => add_edit(
            file,
            findings,
            end,
            "\n",
            "no newline at the end of the file",
        ),
        1 => {}
        _ => add_edit(
            file,
            findings,
            end,
            "\n",
            "blank lines at the end of the file",
        ),
    }
}

/// Adds a finding with an edit, unless the edit changes the document.
fn add_edit(
    file: &LintFile,
    findings: &mut Findings<'_>,
    span: Span,
    replacement: &str,
    message: &str,
) {
    let text = file.text.as_str();
    let edited = format!("{}{replacement}{}", &text[..span.start], &text[span.end..]);
    if is_unchanged(file, &edited) {
        findings.report(span, message).edit(span, replacement);
    }
}

fn is_unchanged(file: &LintFile, edited: &str) -> bool {
    let Some(document) = &file.document else {
        return false;
    };
    let text = Text::new("", edited.as_bytes().to_vec()).ok();
    let after = text.and_then(|text| yaml::parse(&text).ok());
    let json: Option<Value> = after.map(|after| after.to_json());
    json.as_ref() == Some(&document.to_json())
}
