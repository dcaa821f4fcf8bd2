//! The files of other hosts: whether they can be read, and whether the server in them can be
//! started.

use cogtools_gemini_cli::connection::runs_cogtools;

use crate::checks::commands::path_hint;
use crate::checks::mcp::names_cogtools;
use crate::context::Context;
use crate::finding::Finding;
use crate::host_files::{HostFile, TABLES};
use crate::program::find;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let files = cx.host_files.iter();
    files.flat_map(|file| check_file(file, cx)).collect()
}

fn check_file(file: &HostFile, cx: &Context) -> Vec<Finding> {
    let (path, host) = (file.of.path, file.of.host);
    let value = match &file.value {
        Ok(value) => value,
        Err(diagnostic) => {
            let message = format!("{}: {host} has no tools", diagnostic.summary());
            let problem = Finding::problem(message);
            return vec![if file.repair.is_some() {
                problem.fixable()
            } else {
                problem.fix(format!("edit {path}"))
            }];
        }
    };
    if !value.is_object() {
        let message = format!("{path} is not an object: {host} has no tools");
        return vec![Finding::problem(message).fix(format!("edit {path}"))];
    }
    let mut findings = Vec::new();
    for (name, server) in file.servers(file.of.table) {
        if names_cogtools(server) {
            findings.push(check_server(name, server, file, cx));
        }
    }
    if findings.is_empty()
        && let Some(table) = wrong_table(file)
    {
        let right = file.of.table;
        let message = format!("{path} has `{table}`, but {host} reads `{right}`");
        let fix = format!("cogtools init --host {}", file.of.key);
        findings.push(Finding::problem(message).fix(fix));
    }
    findings
}

fn check_server(name: &str, server: &serde_json::Value, file: &HostFile, cx: &Context) -> Finding {
    let (path, host) = (file.of.path, file.of.host);
    let command = server["command"].as_str().unwrap_or_default();
    if !runs_cogtools(server) {
        let message = format!("the server `{name}` in {path} starts `{command}` without `mcp`");
        return Finding::problem(message).fix(format!("set its `args` in {path} to [\"mcp\"]"));
    }
    if find(command, &cx.host).is_some() {
        return Finding::ok(format!("`{name}` in `{path}` serves {host}"));
    }
    let message = format!("the server `{name}` in {path}: `{command}` is not on PATH");
    Finding::problem(message).fix(path_hint(cx))
}

/// The key of another host that has our server.
fn wrong_table(file: &HostFile) -> Option<&'static str> {
    TABLES.into_iter().find(|table| {
        let mut servers = file.servers(table);
        *table != file.of.table && servers.any(|(_, server)| names_cogtools(server))
    })
}
