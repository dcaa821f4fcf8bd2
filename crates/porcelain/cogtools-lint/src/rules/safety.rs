//! Invisible characters and secrets: what a reviewer overlooks, but a model or an
//! attacker does not.

use std::collections::HashSet;

use cogtools_core::schema::Role;
use cogtools_core::text::Span;
use cogtools_core::yaml::Node;
use cogtools_core::{Level, Tool, invisible};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::secret;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "hidden-character",
        level: Level::Error,
        summary: "zero-width, bidirectional and control characters, in the file or written as escapes; names and values with blanks that are not spaces",
        why: "a model reads what no reviewer sees: instructions can hide in such characters, and names or enum values that look alike can differ",
        fix: "remove it; where direction matters, write the text in its own script without control characters",
        example: example!("hidden-character"),
        check: hidden_character,
    },
    Rule {
        name: "secret",
        level: Level::Error,
        summary: "a key, token or password in plain text",
        why: "tool files are committed and shared, and hosts send their content to a model; every reader of either then has the secret",
        fix: "revoke it, then declare a variable under `env` and read it from there",
        example: example!("secret"),
        check: secrets,
    },
    Rule {
        name: "wide-sandbox",
        level: Level::Warn,
        summary: "a sandbox that names a path outside the project",
        why: "a reviewer expects that a tool works on the project; what is outside is the user's own, such as keys, and differs between machines",
        fix: "name a path below the project's root, or say in the description why the tool needs this one",
        example: example!("wide-sandbox"),
        check: wide_sandbox,
    },
    Rule {
        name: "no-sandbox",
        level: Level::Note,
        summary: "a tool with `exec` or `script` that has no `sandbox`",
        why: "its program has all rights of whoever calls the tool: it reads their keys, writes their files and uses the network",
        fix: "add `sandbox: workspace`, or name what the program needs, such as `sandbox: {net: [api.example.com]}`",
        example: example!("no-sandbox"),
        check: no_sandbox,
    },
];

fn hidden_character(file: &LintFile, findings: &mut Findings<'_>) {
    check_characters(file.text.as_str(), findings);
    for (entry, node) in file.document.iter().flat_map(Node::descendants) {
        let key = entry.map_or("", |entry| entry.key.as_str());
        for entry in node.entries().into_iter().flatten() {
            check_text(file, &entry.key, entry.span, findings);
            check_blanks(&entry.key, entry.span, findings);
        }
        let Some(text) = node.text() else { continue };
        // Another rule explains them in patterns.
        if key != "pattern" {
            check_text(file, text, node.span, findings);
        }
        if key == "enum" {
            check_blanks(text, node.span, findings);
        }
    }
    for template in template_files(file) {
        let text = template.text();
        let hidden = invisible::all(text.as_str()).into_iter();
        let hidden = hidden.map(|(at, c, name)| (at, c, message(c, name)));
        let controls = text.as_str().char_indices().filter(|(_, c)| is_control(*c));
        let controls = controls.map(|(at, c)| (at, c, control(c)));
        for (at, c, message) in hidden.take(MAX_CONTROLS).chain(controls.take(MAX_CONTROLS)) {
            let span = Span::new(at, at + c.len_utf8());
            findings.report_at(text.location(span), message);
        }
    }
}

/// The number of control characters of a template that are reported.
const MAX_CONTROLS: usize = 8;

/// Invisible characters in the file itself; a run of one kind is one finding.
fn check_characters(text: &str, findings: &mut Findings<'_>) {
    let mut runs: Vec<(Span, char, &str)> = Vec::new();
    for (at, c, name) in invisible::all(text) {
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some((span, _, last)) if span.end == at && *last == name => span.end = end,
            _ => runs.push((Span { start: at, end }, c, name)),
        }
    }
    for (span, c, name) in runs {
        let removable = text[span.start..span.end].chars().all(is_removable);
        let finding = findings.report(span, message(c, name));
        if removable {
            finding.edit(span, "");
        }
    }
}

/// Returns true if removing the invisible `c` changes nothing that a person sees. Direction
/// controls reorder text, separators break lines, and a Braille blank looks like a
/// space, so a person must decide.
const fn is_removable(c: char) -> bool {
    !matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{2800}'
            | '\u{13430}'..='\u{1343f}'
    )
}

/// Invisible characters written as escapes such as `\u200b`.
fn check_text(file: &LintFile, text: &str, span: Span, findings: &mut Findings<'_>) {
    let raw = file.raw(span);
    if !raw.starts_with('"') {
        return;
    }
    let written: HashSet<char> = raw.chars().collect();
    let mut seen = HashSet::new();
    for (_, c, name) in invisible::all(text) {
        if !written.contains(&c) && seen.insert(c) {
            findings.report(span, format!("{}, written as an escape", message(c, name)));
        }
    }
    for c in text.chars().filter(|c| is_control(*c)) {
        if seen.insert(c) {
            let message = format!("{}, written as an escape", control(c));
            findings.report(span, message);
        }
    }
}

/// Returns true if `c` moves the cursor of a terminal, colours or deletes; lines and tabs do not count.
const fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}')
}

fn control(c: char) -> String {
    let name = match c {
        '\u{1b}' | '\u{9b}' => "the beginning of a terminal sequence",
        '\u{8}' | '\u{7f}' => "a deletion",
        '\u{85}' => "a line break",
        _ => "a control character",
    };
    format!("U+{:04X}, {name}, is visible to models only", u32::from(c))
}

/// Blanks that are not spaces, in what is compared: a name, a key or a value of an enum.
fn check_blanks(text: &str, span: Span, findings: &mut Findings<'_>) {
    let is_blank = |c: &char| {
        c.is_whitespace() && !c.is_ascii() && !is_control(*c) && invisible::name(*c).is_none()
    };
    if let Some(c) = text.chars().find(is_blank) {
        let message = format!(
            "U+{:04X} looks like a space, and is another character",
            u32::from(c)
        );
        findings.report(span, message).fix("write a space");
    }
}

fn message(c: char, name: &str) -> String {
    format!(
        "U+{:04X}, a {name}, is visible to models only",
        u32::from(c)
    )
}

fn secrets(file: &LintFile, findings: &mut Findings<'_>) {
    for (range, what) in secret::all(file.text.as_str()) {
        let span = Span::new(range.start, range.end);
        findings.report(span, format!("this looks like {what}"));
    }
    for sub_schema in file.sub_schemas() {
        let Role::Property { name, .. } = sub_schema.role else {
            continue;
        };
        if !secret::is_name(name) {
            continue;
        }
        for keyword in ["default", "example"] {
            let value = sub_schema
                .schema
                .get(keyword)
                .and_then(|value| value.as_str());
            let is_pin = name == "pin";
            let found = value.filter(|it| !is_pin || it.bytes().all(|byte| byte.is_ascii_digit()));
            let found = found.filter(|it| it.len() > 3 && !secret::is_placeholder(it));
            if found.is_some_and(|value| secret::all(value).is_empty()) {
                let span = file.keyword(&sub_schema, keyword);
                findings.report(
                    span,
                    format!("`{name}` has a value that every caller shares"),
                );
            }
        }
    }
    for template in template_files(file) {
        let text = template.text();
        for (range, what) in secret::all(text.as_str()) {
            let span = Span::new(range.start, range.end);
            findings.report_at(text.location(span), format!("this looks like {what}"));
        }
    }
}

fn wide_sandbox(file: &LintFile, findings: &mut Findings<'_>) {
    let sandbox = file.tool.as_ref().and_then(|tool| tool.sandbox.as_ref());
    let span = file.entry("sandbox").map(|entry| entry.span);
    let (Some(sandbox), Some(span)) = (sandbox, span) else {
        return;
    };
    for path in sandbox.outside() {
        findings.report(span, format!("`{path}` is outside the project"));
    }
}

fn no_sandbox(file: &LintFile, findings: &mut Findings<'_>) {
    let is_program = ["exec", "script"]
        .iter()
        .any(|key| file.implementation(key).is_some());
    let Some(entry) = file.entry("implementation").filter(|_| is_program) else {
        return;
    };
    if file.entry("sandbox").is_none() {
        let at = entry.span.start;
        findings
            .report(entry.span, "its program has all rights of its caller")
            .edit(Span { start: at, end: at }, "sandbox: workspace\n");
    }
}

/// The templates of the tool that are in separate files, and those that they include.
fn template_files(file: &LintFile) -> Vec<cogtools_core::tool::TemplateSource> {
    let own = file.text.display_path();
    file.tool
        .iter()
        .flat_map(Tool::loaded_templates)
        .map(|template| template.source)
        .filter(|template| template.text().display_path() != own)
        .collect()
}
