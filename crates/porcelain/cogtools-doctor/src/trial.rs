//! The MCP server of an entry, started as its host starts it: it must answer `initialize` and
//! list its tools.
//!
//! Only our own server is started, and only as `init` configures it, or with fewer tools. What else
//! an entry has, such as variables, was chosen by the author of the file, who is not asked here.

use std::path::Path;

use cogtools_gemini_cli::connection::runs_cogtools;
use cogtools_gemini_cli::mcp_host::words;
use serde_json::{Value, json};

use crate::host::Host;
use crate::process::{self, Output, RunError};
use crate::program::{find, program_name};

/// The variable that editors replace with the project's folder.
const FOLDER: &str = "${workspaceFolder}";
/// The options of a server that choose its project, and its tools.
const PROJECT: &str = "--project";
const LOCKED: &str = "--locked";
const SELECTIONS: [&str; 6] = [
    "--tools",
    "--exclude",
    "--toolset",
    "--host",
    "--api",
    "--budget",
];
/// The keys with variables of an entry.
const VARIABLES: [&str; 3] = ["env", "environment", "envs"];
/// The ID of the request that lists the tools.
const LIST_ID: u64 = 2;

/// The number of tools that a server lists, if it says so in time.
pub(crate) type Outcome = Result<Option<usize>, TrialError>;

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
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (option, value) = match arg.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (arg.as_str(), None),
        };
        if option == LOCKED && value.is_none() {
            continue;
        }
        let value = value.or_else(|| args.next().map(String::as_str));
        let is_known = match value {
            Some(folder) if option == PROJECT => Path::new(folder).is_absolute(),
            Some(_) => SELECTIONS.contains(&option),
            None => false,
        };
        if !is_known {
            return false;
        }
    }
    true
}

fn start(line: &[String], host: &Host) -> Outcome {
    let [program, args @ ..] = line else {
        return Ok(None);
    };
    let Some(program) = find(program, host) else {
        return Err(TrialError::Run("is not on PATH".to_owned()));
    };
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match process::run(&program, &args, requests().as_bytes(), host) {
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
    let text = String::from_utf8_lossy(&output.stdout);
    let mut messages = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(message) if message["jsonrpc"] == "2.0" => messages.push(message),
            _ => return Err(TrialError::Stray(process::first_line(line.as_bytes()))),
        }
    }
    let result = |id: u64| {
        let mut messages = messages.iter();
        messages.find_map(|message| message.get("result").filter(|_| message["id"] == id))
    };
    if result(1).is_none() {
        return Err(TrialError::Ended {
            exit: output.exit.describe(),
            line: process::first_line(&output.stderr),
        });
    }
    let tools = result(LIST_ID).and_then(|result| result["tools"].as_array());
    Ok(tools.map(Vec::len))
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
