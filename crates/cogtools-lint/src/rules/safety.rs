//! What a person overlooks and a model or a stranger does not.

use cogtools_core::Level;
use cogtools_core::invisible;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Data, Node};

use crate::finding::Findings;
use crate::rule::{Rule, case};
use crate::subject::Subject;
use crate::{hidden, reach, secret};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "hidden-character",
        level: Level::Error,
        summary: "zero-width and bidirectional characters, in the file or written as escapes",
        why: "a model reads what no reviewer sees: instructions can hide in them, and two names or enum values that look alike differ",
        fix: "remove it; where direction matters, write the text in its own script without controls",
        fixable: true,
        fails: case!("hidden-character/fails"),
        passes: case!("hidden-character/passes"),
        check: hidden_characters,
    },
    Rule {
        name: "secret",
        level: Level::Error,
        summary: "a key, token or password in plain text",
        why: "tool files are committed and shared, and hosts send what is in them to a model; whoever reads either has the secret",
        fix: "revoke it, then name a variable under `env` and read it from there",
        fixable: false,
        fails: case!("secret/fails"),
        passes: case!("secret/passes"),
        check: secrets,
    },
];

fn hidden_characters(subject: &Subject, findings: &mut Findings<'_>) {
    written(subject.text.as_str(), findings);
    if let Some(document) = &subject.document {
        escaped(subject, document, findings);
    }
    for template in foreign(subject) {
        let text = template.text();
        for (at, c, name) in invisible::all(text.as_str()) {
            let span = Span {
                start: at,
                end: at + c.len_utf8(),
            };
            findings.place(text.place(span), worded(c, name));
        }
    }
}

/// Hidden characters as they stand in the file; a run of one kind is one finding.
fn written(text: &str, findings: &mut Findings<'_>) {
    let mut runs: Vec<(Span, char, &str)> = Vec::new();
    for (at, c, name) in invisible::all(text) {
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some((span, _, last)) if span.end == at && *last == name => span.end = end,
            _ => runs.push((Span { start: at, end }, c, name)),
        }
    }
    for (span, c, name) in runs {
        let removable = text[span.start..span.end].chars().all(hidden::is_removable);
        let noted = findings.at(span, worded(c, name));
        if removable {
            noted.edit(span, "");
        }
    }
}

/// Hidden characters that only come to be when an escape such as `\u200b` is read.
fn escaped(subject: &Subject, node: &Node, findings: &mut Findings<'_>) {
    match &node.data {
        Data::Text { text, .. } => escaped_text(subject, text, node.span, findings),
        Data::List(items) => items
            .iter()
            .for_each(|item| escaped(subject, item, findings)),
        Data::Map(entries) => {
            for entry in entries {
                escaped_text(subject, &entry.key, entry.span, findings);
                escaped(subject, &entry.value, findings);
            }
        }
        _ => {}
    }
}

fn escaped_text(subject: &Subject, text: &str, span: Span, findings: &mut Findings<'_>) {
    let raw = subject.raw(span);
    if !raw.starts_with('"') {
        return;
    }
    for (_, c, name) in invisible::all(text) {
        if !raw.contains(c) {
            findings.at(span, format!("{}, written as an escape", worded(c, name)));
        }
    }
}

fn worded(c: char, name: &str) -> String {
    format!(
        "U+{:04X}, a {name}, is seen by models and by nobody else",
        u32::from(c)
    )
}

fn secrets(subject: &Subject, findings: &mut Findings<'_>) {
    for (range, what) in secret::all(subject.text.as_str()) {
        let span = Span {
            start: range.start,
            end: range.end,
        };
        findings.at(span, format!("this looks like {what}"));
    }
    for template in foreign(subject) {
        let text = template.text();
        for (range, what) in secret::all(text.as_str()) {
            let span = Span {
                start: range.start,
                end: range.end,
            };
            findings.place(text.place(span), format!("this looks like {what}"));
        }
    }
}

/// The templates of the tool, and what they include, that stand in files of their own.
fn foreign(subject: &Subject) -> Vec<cogtools_core::implementation::Written> {
    let own = subject.text.name();
    let reached = subject.tool.iter().flat_map(reach::all);
    reached
        .map(|template| template.written)
        .filter(|template| template.text().name() != own)
        .collect()
}
