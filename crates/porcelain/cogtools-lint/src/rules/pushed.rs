//! Text that blanks, or what looks like them, push out of sight.

use cogtools_core::invisible;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Data, Node};

use super::hostile::descriptions;
use crate::finding::Findings;
use crate::lint_file::LintFile;

/// So many blanks within a line, or lines without text, push the rest out of sight.
const MAX_BLANKS: usize = 40;
const MAX_LINES: usize = 10;

pub(super) fn pushed_text(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some(document) = &file.document {
        visit_texts(document, &mut |text, span| {
            if is_pushed(text) {
                findings.report(span, "the text goes on after many blanks");
            }
        });
    }
    for node in descriptions(file) {
        if node
            .text()
            .is_some_and(|text| is_pushed(&without_fillers(text)) && !is_pushed(text))
        {
            findings.report(node.span, "the text goes on after much that says nothing");
        }
    }
    let mut at = 0;
    let mut empty = 0;
    for line in file.text.as_str().split_inclusive('\n') {
        if line.trim().is_empty() {
            empty += 1;
        } else {
            if empty >= 3 * MAX_LINES {
                let end = at + line.trim_end().len();
                findings.report(
                    Span { start: at, end },
                    "the file goes on after many empty lines",
                );
            }
            empty = 0;
        }
        // Comments, too, can look as if they were over.
        let start = at;
        at += line.len();
        let comment = match line.trim_start() {
            line if line.starts_with('#') => line,
            line => line.find(" #").map_or("", |at| &line[at + 1..]),
        };
        let before = &line[..line.len() - line.find(comment).map_or(0, |at| line.len() - at)];
        let gap = before.len() - before.trim_end().len();
        let is_far = !comment.is_empty() && !before.trim().is_empty() && gap >= 2 * MAX_BLANKS;
        if is_pushed(comment) || is_far {
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

/// The text with what looks like nothing, or says nothing, as blanks.
fn without_fillers(text: &str) -> String {
    let mut plain = text.to_owned();
    for blank in ["&nbsp;", "&#160;", "&emsp;", "&ensp;"] {
        plain = plain.replace(blank, "  ");
    }
    for line_end in ["<br>", "<br/>", "<br />", "\\n"] {
        plain = plain.replace(line_end, "\n");
    }
    let is_filler =
        |c: char| invisible::name(c).is_some() || matches!(c, '.' | '_' | '\u{b7}' | '\u{2026}');
    let lines = plain.lines().map(|line| {
        if line
            .chars()
            .all(|c| c.is_whitespace() || is_filler(c) || matches!(c, '-' | '*' | '|'))
        {
            return String::new();
        }
        line.chars()
            .map(|c| if is_filler(c) { ' ' } else { c })
            .collect()
    });
    lines.collect::<Vec<_>>().join("\n")
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
