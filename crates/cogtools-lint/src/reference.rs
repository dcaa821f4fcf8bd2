//! The reference of all rules, in Markdown: `docs/reference/lint-rules.md`.

use std::fmt::Write as _;

use cogtools_core::{Level, invisible};

use crate::rule::{CaseFile, Rule};
use crate::rules::rules;

/// The command that prints the reference.
const COMMAND: &str = "cogtools lint --explain all";

/// The whole reference.
pub fn reference() -> String {
    let mut text = format!(
        "# Rules of `cogtools lint`\n\n\
         <!-- Printed by `{COMMAND}`; edit the rules in crates/cogtools-lint instead. -->\n\n\
         A rule weighs `off`, `warn` or `error`; only errors make a run fail. \
         `.cogtoolrc.yaml` changes what a rule weighs in a project:\n\n\
         ```yaml\nlint:\n  rules:\n    no-examples: error\n    openai-strict: off\n```\n\n\
         `cogtools lint --fix` mends what is marked with a star, where that is safe.\n\n\
         | rule | weighs | finds |\n|---|---|---|\n"
    );
    for rule in rules() {
        let star = if rule.fixable { " *" } else { "" };
        text.push_str(&format_row(rule, star));
    }
    for rule in rules() {
        text.push('\n');
        text.push_str(&section(rule));
    }
    text
}

fn format_row(rule: &Rule, star: &str) -> String {
    let summary = rule.summary.replace('|', "\\|");
    let (name, level) = (rule.name, rule.level.as_str());
    format!("| [`{name}`](#{name}){star} | {level} | {summary} |\n")
}

/// What is to be said of one rule.
pub(crate) fn section(rule: &Rule) -> String {
    let weighs = match rule.level {
        Level::Off => "Off unless the configuration says otherwise.",
        Level::Warn => "A warning.",
        Level::Error => "An error.",
    };
    let fixable = if rule.fixable {
        " `--fix` mends it where that is safe."
    } else {
        ""
    };
    format!(
        "## {}\n\n{} {weighs}{fixable}\n\nWhy: {}.\n\nFix: {}.\n\nThis fails:\n\n{}This passes:\n\n{}",
        rule.name,
        sentence(rule.summary),
        rule.why,
        rule.fix,
        files(rule.fails),
        files(rule.passes),
    )
    .trim_end()
    .to_owned()
        + "\n"
}

fn sentence(summary: &str) -> String {
    let mut letters = summary.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

fn files(files: &[CaseFile]) -> String {
    let mut text = String::new();
    for file in files {
        let body = visible(file.text);
        let body = body.trim_end();
        text.push_str(&["`", file.path, "`\n\n```yaml\n", body, "\n```\n\n"].concat());
    }
    text
}

/// The text with hidden characters spelled out, for a reference is read by people.
fn visible(text: &str) -> String {
    let hidden = invisible::all(text);
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if hidden.iter().any(|(hidden, ..)| *hidden == at) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "<U+{:04X}>", u32::from(c));
        } else if c == '\r' {
            shown.push_str("<CR>");
        } else {
            shown.push(c);
        }
    }
    shown
}
