//! Headless mode, in which Gemini CLI hides every tool that no policy allows.

use cogtools_edit::host::policy::{Decision, Policies, is_ineffective};
use cogtools_program::terminal::pluralize;

use crate::context::Context;
use crate::finding::Finding;

/// The settings lists that allow tools by name.
const ALLOWED: [&str; 2] = ["tools.allowed", "allowedTools"];
/// The settings lists that hide tools by name.
const EXCLUDED: [&str; 2] = ["tools.exclude", "excludeTools"];

/// The prefix of the names of tools of MCP servers.
const SERVER_PREFIX: &str = "mcp_";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let version = cx.gemini.version();
    if !version.has_policies() {
        let message = format!("skipped: Gemini CLI {version} has no policies");
        return vec![Finding::ok(message)];
    }
    let mut findings: Vec<Finding> = invalid_policies(cx).collect();
    findings.extend(unmatched_wildcards(cx));
    let names = cx.names();
    let denied = denied(cx);
    if names.is_empty() {
        findings.push(Finding::ok("there are no tools to allow"));
    } else if denied.is_empty() {
        let message = "every tool is allowed in headless mode (gemini -p)";
        findings.push(Finding::ok(message));
    } else {
        let (hidden, total) = (denied.len(), names.len());
        let shown = denied[..hidden.min(3)].join(", ");
        let more = if hidden > 3 { ", …" } else { "" };
        let message = format!(
            "headless mode (gemini -p) hides {hidden} of {}: {shown}{more}",
            pluralize(total, "tool")
        );
        findings.push(Finding::warning(message).fix(ALLOW_COMMAND));
    }
    findings
}

/// The command that allows all tools.
const ALLOW_COMMAND: &str = "mkdir -p ~/.gemini/policies && cogtools doctor --policy >> \
                     ~/.gemini/policies/cogtools.toml";

/// The policy that allows the hidden tools; empty if there are none.
pub(crate) fn policy(cx: &Context) -> String {
    let prefix = cx.gemini.prefix();
    let denied = denied(cx).into_iter();
    let denied: Vec<String> = denied.map(|name| format!("{prefix}{name}")).collect();
    if denied.is_empty() {
        return String::new();
    }
    // A wildcard covers tools that are added later; for discovered tools there is none.
    if prefix.starts_with(SERVER_PREFIX) {
        return Policies::allow_rule([format!("{prefix}*").as_str()]);
    }
    Policies::allow_rule(denied.iter().map(String::as_str))
}

/// The tools that headless mode hides.
fn denied(cx: &Context) -> Vec<String> {
    let mut names = cx.names();
    names.retain(|name| !is_allowed(name, cx));
    names
}

fn is_allowed(name: &str, cx: &Context) -> bool {
    let prefix = cx.gemini.prefix();
    let name = format!("{prefix}{name}");
    if cx.gemini.lists(&EXCLUDED, &name) {
        return false;
    }
    match cx.gemini.policies.decide(&name) {
        Some(rule) => rule.decision == Decision::Allow,
        None => cx.gemini.lists(&ALLOWED[..1], &name),
    }
}

fn invalid_policies(cx: &Context) -> impl Iterator<Item = Finding> {
    cx.gemini.policies.ignored.iter().map(|(file, why)| {
        let shown = cx.gemini.paths.display_path(file);
        let message = format!("{shown}: {why}: Gemini CLI ignores the file");
        Finding::warning(message).hint(format!("correct {shown}, or remove it"))
    })
}

/// Wildcards that match nothing.
fn unmatched_wildcards(cx: &Context) -> Vec<Finding> {
    let mut wildcards: Vec<(&str, String)> = cx
        .gemini
        .policies
        .ineffective_rules()
        .map(|rule| (rule.tool.as_str(), cx.gemini.paths.display_path(&rule.file)))
        .collect();
    for key in ALLOWED {
        let listed = cx
            .gemini
            .settings
            .list(key)
            .filter(|(name, _)| is_ineffective(name));
        wildcards
            .extend(listed.map(|(name, file)| (name, cx.gemini.paths.display_path(&file.path))));
    }
    wildcards
        .into_iter()
        .map(|(name, file)| {
            let message =
                format!("`{name}` in {file} matches nothing: Gemini CLI compares full names");
            Finding::warning(message).hint(format!(
                "remove it from {file}; cogtools doctor --policy prints rules with full names"
            ))
        })
        .collect()
}
