//! Text that a person does not see and a model reads.

use cogtools_core::Level;
use cogtools_core::text::Span;
use cogtools_core::yaml::Node;

use super::description::collect_descriptions;
use super::pushed::pushed_text;
use crate::finding::Findings;
use crate::lint_file::LintFile;
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
];

/// The titles and descriptions of the tool and its parameters.
pub(super) fn descriptions(file: &LintFile) -> Vec<&Node> {
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
    for node in descriptions(file) {
        let text = node.text().unwrap_or_default();
        if let Some(form) = hiding_form(text) {
            let raw = file.raw(node.span);
            let span = raw.find(&form).map_or(node.span, |at| Span {
                start: node.span.start + at,
                end: node.span.start + at + form.len(),
            });
            findings.report(span, format!("`{form}` hides text from people"));
        }
    }
}

/// What hides a part of `text` where it is shown as Markdown or HTML.
fn hiding_form(text: &str) -> Option<String> {
    // Styles, without blanks: what is after them must not go on with a digit.
    const STYLES: [&str; 12] = [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "font-size:1px",
        "color:white",
        "color:#fff",
        "color:transparent",
        "color=\"white\"",
        "color='white'",
        "left:-",
        "text-indent:-",
    ];
    const TAGS: [&str; 8] = [
        "<script",
        "<template",
        "<style",
        "<noscript",
        "<details",
        "<img",
        "<iframe",
        "<object",
    ];
    if let Some(form) = ["<!--", "[comment]: <", "![](http"]
        .iter()
        .find(|it| text.contains(**it))
    {
        return Some((*form).to_owned());
    }
    if let Some(link) = unreferenced_link(text) {
        return Some(link);
    }
    let lower = text.to_ascii_lowercase();
    if let Some(tag) = TAGS.iter().find(|tag| lower.contains(**tag)) {
        return Some((*tag).to_owned());
    }
    let is_hidden = |tag: &str| {
        let tag = tag.split('>').next().unwrap_or_default();
        tag.split([' ', '=', '/'])
            .skip(1)
            .any(|word| word == "hidden")
    };
    if lower.split('<').skip(1).any(is_hidden) && lower.contains('>') {
        return Some("hidden".to_owned());
    }
    let compact: String = lower.chars().filter(|c| !c.is_whitespace()).collect();
    let style = STYLES.iter().find(|style| {
        let after = compact.split_once(**style).map(|(_, rest)| rest);
        after.is_some_and(|rest| style.ends_with('-') || !rest.starts_with('.'))
    });
    style
        .filter(|_| compact.contains('<'))
        .map(|style| (*style).to_owned())
}

/// A link that nothing refers to: `[//]: # (text)`.
fn unreferenced_link(text: &str) -> Option<String> {
    for (at, _) in text.match_indices("]: ") {
        let target = text[at + 3..].trim_start();
        let is_empty = target.starts_with('#') || target.starts_with("<>");
        let rest = target.trim_start_matches(['#', '<', '>']);
        if is_empty && rest.trim_start().starts_with(['(', '\'', '"']) {
            let start = text[..at].rfind('[').unwrap_or(at);
            return Some(text[start..at + 4].to_owned());
        }
    }
    None
}
