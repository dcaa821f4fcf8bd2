//! Descriptions: what the model reads about a tool and its parameters.

use cogtools_core::schema::Role;
use cogtools_core::yaml::Node;
use cogtools_core::{HostLimit, Level};
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "missing-description",
        level: Level::Warn,
        summary: "a parameter or property without a description",
        why: "a model then knows only the name; it guesses, and calls fail or give misleading results",
        fix: "add `description`: what to send, in which format, with an example where that helps",
        example: example!("missing-description"),
        check: missing_description,
    },
    Rule {
        name: "long-description",
        level: Level::Warn,
        summary: "a tool's description of more than 1,024 characters",
        why: "OpenAI rejects the request; every host sends the whole text with every request, and Gemini CLI appends 759 characters to it",
        fix: "keep what helps to decide when to call the tool; move the rest into the descriptions of parameters",
        example: example!("long-description"),
        check: long_description,
    },
    Rule {
        name: "placeholder",
        level: Level::Warn,
        summary: "text that should have been replaced: TODO, FIXME, lorem ipsum, \"description\"",
        why: "the model reads it literally, and learns neither when to call the tool nor what to send",
        fix: "write what the tool or the parameter is for",
        example: example!("placeholder"),
        check: placeholder,
    },
];

/// Descriptions without content.
const PLACEHOLDERS: [&str; 14] = [
    "description",
    "a description",
    "the description",
    "your description here",
    "description here",
    "describe me",
    "string",
    "text",
    "value",
    "parameter",
    "argument",
    "tbd",
    "...",
    "…",
];

fn missing_description(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let description = sub_schema.schema.get("description").and_then(Value::as_str);
        let is_blank = description.is_none_or(|text| text.trim().is_empty());
        if let Role::Property { name, .. } = sub_schema.role
            && is_blank
            && !sub_schema.schema.contains_key("$ref")
        {
            findings.report(
                file.locate(&sub_schema.pointer),
                format!("`{name}` has no description"),
            );
        }
    }
}

fn long_description(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(entry) = file.entry("description") else {
        return;
    };
    let length = entry.value.text().map_or(0, |text| text.chars().count());
    if let Some(message) = HostLimit::DESCRIPTION.exceeded(length) {
        findings.report(entry.span, message);
    }
}

fn placeholder(file: &LintFile, findings: &mut Findings<'_>) {
    let mut texts: Vec<(&Node, &str)> = ["title", "description"]
        .into_iter()
        .filter_map(|key| Some((file.value(key)?, "")))
        .collect();
    for key in ["parameters", "parameters_schema"] {
        let entries = file.value(key).and_then(Node::entries);
        for entry in entries.into_iter().flatten() {
            collect_descriptions(&entry.value, &entry.key, &mut texts);
        }
    }
    for (node, name) in texts {
        let placeholder = node.text().and_then(|text| placeholder_text(text, name));
        if let Some(what) = placeholder {
            findings.report(node.span, format!("a placeholder: {what}"));
        }
    }
}

/// The descriptions inside a schema, each with the name of the property that it
/// describes.
pub(super) fn collect_descriptions<'n>(
    node: &'n Node,
    name: &'n str,
    found: &mut Vec<(&'n Node, &'n str)>,
) {
    for entry in node.entries().into_iter().flatten() {
        match entry.key.as_str() {
            "description" | "title" if entry.value.text().is_some() => {
                found.push((&entry.value, name));
            }
            key => collect_descriptions(&entry.value, key, found),
        }
    }
}

fn placeholder_text(text: &str, name: &str) -> Option<String> {
    let normalized = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let markers = ["TODO", "FIXME", "TBD", "XXX"];
    if let Some(marker) = markers
        .iter()
        .find(|marker| text.trim().starts_with(*marker) || text.contains(&format!("{marker}:")))
    {
        return Some(format!("`{marker}`"));
    }
    if normalized.contains("lorem ipsum") {
        return Some("`lorem ipsum`".into());
    }
    let in_brackets = normalized.starts_with('<')
        && normalized.ends_with('>')
        && normalized.matches('<').count() == 1;
    let is_placeholder = in_brackets
        || PLACEHOLDERS.contains(&text.trim().to_lowercase().as_str())
        || PLACEHOLDERS.contains(&normalized.as_str());
    if is_placeholder {
        return Some(format!("`{}`", text.trim()));
    }
    let repeats_name = !name.is_empty()
        && normalized.replace([' ', '-'], "_") == name.to_lowercase().replace('-', "_");
    repeats_name.then(|| "it only repeats the name".into())
}
