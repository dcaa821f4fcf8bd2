//! Text that a person does not see and a model reads.

use cogtools_core::text::Span;
use cogtools_core::yaml::{Data, Node};
use cogtools_core::{Level, invisible};

use super::description::descriptions;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Expression, Rule, example};
use crate::tool_script;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "pushed-text",
        level: Level::Error,
        summary: "text after so many blanks or empty lines that no reader sees it",
        why: "editors and reviews show the beginning of a line; a model reads all of it",
        fix: "remove the blanks, and read what is after them",
        example: example!("pushed-text"),
        check: pushed_text,
    },
    Rule {
        name: "hidden-comment",
        level: Level::Error,
        summary: "a comment of HTML or Markdown, or hidden HTML, in a title or a description",
        why: "where descriptions are shown as Markdown no reader sees it; a model reads it",
        fix: "remove it, or say it openly; a note for the author belongs into a comment of YAML",
        example: example!("hidden-comment"),
        check: hidden_comment,
    },
    Rule {
        name: "hiding-instruction",
        level: Level::Error,
        summary: "a description that tells the model to hide something from the user, or to ignore its instructions",
        why: "a description is read as an instruction; one like this is how a tool takes over a model",
        fix: "remove it, and read what else the tool does",
        example: example!("hiding-instruction"),
        check: hiding_instruction,
    },
];

/// Instructions that work against the user.
static HIDING: Expression = Expression::new(
    r"(?i)\b(?:do not|don't|never|without)\s+(?:ever\s+)?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|show(?:ing)?|reveal(?:ing)?|disclos(?:e|ing))\s+(?:(?:this|that|it|anything|any of this|about this)\s+)?(?:to\s+)?(?:the\s+)?(?:users?|humans?|anyone|people)\b|\b(?:hide|conceal|keep)\s+(?:this|it|that|all of this)\s+(?:secret\s+|hidden\s+)?from\s+(?:the\s+)?(?:user|human|anyone)|\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+)?(?:the\s+)?(?:previous|prior|other|above|earlier)\s+(?:instructions?|rules?|prompts?)|\b(?:do not|don't|never|without)\s+(?:ever\s+)?(?:mention|reveal|disclos|show|say|explain|report|expos|emphasi[sz])\w*\s+(?:this|that|these|those)\s+(?:\w+\s+){1,3}to\s+(?:the\s+)?(?:user|human|anyone)\b|\b(?:secretly|silently)\s+(?:also\s+)?(?:send|forward|upload|remember|copy)\b|\b(?:must|should)\s+not\s+be\s+(?:shown|told|mentioned|revealed|disclosed|explained)\s+to\s+(?:the\s+)?(?:user|human|anyone)\b|\b(?:user|human)\s+(?:(?:does\s+not|doesn't)\s+need\s+to|need\s+not|should\s+not|shouldn't|must\s+not)\s+(?:know|see|notice|be\s+told|learn)\b|\boverrid(?:e|es|ing)\s+(?:all\s+|any\s+)?(?:your|the|previous|prior|other|earlier)\s+(?:\w+\s+)?instructions?\b|<(important|system|secret|instructions?)>[\s\S]*</\1>|\bwithout\s+the\s+(?:user|human)(?:'s)?\s+(?:knowing|knowledge|noticing)\b",
);

fn hiding_instruction(file: &LintFile, findings: &mut Findings<'_>) {
    for node in descriptions(file, &TEXTS) {
        let text = node.text().unwrap_or_default();
        if let Some(found) = HIDING.find(text) {
            let message = format!("`{}` is an instruction against the user", found.as_str());
            findings.report(node.span, message);
        }
    }
}

/// The keys of the texts about the tool.
const TEXTS: [&str; 2] = ["title", "description"];

fn hidden_comment(file: &LintFile, findings: &mut Findings<'_>) {
    for node in descriptions(file, &TEXTS) {
        let text = node.text().unwrap_or_default();
        if let Some(form) = hiding_form(text) {
            let span = tool_script::find(file, node, &form);
            findings.report(span, format!("`{form}` hides text from people"));
        }
    }
}

/// The form that hides a part of `text` where it is shown as Markdown or HTML.
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
    const TAGS: &str = "<script <template <style <noscript <details <img <iframe <object";
    let mut forms = ["<!--", "[comment]: <", "![](http"].into_iter();
    if let Some(form) = forms.find(|it| text.contains(it)) {
        return Some(form.to_owned());
    }
    if let Some(link) = unreferenced_link(text) {
        return Some(link);
    }
    let lower = text.to_ascii_lowercase();
    if let Some(tag) = TAGS.split(' ').find(|tag| lower.contains(tag)) {
        return Some(tag.to_owned());
    }
    let is_hidden = |tag: &str| {
        let tag = tag.split('>').next().unwrap_or_default();
        let mut words = tag.split([' ', '=', '/']).skip(1);
        words.any(|word| word == "hidden")
    };
    if lower.split('<').skip(1).any(is_hidden) && lower.contains('>') {
        return Some("hidden".to_owned());
    }
    let compact: String = lower.chars().filter(|c| !c.is_whitespace()).collect();
    let style = STYLES.iter().find(|style| {
        let after = compact.split_once(**style).map(|(_, rest)| rest);
        after.is_some_and(|rest| style.ends_with('-') || !rest.starts_with('.'))
    });
    let style = style.filter(|_| compact.contains('<'))?;
    Some((*style).to_owned())
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
    for node in descriptions(file, &TEXTS) {
        let text = node.text().unwrap_or_default();
        if is_pushed(&without_fillers(text)) && !is_pushed(text) {
            let message = "text is hidden after 40 or more filler characters";
            findings.report(node.span, message);
        }
    }
    let mut at = 0;
    let mut empty = 0;
    for line in file.text.as_str().split_inclusive('\n') {
        if line.trim().is_empty() {
            empty += 1;
        } else {
            if empty >= 3 * MAX_LINES {
                let span = Span::new(at, at + line.trim_end().len());
                findings.report(span, "the file goes on after many empty lines");
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
            let span = Span::new(start, start + line.trim_end().len());
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
