//! The discovery command, run as Gemini CLI runs it.

use crate::context::Context;
use crate::discovery::Discovery;
use crate::finding::Finding;
use crate::process::first_line;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    if cx.gemini.uses_server() {
        let message =
            "skipped: Gemini CLI lists the tools of the MCP server, which is not started here";
        return vec![Finding::ok(message)];
    }
    let (names, stderr) = match &cx.discovery {
        Discovery::NotRun(why) => {
            return vec![
                Finding::warning(format!("skipped: {why}"))
                    .hint("this is checked when the problems above are fixed"),
            ];
        }
        Discovery::Failed(why) => {
            let command = cx.gemini.discovery_command().unwrap_or_default();
            let message = format!("`{command}` {why}: Gemini CLI does not start");
            return vec![Finding::problem(message).hint(format!("to see it, run: {command}"))];
        }
        Discovery::Done { names, stderr } => (names, stderr),
    };
    let mut findings = vec![Finding::ok(describe_names(names))];
    let undeclared: Vec<&str> = cx
        .tools
        .valid()
        .map(|tool| tool.name().as_str())
        .filter(|name| !names.iter().any(|declared| declared == name))
        .collect();
    if !undeclared.is_empty() {
        let message = format!(
            "the discovery command does not declare {}",
            undeclared.join(", ")
        );
        let fix = "set the discovery command to \"cogtools-discover\"";
        findings.push(Finding::problem(message).hint(fix));
    }
    findings.extend(duplicate_names(names));
    findings.extend(stderr_finding(stderr, names, cx));
    findings
}

/// Duplicate names: Gemini CLI silently keeps the last tool of each name.
fn duplicate_names(names: &[String]) -> Option<Finding> {
    let (_, first) = names
        .iter()
        .enumerate()
        .find(|(index, name)| names[..*index].contains(name))?;
    let message = format!("declares {first} more than once, and the last one wins");
    Some(Finding::warning(message).hint("remove all but one of them"))
}

/// Reports skipped files and standard error, which Gemini CLI does not show.
fn stderr_finding(stderr: &[u8], names: &[String], cx: &Context) -> Option<Finding> {
    let skipped: Vec<&str> = cx
        .tools
        .files
        .iter()
        .filter(|file| file.tool.is_err())
        .map(|file| file.name.as_str())
        .filter(|name| !names.iter().any(|declared| declared == name))
        .collect();
    if stderr.is_empty() {
        return None;
    }
    let line = first_line(stderr);
    let message = match skipped.as_slice() {
        [] => format!("writes to stderr, which Gemini CLI does not show: {line}"),
        skipped => format!(
            "skips {} and reports it only on stderr, which Gemini CLI does not show: {line}",
            skipped.join(", ")
        ),
    };
    let command = cx.gemini.discovery_command().unwrap_or_default();
    Some(Finding::warning(message).hint(format!("to see all of it, run: {command} > /dev/null")))
}

fn describe_names(names: &[String]) -> String {
    match names {
        [] => "runs, and declares no tools".into(),
        [one] => format!("runs, and declares 1 tool: {one}"),
        [first, .., last] => format!(
            "runs, and declares {} tools, {first} to {last}",
            names.len()
        ),
    }
}
