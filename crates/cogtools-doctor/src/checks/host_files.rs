//! The files of other hosts: whether they can be read, and whether the server in them can be
//! started.

use std::path::Path;

use cogtools_gemini_cli::connection::runs_cogtools;

use crate::checks::mcp::{missing_program, names_cogtools};
use crate::context::Context;
use crate::finding::Finding;
use crate::host_files::{HostFile, TABLES};
use crate::program::find;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let files = cx.host_files.iter();
    files.flat_map(|file| check_file(file, cx)).collect()
}

fn check_file(file: &HostFile, cx: &Context) -> Vec<Finding> {
    let (path, host) = (&shown(file, cx), file.host.name);
    let value = match &file.value {
        Ok(value) => value,
        Err(diagnostic) => {
            let message = format!("{}: {host} has no tools", diagnostic.summary());
            let problem = Finding::problem(message);
            return vec![if file.repair.is_some() {
                problem.fixable()
            } else {
                problem.hint(format!("correct {path}"))
            }];
        }
    };
    if !value.is_object() {
        let message = format!("{path} is not an object: {host} has no tools");
        return vec![Finding::problem(message).hint(format!("make {path} an object"))];
    }
    let mut findings = Vec::new();
    for (name, server) in file.servers(file.host.table) {
        if names_cogtools(server) {
            findings.push(check_server(name, server, file, cx));
        }
    }
    if findings.is_empty()
        && let Some(table) = wrong_table(file)
    {
        let right = file.host.table;
        let message = format!("{path} has `{table}`, but {host} reads `{right}`");
        let fix = format!("cogtools init --host {}", file.host.key);
        findings.push(Finding::problem(message).fix(fix));
    }
    findings
}

fn check_server(name: &str, server: &serde_json::Value, file: &HostFile, cx: &Context) -> Finding {
    let (path, host) = (&shown(file, cx), file.host.name);
    let command = server["command"].as_str().unwrap_or_default();
    if !runs_cogtools(server) {
        let message = format!("the server `{name}` in {path} starts `{command}` without `mcp`");
        let right = if file.is_users {
            "[\"mcp\", \"--project\", FOLDER]"
        } else {
            "[\"mcp\"]"
        };
        return Finding::problem(message).hint(format!("set its `args` in {path} to {right}"));
    }
    if let Some(folder) = missing_folder(server) {
        let message = format!(
            "the server `{name}` in {path} serves the project in {folder}, which does not exist"
        );
        return Finding::warning(message).hint(format!("correct it, or remove `{name}`"));
    }
    if find(command, &cx.host).is_some() {
        return Finding::ok(format!("`{name}` in `{path}` serves {host}"));
    }
    let place = if Path::new(command).components().count() > 1 {
        "does not exist"
    } else {
        "is not on PATH"
    };
    let message = format!("the server `{name}` in {path}: `{command}` {place}");
    missing_program(Finding::problem(message), command, path, cx)
}

/// The folder that the server serves, if it is an absolute path to nothing.
fn missing_folder(server: &serde_json::Value) -> Option<&str> {
    let args = server["args"].as_array()?;
    let at = args.iter().position(|arg| arg == "--project")?;
    let folder = args.get(at + 1)?.as_str()?;
    let path = Path::new(folder);
    (path.is_absolute() && !path.is_dir()).then_some(folder)
}

/// The path of `file`, as shown.
fn shown(file: &HostFile, cx: &Context) -> String {
    cx.gemini.paths.display_path(Path::new(&file.path))
}

/// The key of another host that has our server.
fn wrong_table(file: &HostFile) -> Option<&'static str> {
    TABLES.into_iter().find(|table| {
        let mut servers = file.servers(table);
        *table != file.host.table && servers.any(|(_, server)| names_cogtools(server))
    })
}
