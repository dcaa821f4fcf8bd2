//! What the loader refuses: no host sees the tool at all.

use cogtools_core::schema::Schema;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Data, Node};
use cogtools_core::{Level, Location};
use cogtools_program::render_hints;

use super::INVALID_TOOL;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: INVALID_TOOL,
        level: Level::Error,
        summary: "a file that cogtools cannot use: broken YAML, unknown keys, wrong values",
        why: "discovery skips the file, so no host ever sees the tool",
        fix: "mend what is named; every key is described in the reference of tool files",
        fixable: false,
        fails: case!("invalid-tool/fails"),
        passes: case!("invalid-tool/passes"),
        check: invalid,
    },
    Rule {
        name: "type-spelling",
        level: Level::Error,
        summary: "a type under a name that OpenAPI does not have, such as `int`",
        why: "discovery skips the file, so no host ever sees the tool",
        fix: "write string, integer, number, boolean, array or object",
        fixable: true,
        fails: case!("type-spelling/fails"),
        passes: case!("type-spelling/passes"),
        check: spelling,
    },
    Rule {
        name: "array-without-items",
        level: Level::Error,
        summary: "`type: array` that does not say of what",
        why: "OpenAPI demands `items`, and Gemini answers a request without it with 400; cogtools refuses the file",
        fix: "name the type of the items, as in `type: string[]`, or write `items`",
        fixable: false,
        fails: case!("array-without-items/fails"),
        passes: case!("array-without-items/passes"),
        check: items,
    },
];

fn invalid(file: &LintFile, findings: &mut Findings<'_>) {
    for diagnostic in &file.diagnostics {
        let location = diagnostic.location.clone().unwrap_or_else(|| {
            let start = Span { start: 0, end: 1 };
            file.text.location(start)
        });
        let finding = findings.location(Location { ..location }, diagnostic.message.clone());
        if !diagnostic.hints.is_empty() {
            finding.fix(render_hints(&diagnostic.hints).join("; "));
        }
    }
}

fn spelling(file: &LintFile, findings: &mut Findings<'_>) {
    let sugar = file.value("parameters").is_some();
    for node in file.schema_nodes() {
        // `city: int` is short for a map with that type.
        let written = match &node.data {
            Data::Text { .. } if sugar => Some(node),
            _ => node.get("type"),
        };
        let Some((written, text)) = written.and_then(|node| Some((node, node.text()?))) else {
            continue;
        };
        let Some(right) = Schema::spelling(text) else {
            continue;
        };
        let message = format!("`{text}` is not a type");
        let finding = findings
            .at(written.span, message)
            .fix(format!("write `{right}`"));
        if let Some(span) = inside(file, written, text) {
            finding.edit(span, right);
        }
    }
}

/// Where exactly `text` stands, quotes left out.
fn inside(file: &LintFile, node: &Node, text: &str) -> Option<Span> {
    let raw = file.raw(node.span);
    let at = raw.find(text)?;
    let cx = raw.len() - text.len();
    (cx == 0 || cx == 2).then_some(Span {
        start: node.span.start + at,
        end: node.span.start + at + text.len(),
    })
}

fn items(file: &LintFile, findings: &mut Findings<'_>) {
    for node in file.schema_nodes() {
        let kind = node.get("type").filter(|kind| kind.text() == Some("array"));
        if let Some(kind) = kind.filter(|_| node.get("items").is_none()) {
            findings.at(kind.span, "an array needs `items`");
        }
    }
}
