//! The discovery command, run as Gemini CLI runs it.

use serde_json::Value;

use crate::context::Context;
use crate::finding::Finding;
use crate::host::{Gemini, Host};
use crate::program::{Program, RunError, first_line, run};

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    if cx.gemini.uses_server() {
        let message = "not needed: Gemini CLI lists the tools of the MCP server";
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

/// The outcome of discovery.
#[derive(Debug)]
pub(crate) enum Discovery {
    /// It was not run, for this reason.
    NotRun(String),
    /// Gemini CLI would not start, or would see no tools, for this reason.
    Failed(String),
    /// The names of the tools that it would see, and the text on standard error.
    Done { names: Vec<String>, stderr: Vec<u8> },
}

/// Runs the discovery command of `gemini` on `host`.
pub(crate) fn discover(gemini: &Gemini, host: &Host) -> Discovery {
    let Some(command) = gemini.discovery_command() else {
        return Discovery::NotRun("no settings file sets a discovery command".into());
    };
    let Some(program) = Program::discovery(command, host) else {
        return Discovery::NotRun(format!("`{command}` is not a valid command line"));
    };
    let Some(file) = &program.file else {
        return Discovery::NotRun(format!("`{}` is not on PATH", program.name));
    };
    if !program.may_run(&gemini.trust) {
        let why = "is not a cogtools program, and the folder is not trusted";
        return Discovery::NotRun(format!("`{}` {why}", program.name));
    }
    let output = match run(file, &program.args, b"", host) {
        Err(error @ RunError::Untrusted) => {
            return Discovery::NotRun(format!("`{}` {error}", program.name));
        }
        Err(error) => return Discovery::Failed(error.to_string()),
        Ok(output) => output,
    };
    if !output.exit.is_success() {
        let line = first_line(&output.stderr.bytes);
        return Discovery::Failed(format!("{}: {line}", output.exit.describe()));
    }
    match parse_names(&output.stdout.bytes) {
        Ok(names) => Discovery::Done {
            names,
            stderr: output.stderr.bytes,
        },
        Err(why) => Discovery::Failed(why),
    }
}

/// The names in a list of declarations, parsed as Gemini CLI does.
fn parse_names(stdout: &[u8]) -> Result<Vec<String>, String> {
    let text = String::from_utf8_lossy(stdout);
    let value: Value = serde_json::from_str(text.trim())
        .map_err(|error| format!("printed invalid JSON: {error}"))?;
    let Value::Array(items) = value else {
        return Err("printed JSON that is not an array".into());
    };
    let mut names = Vec::new();
    for item in &items {
        let wrapped = ["function_declarations", "functionDeclarations"]
            .iter()
            .find_map(|key| item.get(*key)?.as_array());
        let declarations = wrapped.map_or(std::slice::from_ref(item), Vec::as_slice);
        let declared = declarations.iter().filter_map(|it| it["name"].as_str());
        names.extend(declared.map(str::to_owned));
    }
    Ok(names)
}
