//! Text that a person does not see and a model reads, or that gives the model orders about
//! other things than this tool.

use cogtools_core::Level;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Data, Node};

use super::description::collect_descriptions;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::order::order;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "pushed-text",
        level: Level::Error,
        summary: "text after so many blanks or empty lines that no reader sees it",
        why: "editors and reviews show the beginning of a line; a model reads all of it",
        fix: "remove the blanks, and read what is after them",
        fixable: false,
        fails: case!("pushed-text/fails"),
        passes: case!("pushed-text/passes"),
        check: pushed_text,
    },
    Rule {
        name: "hidden-comment",
        level: Level::Error,
        summary: "a comment of HTML or Markdown, or hidden HTML, in a title or a description",
        why: "where descriptions are shown as Markdown no reader sees it; a model reads it",
        fix: "remove it, or say it openly; a note for the author belongs into a comment of YAML",
        fixable: false,
        fails: case!("hidden-comment/fails"),
        passes: case!("hidden-comment/passes"),
        check: hidden_comment,
    },
    Rule {
        name: "order-to-model",
        level: Level::Warn,
        summary: "a description that gives the model orders about other tools, the user, or what it has read before",
        why: "a description says when to call this tool; what else it orders holds for the whole session, and is how a hostile tool takes it over",
        fix: "say what this tool does and when it helps, and leave the rest to the model and its user",
        fixable: false,
        fails: case!("order-to-model/fails"),
        passes: case!("order-to-model/passes"),
        check: order_to_model,
    },
];

/// So many blanks within a line, or lines without text, push the rest out of sight.
const MAX_BLANKS: usize = 40;
const MAX_LINES: usize = 10;

fn pushed_text(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some(document) = &file.document {
        visit_texts(document, &mut |text, span| {
            if is_pushed(text) {
                findings.report(span, "the text goes on after many blanks");
            }
        });
    }
    // Comments, too, can look as if they were over.
    let mut at = 0;
    for line in file.text.as_str().split_inclusive('\n') {
        let start = at;
        at += line.len();
        let comment = match line.trim_start() {
            line if line.starts_with('#') => line,
            line => line.find(" #").map_or("", |at| &line[at + 1..]),
        };
        if is_pushed(comment) {
            let span = Span {
                start,
                end: start + line.trim_end().len(),
            };
            findings.report(span, "the comment goes on after many blanks");
        }
    }
}

fn visit_texts<'n>(node: &'n Node, found: &mut dyn FnMut(&'n str, Span)) {
    match &node.data {
        Data::Text { text, .. } => found(text, node.span),
        Data::List(items) => items.iter().for_each(|item| visit_texts(item, found)),
        Data::Map(entries) => entries.iter().for_each(|it| visit_texts(&it.value, found)),
        _ => {}
    }
}

fn is_pushed(text: &str) -> bool {
    let mut empty = 0;
    for line in text.lines() {
        let content = line.trim();
        if content.is_empty() {
            empty += 1;
            continue;
        }
        if empty >= MAX_LINES {
            return true;
        }
        empty = 0;
        let mut blanks = 0;
        for c in content.chars() {
            blanks = if c.is_whitespace() { blanks + 1 } else { 0 };
            if blanks >= MAX_BLANKS {
                return true;
            }
        }
        // Code is indented, but not so far.
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        if indent >= 2 * MAX_BLANKS {
            return true;
        }
    }
    false
}

/// The titles and descriptions of the tool and its parameters.
fn descriptions(file: &LintFile) -> Vec<&Node> {
    let mut found: Vec<(&Node, &str)> = ["title", "description"]
        .into_iter()
        .filter_map(|key| Some((file.value(key)?, "")))
        .collect();
    for key in ["parameters", "parameters_schema"] {
        if let Some(node) = file.value(key) {
            collect_descriptions(node, "", &mut found);
        }
    }
    found.into_iter().map(|(node, _)| node).collect()
}

fn hidden_comment(file: &LintFile, findings: &mut Findings<'_>) {
    const FORMS: [&str; 9] = [
        "<!--",
        "[//]: #",
        "[comment]: <",
        "display:none",
        "display: none",
        "font-size:0",
        "font-size: 0",
        "visibility:hidden",
        " hidden>",
    ];
    for node in descriptions(file) {
        let text = node.text().unwrap_or_default();
        if let Some(form) = FORMS.iter().find(|form| text.contains(**form)) {
            let raw = file.raw(node.span);
            let span = raw.find(form).map_or(node.span, |at| Span {
                start: node.span.start + at,
                end: node.span.start + at + form.len(),
            });
            findings.report(span, format!("`{form}` hides text from people"));
        }
    }
}

fn order_to_model(file: &LintFile, findings: &mut Findings<'_>) {
    for node in descriptions(file) {
        let text = node.text().unwrap_or_default();
        if let Some(order) = order(text) {
            findings.report(node.span, format!("`{order}` is an order to the model"));
        }
    }
}
