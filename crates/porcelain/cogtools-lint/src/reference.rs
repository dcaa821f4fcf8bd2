//! The reference of all rules, in Markdown, and `--explain`.

use std::fmt::Write as _;

use cogtools_core::{Code, Diagnostic, HostLimit, Level, invisible};
use cogtools_program::Failure;

use crate::linter::{self, CaseFile, Rule, is_fixable};
use crate::rules::{find, rules};

/// The command that prints the reference.
const COMMAND: &str = "cogtools lint --explain all";

/// The whole reference.
pub fn reference() -> String {
    let mut text = format!(
        "# Rules of `cogtools lint`\n\n\
         <!-- Printed by `{COMMAND}`; edit the rules in crates/porcelain/cogtools-lint instead. -->\n\n\
         Each rule has a level: `off`, `note`, `warn` or `error`. Only errors make a run fail. \
         `.cogtoolrc.yaml` changes the level of a rule in a project:\n\n\
         ```yaml\nlint:\n  rules:\n    no-examples: error\n    openai-strict: off\n```\n\n\
         `cogtools lint --fix` fixes what the rules marked with a star find, where that is safe.\n\n\
         | rule | level | finds |\n|---|---|---|\n"
    );
    for rule in rules() {
        let star = if is_fixable(rule) { " *" } else { "" };
        text.push_str(&format_row(rule, star));
    }
    for rule in rules() {
        text.push('\n');
        text.push_str(&section(rule));
    }
    text.push_str(&limits());
    text
}

/// The limits that rules compare with, and where they are from.
fn limits() -> String {
    let mut text =
        "\n## The limits of hosts\n\n| limit | host | source | read |\n|---|---|---|---|\n"
            .to_owned();
    for limit in HostLimit::ALL {
        let HostLimit {
            host,
            what,
            max,
            source,
            date,
        } = limit;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {max} {what} | {host} | {source} | {date} |");
    }
    text.push_str("\nThe names of the tools that hosts have themselves:\n\n");
    for (host, source) in linter::sources() {
        let _ = writeln!(text, "- {host}: {source}");
    }
    text
}

fn format_row(rule: &Rule, star: &str) -> String {
    let summary = rule.summary.replace('|', "\\|");
    let (name, level) = (rule.name, rule.level.as_str());
    format!("| [`{name}`](#{name}){star} | {level} | {summary} |\n")
}

/// The section of one rule.
pub(crate) fn section(rule: &'static Rule) -> String {
    let level = match rule.level {
        Level::Off => "Off by default.",
        Level::Note => "Advice, which `--fix` leaves to you.",
        Level::Warn => "A warning.",
        Level::Error => "An error.",
    };
    let fixable = if is_fixable(rule) {
        " `--fix` fixes it where that is safe."
    } else {
        ""
    };
    format!(
        "## {}\n\n{} {level}{fixable}\n\nWhy: {}.\n\nFix: {}.\n\nSeen: {}\n\nThis fails:\n\n{}This passes:\n\n{}",
        rule.name,
        sentence(rule.summary),
        rule.why,
        rule.fix,
        rule.example.seen.trim_end(),
        files(rule.example.fails),
        files(rule.example.passes),
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
        let text_shown = spell_out(file.text);
        let body = text_shown.trim_end();
        text.push_str(&["`", file.path, "`\n\n```yaml\n", body, "\n```\n\n"].concat());
    }
    text
}

/// The text with invisible characters written as `<U+…>`, so that readers see them.
fn spell_out(text: &str) -> String {
    let characters = invisible::all(text);
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if characters.iter().any(|(start, ..)| *start == at) {
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

/// The argument that selects all rules.
const ALL: &str = "all";

/// The explanation of the rule `name`, or of all rules.
pub(crate) fn explanation(name: &str) -> Result<String, Failure> {
    if name == ALL {
        return Ok(reference());
    }
    find(name).map(section).ok_or_else(|| {
        let diagnostic = Diagnostic::new(Code::Usage, format!("there is no rule `{name}`"))
            .with_subject("--explain")
            .meant(name, rules().map(|rule| rule.name));
        Failure::from(diagnostic.hint("`cogtools lint --explain all` lists the rules"))
    })
}
