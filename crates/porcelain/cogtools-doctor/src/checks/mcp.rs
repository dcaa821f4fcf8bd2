//! The MCP servers in the settings: their programs are located, and ours is tried.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use cogtools_core::Diagnostic;
use cogtools_core::process::Output;
use cogtools_edit::host::DISCOVER;
use cogtools_edit::host::connection::runs_cogtools;
use cogtools_edit::host::mcp_host::{project, words};
use cogtools_edit::host::{EntryForm, McpHost, Vars};
use cogtools_edit::jsonc::Dialect;
use cogtools_edit::{Change, Existing, Format, jsonc};
use serde_json::{Value, json};

use crate::context::Context;
use crate::finding::Finding;
use crate::host::Host;

use super::commands::path_remedy;
use super::selection;
use crate::program::{Program, RunError, find, first_line, install_command, program_name, run};

/// The program that serves the project's tools over MCP.
const SERVER: &str = "cogtools-mcp";
/// The program that has it as a subcommand.
const CLI: &str = "cogtools";

/// The entry of a server in a file, by its path as shown.
#[derive(Clone, Copy)]
struct Entry<'e> {
    name: &'e str,
    server: &'e Value,
    file: &'e str,
}

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut trials = Trials::default();
    for file in &cx.gemini.settings.files {
        let file_name = cx.gemini.paths.display_path(&file.path);
        match file.get("mcpServers") {
            None => {}
            Some(Value::Object(servers)) => {
                for (name, server) in servers {
                    let entry = Entry {
                        name,
                        server,
                        file: &file_name,
                    };
                    findings.extend(entry.check(cx, &mut trials));
                }
            }
            Some(_) => {
                let message = format!("`mcpServers` in {file_name} is not an object");
                let hint = format!("make it an object in {file_name}");
                findings.push(Finding::problem(message).hint(hint));
            }
        }
    }
    if findings.is_empty() && cx.is_for_gemini() {
        findings.push(Finding::ok("no MCP servers in the settings"));
    }
    let of_hosts = cx.host_files.iter();
    findings.extend(of_hosts.flat_map(|file| check_file(file, cx, &mut trials)));
    findings
}

impl Entry<'_> {
    /// Checks the entry of a server in the settings of Gemini CLI.
    fn check(self, cx: &Context, trials: &mut Trials) -> Vec<Finding> {
        let Self { name, server, file } = self;
        let mut findings = vec![self.check_program(cx, trials)];
        if names_cogtools(server) {
            findings.extend(selection::in_entry(name, server, file, cx));
            findings.extend(selection::in_settings(name, cx));
        }
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
    fn check_program(self, cx: &Context, trials: &mut Trials) -> Finding {
        let Self { name, server, file } = self;
        let Some(command) = server["command"].as_str() else {
            let remote_keys = ["url", "httpUrl", "tcp"];
            if remote_keys.iter().any(|key| server.get(*key).is_some()) {
                return Finding::ok(format!("`{name}` is a remote server, not contacted here"));
            }
            let message = format!("the server `{name}` in {file} has no `command` and no `url`");
            return Finding::problem(message).hint(format!("add one of them in {file}"));
        };
        if names_cogtools(server) && !runs_cogtools(server) {
            return self.without_subcommand(command, ("args", "[\"mcp\"]"));
        }
        let Some(program) = find(command, &cx.host) else {
            return self.without_program(command, "is not on PATH", cx);
        };
        let program = cx.gemini.paths.display_path(&program);
        self.tried(&format!("`{name}` is started by `{program}`"), cx, trials)
    }

    /// The finding that the entry starts `command`, but not as a server. `right` is the key with its
    /// arguments, and what they must be.
    fn without_subcommand(self, command: &str, (key, right): (&str, &str)) -> Finding {
        let Self { name, file, .. } = self;
        let message = format!("the server `{name}` in {file} starts `{command}` without `mcp`");
        Finding::problem(message).hint(format!("set its `{key}` in {file} to {right}"))
    }

    /// The finding that `works`, unless the trial of the server failed.
    fn tried(self, works: &str, cx: &Context, trials: &mut Trials) -> Finding {
        let Self { name, server, file } = self;
        match trials.run(server, &cx.host) {
            Some(Err(error)) => Finding::problem(format!("the server `{name}` in {file} {error}"))
                .hint("to see it, run: cogtools mcp < /dev/null"),
            Some(Ok(Some(listed))) => selection::compared(works, name, &listed, cx),
            Some(Ok(None)) => Finding::ok(works),
            None => Finding::ok(format!("{works}, not tried here")),
        }
    }

    /// The finding that there is no `command`, with what makes it available.
    fn without_program(self, command: &str, place: &str, cx: &Context) -> Finding {
        let Self { name, file, .. } = self;
        let message = format!("the server `{name}` in {file}: `{command}` {place}");
        let finding = Finding::problem(message);
        if [CLI, SERVER].contains(&command) {
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

    /// Checks the entry of our server in the `file` of a host other than Gemini CLI.
    fn check_ours(self, of: &HostFile, cx: &Context, trials: &mut Trials) -> Finding {
        let Self { name, server, file } = self;
        let words = words(server);
        let command = words.first().copied().unwrap_or_default();
        if !runs_cogtools(server) {
            return self.without_subcommand(command, arguments(of));
        }
        let folder = project(&words);
        if let Some(folder) = folder.filter(|folder| !Path::new(folder).is_dir()) {
            let message = format!(
                "the server `{name}` in {file} serves the project in {folder}, which does not exist"
            );
            return Finding::warning(message).hint(format!("correct it, or remove `{name}`"));
        }
        if let Some(folder) = folder.filter(|_| of.host.starts_in_project) {
            let message = format!(
                "the server `{name}` in {file} serves the project in {folder}, in every directory"
            );
            let hint = "remove `--project` and the folder from its arguments";
            return Finding::warning(message).hint(hint);
        }
        if find(command, &cx.host).is_some() {
            let works = format!("`{name}` in `{file}` serves {}", of.host.name);
            return self.tried(&works, cx, trials);
        }
        let place = if Path::new(command).components().count() > 1 {
            "does not exist"
        } else {
            "is not on PATH"
        };
        self.without_program(command, place, cx)
    }
}

/// Returns true if the server's command is a program of ours.
pub(crate) fn names_cogtools(server: &Value) -> bool {
    let words = words(server);
    let program = words.first().copied().map(program_name);
    program.is_some_and(|name| name == CLI || name == SERVER) || runs_cogtools(server)
}

fn check_file(file: &HostFile, cx: &Context, trials: &mut Trials) -> Vec<Finding> {
    let (path, host) = (&shown(file, cx), file.host.name);
    let value = match &file.value {
        Ok(value) => value,
        Err(diagnostic) => {
            let message = format!("{}: {host} has no tools", diagnostic.summary());
            let (is_fixable, advice) = (file.repair.is_some(), format!("correct {path}"));
            return vec![Finding::problem(message).fixable_or(is_fixable, advice)];
        }
    };
    if !value.is_object() {
        let message = format!("{path} is not an object: {host} has no tools");
        return vec![Finding::problem(message).hint(format!("make {path} an object"))];
    }
    let mut findings = Vec::new();
    for (name, server) in file.servers(file.host.table) {
        if names_cogtools(server) {
            let entry = Entry {
                name,
                server,
                file: path,
            };
            findings.push(entry.check_ours(file, cx, trials));
            findings.extend(selection::in_entry(name, server, path, cx));
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

/// The key of the arguments in `file`, and what they must be.
fn arguments(file: &HostFile) -> (&'static str, &'static str) {
    match (file.host.form, file.is_users) {
        (EntryForm::List, _) => ("command", "[\"cogtools\", \"mcp\"]"),
        (_, true) if !file.host.starts_in_project => ("args", "[\"mcp\", \"--project\", FOLDER]"),
        _ => ("args", "[\"mcp\"]"),
    }
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

/// The variable that editors replace with the project's folder.
const FOLDER: &str = "${workspaceFolder}";
/// The options of a server that choose its tools.
const SELECTIONS: [&str; 7] = [
    "tools",
    "exclude",
    "toolset",
    "host",
    "api",
    "budget",
    "max-tools",
];
/// The keys with variables of an entry.
const VARIABLES: [&str; 3] = ["env", "environment", "envs"];
/// The ID of the request that lists the tools.
const LIST_ID: u64 = 2;

/// The names of the tools that a server lists, if it says so in time.
pub(crate) type Outcome = Result<Option<Vec<String>>, TrialError>;

/// The servers that were tried, each command line once.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    done: Vec<(Vec<String>, Outcome)>,
}

/// Why a server is of no use to a host.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum TrialError {
    #[error("{0}")]
    Run(String),
    #[error("{exit} before it answered: {line}")]
    Ended { exit: String, line: String },
    #[error("prints what is not a message of MCP: {0}")]
    Stray(String),
}

impl Trials {
    /// Tries the server of `entry`; `None` if it is not one to be started here.
    pub(crate) fn run(&mut self, entry: &Value, host: &Host) -> Option<Outcome> {
        let line = startable(entry, host)?;
        if let Some((_, outcome)) = self.done.iter().find(|(done, _)| *done == line) {
            return Some(outcome.clone());
        }
        let outcome = start(&line, host);
        self.done.push((line, outcome.clone()));
        Some(outcome)
    }
}

/// The command line of `entry`, if it is `cogtools mcp` for a project, without variables.
fn startable(entry: &Value, host: &Host) -> Option<Vec<String>> {
    let words = words(entry);
    let (program, args) = words.split_first()?;
    let is_ours =
        runs_cogtools(entry) && ["cogtools", "cogtools-mcp"].contains(&program_name(program));
    // A relative path is one of the project.
    let is_bare = *program == program_name(program);
    let has_variables = VARIABLES.iter().any(|key| {
        let variables = entry.get(*key).and_then(Value::as_object);
        variables.is_some_and(|variables| !variables.is_empty())
    });
    if !is_ours || has_variables || !(is_bare || Path::new(program).is_absolute()) {
        return None;
    }
    let root = host.root.to_str()?;
    let args: Vec<String> = args.iter().map(|arg| arg.replace(FOLDER, root)).collect();
    let rest = match args.as_slice() {
        [first, rest @ ..] if first == "mcp" => rest,
        rest => rest,
    };
    is_plain(rest).then(|| std::iter::once((*program).to_owned()).chain(args).collect())
}

/// Returns true if the options of a server only choose its project and its tools.
fn is_plain(args: &[String]) -> bool {
    let option = |name| Arg::new(name).long(name).action(ArgAction::Append);
    let absolute = |folder: &str| {
        let is_absolute = Path::new(folder).is_absolute();
        is_absolute.then(|| folder.to_owned()).ok_or("no path")
    };
    let command = Command::new(SERVER)
        .no_binary_name(true)
        .args(SELECTIONS.map(option))
        .arg(option("project").value_parser(absolute))
        .arg(option("locked").action(ArgAction::Count));
    command.try_get_matches_from(args).is_ok()
}

fn start(line: &[String], host: &Host) -> Outcome {
    let [program, args @ ..] = line else {
        return Ok(None);
    };
    let Some(program) = find(program, host) else {
        return Err(TrialError::Run("is not on PATH".to_owned()));
    };
    match run(&program, args, requests().as_bytes(), host) {
        Err(RunError::Untrusted) => Ok(None),
        Err(error) => Err(TrialError::Run(error.to_string())),
        Ok(output) => read(&output),
    }
}

/// The first messages of a host; the end of the input ends the server.
fn requests() -> String {
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "cogtools-doctor", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": LIST_ID, "method": "tools/list"});
    format!("{initialize}\n{initialized}\n{list}\n")
}

fn read(output: &Output) -> Outcome {
    let text = String::from_utf8_lossy(&output.stdout.bytes);
    let mut messages = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(message) if message["jsonrpc"] == "2.0" => messages.push(message),
            _ => return Err(TrialError::Stray(first_line(line.as_bytes()))),
        }
    }
    let result = |id: u64| {
        let mut messages = messages.iter();
        messages.find_map(|message| message.get("result").filter(|_| message["id"] == id))
    };
    if result(1).is_none() {
        return Err(TrialError::Ended {
            exit: output.exit.describe(),
            line: first_line(&output.stderr.bytes),
        });
    }
    let tools = result(LIST_ID).and_then(|result| result["tools"].as_array());
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    Ok(tools.map(|tools| tools.iter().map(name).collect()))
}

/// The text that a file about cogtools contains.
const OURS: &str = "cogtools";

/// The file of a host that exists.
#[derive(Debug)]
pub(crate) struct HostFile {
    pub(crate) host: McpHost,
    /// Its path, as shown.
    pub(crate) path: String,
    /// True if it belongs to the user, and not to the project.
    pub(crate) is_users: bool,
    /// The content, or the reason why it cannot be read.
    pub(crate) value: Result<Value, Box<Diagnostic>>,
    /// The change that makes it readable, if only a byte order mark or a comma is in the way.
    pub(crate) repair: Option<Change>,
}

/// The files that exist: the project's at `root` that are about servers, and others, such as
/// the user's, if they name cogtools.
pub(crate) fn gather(root: &Path, vars: &Vars) -> Vec<HostFile> {
    let mut found: Vec<HostFile> = Vec::new();
    for host in McpHost::ALL {
        for path in host.files(vars) {
            // One file of two hosts is one of the first.
            if !found.iter().any(|file| Path::new(&file.path) == path) {
                found.extend(HostFile::read(host, path, root));
            }
        }
    }
    // Those of the project first.
    let (of_user, in_project): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| it.is_users);
    in_project.into_iter().chain(of_user).collect()
}

impl HostFile {
    fn read(host: McpHost, file: PathBuf, root: &Path) -> Option<Self> {
        let path = file.display().to_string();
        let is_users = host.is_users();
        let (value, repair) = match Existing::open(root, &file) {
            Ok(None) => return None,
            Err(error) => {
                let diagnostic = error.diagnostic().with_subject(path.clone());
                (Err(Box::new(diagnostic)), None)
            }
            // The file is about other servers or settings only.
            Ok(Some(existing))
                if (is_users || !host.is_dedicated) && !existing.text.contains(OURS) =>
            {
                return None;
            }
            Ok(Some(existing)) => {
                let value = Format::of(&file).read(host.dialect, &file, &existing.text);
                let value = value.map_err(|conflict| Box::new(conflict.diagnostic()));
                let may_repair = !is_users
                    && host.dialect != Dialect::Strict
                    && value.is_err()
                    && existing.writable().is_ok();
                let repair = may_repair
                    .then(|| jsonc::repair(&file, &existing.text))
                    .flatten();
                let before = existing.text;
                let change = |after| Change::new(root, file, Some(before), after);
                (value, repair.map(change))
            }
        };
        Some(Self {
            host,
            path,
            is_users,
            value,
            repair,
        })
    }

    /// Returns true if the host gets the tools of the project at `root` from this file, or
    /// would if it could read it.
    pub(crate) fn serves(&self, root: &Path) -> bool {
        let is_of_project = |server: &Value| {
            let words = words(server);
            let folder = project(&words);
            let is_shared = self.host.starts_in_project && folder.is_none();
            let mut paths = folder.iter().chain(&words);
            !self.is_users || is_shared || paths.any(|path| Path::new(path) == root)
        };
        let mut servers = self.servers(self.host.table);
        !self.is_users && self.value.is_err()
            || servers.any(|(_, server)| names_cogtools(server) && is_of_project(server))
    }

    /// The servers under `table`.
    pub(crate) fn servers(&self, table: &str) -> impl Iterator<Item = (&String, &Value)> {
        let value = self.value.as_ref().ok();
        let servers = value.and_then(|value| value.get(table)?.as_object());
        servers.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_choose_tools_are_plain() {
        let check = |line: &str, expected: bool| {
            let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            assert_eq!(is_plain(&args), expected, "{line}");
        };
        check("", true);
        check("--project /a", true);
        check("--project=/a --tools x --exclude=y --locked", true);
        check("--api anthropic --budget 500", true);
        check("--project a", false);
        check("--project", false);
        check("--tools", false);
        check("--locked=no", false);
        check("--http 127.0.0.1:0", false);
        check("--sandbox off", false);
        check("--traces", false);
        check("-C /a", false);
    }
}
