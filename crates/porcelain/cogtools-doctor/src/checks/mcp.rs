//! The MCP servers in the settings: their programs are located, and ours is tried.

use std::path::Path;

use cogtools_core::pluralize;
use cogtools_gemini_cli::command::DISCOVER;
use cogtools_gemini_cli::connection::runs_cogtools;
use cogtools_gemini_cli::mcp_host::words;
use serde_json::Value;

use super::commands::path_remedy;
use super::host_files;
use crate::context::Context;
use crate::finding::Finding;
use crate::package_manager::install_command;
use crate::program::{Program, find, program_name};
use crate::trial::{Outcome, Trials};

/// The program that serves the project's tools over MCP.
const SERVER: &str = "cogtools-mcp";
/// The program that has it as a subcommand.
const CLI: &str = "cogtools";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut trials = Trials::default();
    for file in &cx.gemini.settings.files {
        let shown = cx.gemini.paths.display_path(&file.path);
        match file.get("mcpServers") {
            None => {}
            Some(Value::Object(servers)) => {
                for (name, server) in servers {
                    findings.extend(check_server(name, server, &shown, cx, &mut trials));
                }
            }
            Some(_) => {
                let message = format!("`mcpServers` in {shown} is not an object");
                findings
                    .push(Finding::problem(message).hint(format!("make it an object in {shown}")));
            }
        }
    }
    if findings.is_empty() {
        findings.push(Finding::ok("no MCP servers in the settings"));
    }
    findings.extend(host_files::check(cx, &mut trials));
    findings
}

fn check_server(
    name: &str,
    server: &Value,
    file: &str,
    cx: &Context,
    trials: &mut Trials,
) -> Vec<Finding> {
    let mut findings = vec![server_program(name, server, file, cx, trials)];
    if name.contains('_') {
        let message = format!(
            "the server `{name}` in {file} has a `_` in its name, which Gemini CLI takes for the end of the name"
        );
        findings.push(Finding::warning(message).hint(format!("rename it in {file}")));
    }
    let prefix = format!("mcp_{name}_");
    let names = cx.names();
    if let Some(tool) = names.iter().find(|tool| tool.starts_with(&prefix)) {
        let message = format!("the tool `{tool}` has the name prefix of the server `{name}`");
        findings.push(Finding::warning(message).hint("rename the tool, or the server"));
    }
    let discovers = cx
        .gemini
        .discovery_command()
        .and_then(|command| Program::discovery(command, &cx.host))
        .is_some_and(|program| program_name(&program.name) == DISCOVER);
    if discovers && runs_cogtools(server) {
        let message = format!(
            "the server `{name}` in {file} serves the tools that discovery declares: every \
             tool is declared twice"
        );
        findings.push(Finding::warning(message).hint(format!("remove `{name}` from {file}")));
    }
    findings
}

/// Checks that the server's program exists, and that ours works; remote servers are not
/// contacted.
fn server_program(
    name: &str,
    server: &Value,
    file: &str,
    cx: &Context,
    trials: &mut Trials,
) -> Finding {
    let Some(command) = server["command"].as_str() else {
        let remote_keys = ["url", "httpUrl", "tcp"];
        if remote_keys.iter().any(|key| server.get(*key).is_some()) {
            return Finding::ok(format!("`{name}` is a remote server, not contacted here"));
        }
        let message = format!("the server `{name}` in {file} has no `command` and no `url`");
        return Finding::problem(message).hint(format!("add one of them in {file}"));
    };
    if let Some(program) = find(command, &cx.host) {
        let program = cx.gemini.paths.display_path(&program);
        let started = format!("`{name}` is started by `{program}`");
        return tried(trials.run(server, &cx.host), started, name, file);
    }
    let message = format!("the server `{name}` in {file}: `{command}` is not on PATH");
    missing_program(Finding::problem(message), command, file, cx)
}

/// The finding that `works`, unless the trial of the server `name` in `file` failed.
pub(super) fn tried(outcome: Option<Outcome>, works: String, name: &str, file: &str) -> Finding {
    match outcome {
        Some(Err(error)) => Finding::problem(format!("the server `{name}` in {file} {error}"))
            .hint("to see it, run: cogtools mcp < /dev/null"),
        Some(Ok(Some(count))) => Finding::ok(format!("{works}, with {}", pluralize(count, "tool"))),
        Some(Ok(None)) => Finding::ok(works),
        None => Finding::ok(format!("{works}, not tried here")),
    }
}

/// `finding`, that `command` in `file` is not on PATH, with what makes it available.
pub(super) fn missing_program(
    finding: Finding,
    command: &str,
    file: &str,
    cx: &Context,
) -> Finding {
    let ours = [CLI, SERVER].contains(&command);
    if ours && find(command, &cx.host).is_none() {
        return finding.remedy(path_remedy(cx));
    }
    if Path::new(command).components().count() > 1 {
        return finding.hint(format!("name a program that exists in {file}"));
    }
    match install_command(command, &cx.host) {
        Some(line) => finding.fix(line),
        None => finding.hint(format!(
            "install {command}, or name another program in {file}"
        )),
    }
}

/// Returns true if the server's command is a program of ours.
pub(crate) fn names_cogtools(server: &Value) -> bool {
    let words = words(server);
    let program = words.first().copied().map(program_name);
    program.is_some_and(|name| name == CLI || name == SERVER) || runs_cogtools(server)
}
