//! Lists and switches that hide a server, or its tools, from a host: in its entry, in the settings
//! of Gemini CLI, and in the configuration of cogtools.

use std::path::Path;

use cogtools_core::{ConfigPaths, pluralize};
use serde_json::Value;

use crate::context::Context;
use crate::finding::Finding;

/// Keys of an entry with the only tools that a host shows, as hosts name them.
const ONLY: [&str; 4] = [
    "includeTools",
    "include_tools",
    "enabledTools",
    "enabled_tools",
];
/// Keys of an entry with the tools that a host hides.
const HIDDEN: [&str; 4] = [
    "excludeTools",
    "exclude_tools",
    "disabledTools",
    "disabled_tools",
];
/// The settings of Gemini CLI with the only servers that it starts, from 0.3 and before.
const ALLOWED: [&str; 2] = ["mcp.allowed", "allowMCPServers"];
/// The settings of Gemini CLI with the servers that it does not start, from 0.3 and before.
const EXCLUDED: [&str; 2] = ["mcp.excluded", "excludeMCPServers"];
/// The variables that choose tools.
const CHOOSING: [&str; 3] = ["COGTOOLS_TOOLS", "COGTOOLS_EXCLUDE", "COGTOOLS_TOOLSETS"];

/// The texts in a list.
pub(crate) fn texts(list: &Value) -> Vec<&str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

/// Findings about `entry`, the server `name` of cogtools in `file`: switched off, or tools that its
/// lists hide.
pub(super) fn in_entry(name: &str, entry: &Value, file: &str, cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_off = entry["disabled"] == true || entry["enabled"] == false;
    if is_off {
        let message = format!("the server `{name}` in {file} is switched off");
        let key = if entry["disabled"] == true {
            "disabled"
        } else {
            "enabled"
        };
        findings.push(Finding::problem(message).hint(format!("remove its `{key}` from {file}")));
    }
    let names = cx.tools.valid_names();
    // A list may name a tool with its arguments.
    let lists = |key: &str, tool: &String| {
        let mut items = texts(&entry[key]).into_iter();
        items.any(|item| item.split('(').next() == Some(tool) || item == "*")
    };
    for (keys, is_only) in [(ONLY, true), (HIDDEN, false)] {
        for key in keys.iter().filter(|key| entry.get(**key).is_some()) {
            let hidden: Vec<&str> = names
                .iter()
                .filter(|tool| lists(key, tool) != is_only)
                .map(String::as_str)
                .collect();
            if hidden.is_empty() {
                continue;
            }
            let message = format!(
                "`{key}` of the server `{name}` in {file} hides {}: {}",
                of(hidden.len(), names.len()),
                hidden.join(", ")
            );
            let finding = if hidden.len() == names.len() {
                Finding::problem(message)
            } else {
                Finding::warning(message)
            };
            findings.push(finding.hint(format!("correct its `{key}` in {file}")));
        }
    }
    findings
}

/// Findings about the server `name` of cogtools in the lists of servers of Gemini CLI.
pub(super) fn in_settings(name: &str, cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (keys, is_allowed) in [(ALLOWED, true), (EXCLUDED, false)] {
        for key in keys {
            let Some((list, file)) = cx.gemini.settings.get(key) else {
                continue;
            };
            if !list.is_array() || texts(list).contains(&name) == is_allowed {
                continue;
            }
            let shown = cx.gemini.paths.display_path(&file.path);
            let (does, cure) = if is_allowed {
                ("does not list", "add it")
            } else {
                ("lists", "remove it")
            };
            let message =
                format!("`{key}` in {shown} {does} `{name}`: Gemini CLI does not start the server");
            findings.push(Finding::problem(message).hint(format!("{cure} in {shown}")));
        }
    }
    findings
}

/// The finding that `works`, for a server that lists the tools `listed`: compared with the valid
/// tools of the project.
pub(super) fn compared(works: &str, name: &str, listed: &[String], cx: &Context) -> Finding {
    let valid = cx.tools.valid_names();
    let missing: Vec<&str> = valid
        .iter()
        .filter(|tool| !listed.contains(tool))
        .map(String::as_str)
        .collect();
    if missing.is_empty() || !listed.is_empty() && listed.iter().any(|tool| tool == "find_tool") {
        return Finding::ok(format!("{works}, with {}", pluralize(listed.len(), "tool")));
    }
    if !listed.is_empty() {
        let with = of(listed.len(), listed.len() + missing.len());
        let more = format!("not listed: {}", missing.join(", "));
        return Finding::ok(format!("{works}, with {with}")).with_details(vec![more]);
    }
    let count = pluralize(valid.len(), "tool");
    let message = format!("the server `{name}` lists no tools, but the project has {count}");
    correct_filter(Finding::problem(message), cx)
}

/// `finding`, that a filter hides every tool, with the place of the filter.
pub(super) fn correct_filter(finding: Finding, cx: &Context) -> Finding {
    let set = |variable: &&str| {
        let value = cx.host.vars.get(std::ffi::OsStr::new(*variable));
        value.is_some_and(|value| !value.is_empty())
            || cx.dotenv.iter().any(|(name, _)| name == *variable)
    };
    match CHOOSING.iter().find(|variable| set(variable)) {
        Some(variable) => finding.hint(format!("correct the variable `{variable}`")),
        None => finding.hint("correct `filter`; cogtools config list --show-origin shows it"),
    }
}

/// `part` of `all` tools.
fn of(part: usize, all: usize) -> String {
    if part == all {
        return "every tool".to_owned();
    }
    format!("{part} of {}", pluralize(all, "tool"))
}

/// Findings about variables of the project's .env that are named as ours and set nothing.
pub(super) fn unknown_variables(cx: &Context) -> Vec<Finding> {
    let lines = cx.dotenv.iter();
    let unknown = lines.filter(|(name, _)| ConfigPaths::is_unknown_variable(name));
    unknown
        .map(|(name, line)| {
            let message = format!(".env:{line}: `{name}` sets nothing");
            let finding = Finding::warning(message);
            match cogtools_core::suggest::did_you_mean(name, ConfigPaths::variable_names()) {
                Some(hint) => finding.hint(hint),
                None => finding.hint("cogtools help cogtoolrc lists the variables"),
            }
        })
        .collect()
}

/// The finding that packages are sources of tools, and none is installed.
pub(super) fn missing_packages(cx: &Context) -> Option<Finding> {
    let root = cx.root();
    let has = |file: &str| root.join(file).exists();
    if !cx.uses_packages || !has("package.json") {
        return None;
    }
    let mut folders = root
        .ancestors()
        .map(|folder: &Path| folder.join("node_modules"));
    if folders.any(|folder| folder.is_dir()) {
        return None;
    }
    let install = match () {
        () if has("pnpm-lock.yaml") => "pnpm install",
        () if has("yarn.lock") => "yarn install",
        () if has("bun.lock") || has("bun.lockb") => "bun install",
        () => "npm install",
    };
    let message =
        "tools of packages are used, but no packages are installed: there is no node_modules";
    Some(Finding::problem(message).fix(install))
}
