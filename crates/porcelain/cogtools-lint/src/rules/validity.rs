//! Files that the loader rejects: no host sees the tool at all.

use cogtools_core::Level;
use cogtools_core::schema::Schema;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Data, Node};

use super::INVALID_TOOL;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: INVALID_TOOL,
        level: Level::Error,
        summary: "a file that cogtools cannot use: invalid YAML, unknown keys, wrong values",
        why: "discovery skips the file, so no host ever sees the tool",
        fix: "correct the errors; the reference of tool files describes every key",
        example: example!("invalid-tool"),
        check: invalid_tool,
    },
    Rule {
        name: "type-spelling",
        level: Level::Error,
        summary: "a type name that OpenAPI does not have, such as `int`",
        why: "discovery skips the file, so no host ever sees the tool",
        fix: "write string, integer, number, boolean, array or object",
        example: example!("type-spelling"),
        check: type_spelling,
    },
    Rule {
        name: "array-without-items",
        level: Level::Error,
        summary: "`type: array` without the type of its items",
        why: "OpenAPI requires `items`, and Gemini rejects a request without it with status 400; cogtools rejects the file",
        fix: "name the type of the items, as in `type: string[]`, or write `items`",
        example: example!("array-without-items"),
        check: array_without_items,
    },
];

fn invalid_tool(file: &LintFile, findings: &mut Findings<'_>) {
    for diagnostic in &file.diagnostics {
        findings.report_diagnostic(diagnostic, Span::new(0, 1));
    }
}

fn type_spelling(file: &LintFile, findings: &mut Findings<'_>) {
    let sugar = file.value("parameters").is_some();
    for node in file.schema_nodes() {
        // `city: int` is shorthand for a map with that type.
        let value = match &node.data {
            Data::Text { .. } if sugar => Some(node),
            _ => node.get("type"),
        };
        let Some((type_node, text)) = value.and_then(|node| Some((node, node.text()?))) else {
            continue;
        };
        // A whole schema has no `string[]`; the loader says what to write.
        let correct = Schema::spelling(text).filter(|it| sugar || !it.ends_with("[]"));
        let Some(correct) = correct else {
            continue;
        };
        let message = format!("`{text}` is not a type");
        let finding = findings
            .report(type_node.span, message)
            .fix(format!("write `{correct}`"));
        if let Some(span) = inner_span(file, type_node, text) {
            finding.edit(span, correct);
        }
    }
}

/// The span of `text` within `node`, without quotes.
fn inner_span(file: &LintFile, node: &Node, text: &str) -> Option<Span> {
    let raw = file.raw(node.span);
    let start = node.span.start + raw.find(text)?;
    let quotes = raw.len() - text.len();
    (quotes == 0 || quotes == 2).then_some(Span::new(start, start + text.len()))
}

fn array_without_items(file: &LintFile, findings: &mut Findings<'_>) {
    for node in file.schema_nodes() {
        let kind = node.get("type").filter(|kind| kind.text() == Some("array"));
        if let Some(kind) = kind.filter(|_| node.get("items").is_none()) {
            findings.report(kind.span, "an array needs `items`");
        }
    }
}
