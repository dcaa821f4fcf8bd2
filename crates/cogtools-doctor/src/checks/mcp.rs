//! The MCP servers in the settings: their programs are located, never started.

use cogtools_gemini_cli::command::DISCOVER;
use cogtools_gemini_cli::connection::runs_cogtools;
use serde_json::Value;

use super::host_files;
use crate::context::Context;
use crate::finding::Finding;
use crate::program::{Program, find, program_name};

/// The program that serves the project's tools over MCP.
const SERVER: &str = "cogtools-mcp";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &cx.gemini.settings.files {
        let shown = cx.gemini.paths.display_path(&file.path);
        match file.get("mcpServers") {
            None => {}
            Some(Value::Object(servers)) => {
                for (name, server) in servers {
                    findings.extend(check_server(name, server, &shown, cx));
                }
            }
            Some(_) => {
                let message = format!("`mcpServers` in {shown} is not an object");
                findings.push(Finding::problem(message).fix(format!("edit {shown}")));
            }
        }
    }
    if findings.is_empty() {
        findings.push(Finding::ok("no MCP servers in the settings"));
    }
    findings.extend(host_files::check(cx));
    findings
}

fn check_server(name: &str, server: &Value, file: &str, cx: &Context) -> Vec<Finding> {
    let mut findings = vec![server_program(name, server, file, cx)];
    if name.contains('_') {
        let message = format!(
            "the server `{name}` in {file} has a `_` in its name, which Gemini CLI takes for the end of the name"
        );
        findings.push(Finding::warning(message).fix(format!("rename it in {file}")));
    }
    let prefix = format!("mcp_{name}_");
    let names = cx.names();
    if let Some(tool) = names.iter().find(|tool| tool.starts_with(&prefix)) {
        let message = format!("the tool `{tool}` has the name prefix of the server `{name}`");
        findings.push(Finding::warning(message).fix("rename the tool, or the server"));
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
        findings.push(Finding::warning(message).fix(format!("remove `{name}` from {file}")));
    }
    findings
}

/// Checks that the server's program exists; remote servers are not contacted.
fn server_program(name: &str, server: &Value, file: &str, cx: &Context) -> Finding {
    let Some(command) = server["command"].as_str() else {
        let remote_keys = ["url", "httpUrl", "tcp"];
        if remote_keys.iter().any(|key| server.get(*key).is_some()) {
            return Finding::ok(format!("`{name}` is a remote server, not contacted here"));
        }
        let message = format!("the server `{name}` in {file} has no `command` and no `url`");
        return Finding::problem(message).fix(format!("edit {file}"));
    };
    if let Some(program) = find(command, &cx.host) {
        let program = cx.gemini.paths.display_path(&program);
        return Finding::ok(format!("`{name}` is started by `{program}`"));
    }
    let message = format!("the server `{name}` in {file}: `{command}` is not on PATH");
    Finding::problem(message).fix(format!("install {command}, or edit {file}"))
}

/// Whether the server's command is a program of ours.
pub(crate) fn names_cogtools(server: &Value) -> bool {
    let command = server["command"].as_str().map(program_name);
    command.is_some_and(|name| name == "cogtools" || name == SERVER) || runs_cogtools(server)
}
