//! The files of other hosts: whether they can be read, and whether the server in them starts.

use std::path::Path;

use cogtools_gemini_cli::connection::runs_cogtools;
use cogtools_gemini_cli::mcp_host::words;
use cogtools_gemini_cli::{EntryForm, McpHost};
use serde_json::Value;

use crate::checks::mcp::{missing_program, names_cogtools, tried};
use crate::context::Context;
use crate::finding::Finding;
use crate::host_files::HostFile;
use crate::program::find;
use crate::trial::Trials;

pub(crate) fn check(cx: &Context, trials: &mut Trials) -> Vec<Finding> {
    let files = cx.host_files.iter();
    files
        .flat_map(|file| check_file(file, cx, trials))
        .collect()
}

fn check_file(file: &HostFile, cx: &Context, trials: &mut Trials) -> Vec<Finding> {
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
            findings.push(check_server(name, server, file, cx, trials));
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

fn check_server(
    name: &str,
    server: &Value,
    file: &HostFile,
    cx: &Context,
    trials: &mut Trials,
) -> Finding {
    let (path, host) = (&shown(file, cx), file.host.name);
    let command = words(server).first().copied().unwrap_or_default();
    if !runs_cogtools(server) {
        let message = format!("the server `{name}` in {path} starts `{command}` without `mcp`");
        let (key, right) = arguments(file);
        return Finding::problem(message).hint(format!("set its `{key}` in {path} to {right}"));
    }
    if let Some(folder) = missing_folder(server) {
        let message = format!(
            "the server `{name}` in {path} serves the project in {folder}, which does not exist"
        );
        return Finding::warning(message).hint(format!("correct it, or remove `{name}`"));
    }
    if find(command, &cx.host).is_some() {
        let serves = format!("`{name}` in `{path}` serves {host}");
        return tried(trials.run(server, &cx.host), serves, name, path);
    }
    let place = if Path::new(command).components().count() > 1 {
        "does not exist"
    } else {
        "is not on PATH"
    };
    let message = format!("the server `{name}` in {path}: `{command}` {place}");
    missing_program(Finding::problem(message), command, path, cx)
}

/// The key of the arguments in `file`, and what they must be.
fn arguments(file: &HostFile) -> (&'static str, &'static str) {
    match (file.host.form, file.is_users) {
        (EntryForm::List, _) => ("command", "[\"cogtools\", \"mcp\"]"),
        (_, true) => ("args", "[\"mcp\", \"--project\", FOLDER]"),
        (_, false) => ("args", "[\"mcp\"]"),
    }
}

/// The folder that the server serves, if it is an absolute path to nothing.
fn missing_folder(server: &Value) -> Option<&str> {
    let words = words(server);
    let at = words.iter().position(|word| *word == "--project")?;
    let folder = *words.get(at + 1)?;
    let path = Path::new(folder);
    (path.is_absolute() && !path.is_dir()).then_some(folder)
}

/// The path of `file`, as shown.
fn shown(file: &HostFile, cx: &Context) -> String {
    cx.gemini.paths.display_path(Path::new(&file.path))
}

/// The key of another host that has our server.
fn wrong_table(file: &HostFile) -> Option<&'static str> {
    let tables = McpHost::ALL.into_iter().map(|host| host.table);
    let mut tables = tables.filter(|table| *table != file.host.table);
    tables.find(|table| {
        let mut servers = file.servers(table);
        servers.any(|(_, server)| names_cogtools(server))
    })
}
