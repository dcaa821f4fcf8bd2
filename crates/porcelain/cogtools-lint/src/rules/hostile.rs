//! Text that a person does not see and a model reads.

use cogtools_core::text::Span;
use cogtools_core::yaml::Node;
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
        if let Some(form) = HIDDEN.groups(text).next() {
            let form = form.as_str();
            let span = tool_script::find(file, node, form);
            findings.report(span, format!("`{form}` hides text from people"));
        }
    }
}

/// A form that hides a part of a text where it is shown as Markdown or HTML: a comment, a link that
/// nothing refers to (`[//]: # (text)`), an image, an element, an attribute or a style.
static HIDDEN: Expression = Expression::new(
    r#"(?i)<!--|\[comment\]: <|!\[\]\(http|\[[^\[\]]*\]: (?=\s*(?:#|<>)[#<>\s]*[('"])|<(?:script|template|style|noscript|details|img|iframe|object)|<\w[^<>]*?(?:[\s/](hidden)(?=[\s=/>])|[-\s;"'{](display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity\s*:\s*0|font-size\s*:\s*[01])(?!\.)|color\s*[:=]\s*["']?(?:white|transparent|#fff)|(?:left|text-indent)\s*:\s*-))"#,
);

/// A line after many empty ones.
static LINE: Expression = Expression::new(r"(?:\A|\n)(?:[^\S\n]*\n){30,}([^\S\n]*\S.*)");
/// A line with a comment that looks as if it were over, or is far behind the rest.
static COMMENT: Expression =
    Expression::new(r"(?m)^((?:[^\S\n]*|.* )#.*?[^\S\n]{40,}\S.*|.*\S[^\S\n]{80,}#.*)$");

fn pushed_text(file: &LintFile, findings: &mut Findings<'_>) {
    for (_, node) in file.document.iter().flat_map(Node::descendants) {
        if node.text().is_some_and(is_pushed) {
            findings.report(node.span, "the text goes on after many blanks");
        }
    }
    for node in descriptions(file, &TEXTS) {
        let text = node.text().unwrap_or_default();
        if is_pushed(&without_fillers(text)) && !is_pushed(text) {
            let message = "text is hidden after 40 or more filler characters";
            findings.report(node.span, message);
        }
    }
    for (expression, message) in [
        (&LINE, "the file goes on after many empty lines"),
        (&COMMENT, "the comment goes on after many blanks"),
    ] {
        for line in expression.groups(file.text.as_str()) {
            findings.report(Span::new(line.start(), line.end()), message);
        }
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

/// Text after that many empty lines, or blanks; code is indented, but not so far.
static PUSHED: Expression =
    Expression::new(r"(?m)(?:\A|\n)(?:[^\S\n]*\n){10}\s*\S|\S[^\S\n]{40,}\S|^[^\S\n]{80,}\S");

fn is_pushed(text: &str) -> bool {
    PUSHED.find(text).is_some()
}
