//! References to tools that do not exist: in lists of the settings, in policies,
//! and in documents.

use std::path::{Path, PathBuf};

use cogtools_core::Name;
use cogtools_core::file::ReadScope;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::text::Text;

use crate::context::Context;
use crate::finding::Finding;

/// The settings lists that name tools.
const LISTS: [&str; 4] = [
    "tools.allowed",
    "tools.exclude",
    "allowedTools",
    "excludeTools",
];
/// The documents that models and people read first.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "GEMINI.md",
    "AGENTS.md",
    "CLAUDE.md",
    "tools/README.md",
];

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let file_names = cx.tools.files.iter().map(|file| file.name.clone());
    let mut names: Vec<String> = file_names.chain(cx.names()).collect();
    names.sort_unstable();
    names.dedup();
    let mut findings = in_lists(&names, cx);
    for document in DOCUMENTS {
        let file: PathBuf = document.split('/').collect();
        findings.extend(in_document(&file, &names, cx.root()));
    }
    findings
}

/// Names in lists. A user's list may cover many projects, so a list that names none
/// of this project's tools is ignored.
fn in_lists(names: &[String], cx: &Context) -> Vec<Finding> {
    let prefix = cx.gemini.prefix();
    let mut lists: Vec<(String, Vec<&str>)> = Vec::new();
    for file in &cx.gemini.settings.files {
        for key in LISTS {
            let entries = file
                .get(key)
                .and_then(serde_json::Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_str)
                .collect();
            lists.push((cx.gemini.paths.display_path(&file.path), entries));
        }
    }
    let mut previous = None;
    for rule in &cx.gemini.policies.rules {
        let position = Some((&rule.file, rule.index));
        match lists.last_mut() {
            Some((_, entries)) if position == previous => entries.push(&rule.tool),
            _ => lists.push((cx.gemini.paths.display_path(&rule.file), vec![&rule.tool])),
        }
        previous = position;
    }
    let mut findings = Vec::new();
    for (file, entries) in lists {
        let tools: Vec<&str> = entries
            .iter()
            .filter_map(|entry| entry.strip_prefix(prefix.as_str()))
            .filter(|name| !prefix.is_empty() && Name::new(name).is_ok())
            .collect();
        if tools
            .iter()
            .any(|tool| names.iter().any(|name| name == tool))
        {
            let missing = tools
                .into_iter()
                .filter(|tool| !names.iter().any(|name| name == tool));
            findings.extend(missing.map(|tool| missing_tool(tool, &file, names)));
        }
    }
    findings
}

/// Names in the first column of tables with the header `Tool`.
fn in_document(file: &Path, names: &[String], root: &Path) -> Vec<Finding> {
    let Ok(text) = Text::read(&root.join(file), file, &ReadScope::project(root)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut in_tool_table = false;
    for line in text.as_str().lines() {
        let Some(row) = line.trim().strip_prefix('|') else {
            in_tool_table = false;
            continue;
        };
        let cell = row.split('|').next().unwrap_or_default().trim();
        if matches!(cell.to_lowercase().as_str(), "tool" | "tools") {
            in_tool_table = true;
            continue;
        }
        let quoted = cell.split('`').nth(1).filter(|_| in_tool_table);
        let missing = quoted.filter(|name| !names.iter().any(|known| known == name));
        if let Some(tool) = missing.filter(|name| Name::new(name).is_ok()) {
            findings.push(missing_tool(tool, &file.display().to_string(), names));
        }
    }
    findings
}

fn missing_tool(tool: &str, file: &str, names: &[String]) -> Finding {
    let suggestion = did_you_mean(tool, names.iter().map(String::as_str));
    let message = format!("{file} names the tool `{tool}`, which does not exist");
    let fix = suggestion.map_or_else(
        || format!("remove `{tool}` from {file}"),
        |suggestion| format!("correct {file}: {suggestion}"),
    );
    Finding::warning(message).hint(fix)
}
