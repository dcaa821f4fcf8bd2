//! White space that nobody wants, where it means nothing.

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
        why: "on Unix the first line then asks for a program named `cogtools-yaml\\r`, and the file does not run",
        fix: "save the file with LF line endings",
        fixable: true,
        fails: case!("carriage-return/fails"),
        passes: case!("carriage-return/passes"),
        check: carriage_return,
    },
    Rule {
        name: "trailing-space",
        level: Level::Warn,
        summary: "blanks at the end of a line, blank lines at the end of the file, or no line ending there; only where YAML ignores them",
        why: "it shows up in every difference and merge, and is one edit away from becoming part of a text",
        fix: "remove it",
        fixable: true,
        fails: case!("trailing-space/fails"),
        passes: case!("trailing-space/passes"),
        check: trailing,
    },
];

/// So many lines are looked at; a file with more has other problems.
const MOST: usize = 100;

fn carriage_return(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let Some(first) = text.find("\r\n") else {
        return;
    };
    if !same(file, &text.replace("\r\n", "\n")) {
        return;
    }
    let mut finding = findings.at(
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

fn trailing(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let mut at = 0;
    let mut left = MOST;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let kept = body.trim_end_matches([' ', '\t']);
        let span = Span {
            start: at + kept.len(),
            end: at + body.len(),
        };
        at += line.len();
        if kept.len() < body.len() && left > 0 {
            left -= 1;
            add_edit(file, findings, span, "", "blanks at the end of the line");
        }
    }
    let kept = text.trim_end();
    let end = Span {
        start: kept.len(),
        end: text.len(),
    };
    match text[kept.len()..].matches('\n').count() {
        _ if kept.is_empty() => {}
        0 => add_edit(
            file,
            findings,
            end,
            "\n",
            "no line ending at the end of the file",
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

/// Adds a finding with an edit, if the document stays what it is.
fn add_edit(file: &LintFile, findings: &mut Findings<'_>, span: Span, with: &str, message: &str) {
    let text = file.text.as_str();
    let edited = format!("{}{with}{}", &text[..span.start], &text[span.end..]);
    if same(file, &edited) {
        findings.at(span, message).edit(span, with);
    }
}

fn same(file: &LintFile, edited: &str) -> bool {
    let Some(document) = &file.document else {
        return false;
    };
    let text = Text::new("", edited.as_bytes().to_vec()).ok();
    let after = text.and_then(|text| yaml::parse(&text).ok());
    let json: Option<Value> = after.map(|after| after.to_json());
    json.as_ref() == Some(&document.to_json())
}
