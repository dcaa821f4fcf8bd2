//! What the model is told, and whether it says anything.

use cogtools_core::Level;
use cogtools_core::schema::Role;
use cogtools_core::yaml::Node;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "missing-description",
        level: Level::Warn,
        summary: "a parameter or property without a description",
        why: "the name is then all that a model knows of it; it guesses, and calls fail or mislead",
        fix: "add `description`: what to send, in which form, with an example where it helps",
        fixable: false,
        fails: case!("missing-description/fails"),
        passes: case!("missing-description/passes"),
        check: missing,
    },
    Rule {
        name: "long-description",
        level: Level::Warn,
        summary: "a tool's description of more than 1,024 characters",
        why: "OpenAI refuses the request; every host sends the whole text with every request, and Gemini CLI adds 759 characters of its own",
        fix: "keep what decides when to call the tool; move the rest into the descriptions of parameters",
        fixable: false,
        fails: case!("long-description/fails"),
        passes: case!("long-description/passes"),
        check: long,
    },
    Rule {
        name: "placeholder",
        level: Level::Warn,
        summary: "text that was to be replaced: TODO, FIXME, lorem ipsum, \"description\"",
        why: "the model reads it as it stands, and nothing in it tells when to call the tool or what to send",
        fix: "write what the tool or the parameter is for",
        fixable: false,
        fails: case!("placeholder/fails"),
        passes: case!("placeholder/passes"),
        check: placeholder,
    },
];

/// What OpenAI takes.
const LONGEST: usize = 1024;
/// Whole texts that say nothing.
const EMPTY: [&str; 14] = [
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

fn missing(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let described = site.schema.get("description").and_then(Value::as_str);
        let silent = described.is_none_or(|text| text.trim().is_empty());
        if let Role::Property { name, .. } = site.role
            && silent
            && !site.schema.contains_key("$ref")
        {
            findings.at(
                file.locate(&site.pointer),
                format!("`{name}` has no description"),
            );
        }
    }
}

fn long(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(entry) = file.entry("description") else {
        return;
    };
    let length = entry.value.text().map_or(0, |text| text.chars().count());
    if length > LONGEST {
        let message = format!("a description of {length} characters, OpenAI takes {LONGEST}");
        findings.at(entry.span, message);
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
            descriptions(&entry.value, &entry.key, &mut texts);
        }
    }
    for (node, name) in texts {
        let placeholder = node.text().and_then(|text| placeholder_text(text, name));
        if let Some(what) = placeholder {
            findings.at(node.span, format!("a placeholder: {what}"));
        }
    }
}

/// The descriptions inside of a schema, each with the name of what it describes.
fn descriptions<'n>(node: &'n Node, name: &'n str, found: &mut Vec<(&'n Node, &'n str)>) {
    for entry in node.entries().into_iter().flatten() {
        match entry.key.as_str() {
            "description" | "title" if entry.value.text().is_some() => {
                found.push((&entry.value, name));
            }
            key => descriptions(&entry.value, key, found),
        }
    }
}

fn placeholder_text(text: &str, name: &str) -> Option<String> {
    let plain = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let work = ["TODO", "FIXME", "TBD", "XXX"];
    if let Some(word) = work
        .iter()
        .find(|word| text.trim().starts_with(*word) || text.contains(&format!("{word}:")))
    {
        return Some(format!("`{word}`"));
    }
    if plain.contains("lorem ipsum") {
        return Some("`lorem ipsum`".into());
    }
    let brackets =
        plain.starts_with('<') && plain.ends_with('>') && plain.matches('<').count() == 1;
    let empty = brackets
        || EMPTY.contains(&text.trim().to_lowercase().as_str())
        || EMPTY.contains(&plain.as_str());
    if empty {
        return Some(format!("`{}`", text.trim()));
    }
    let named =
        !name.is_empty() && plain.replace([' ', '-'], "_") == name.to_lowercase().replace('-', "_");
    named.then(|| "it only repeats the name".into())
}
