//! The entry of our MCP server in a host's configuration.

use std::path::Path;

use cogtools_edit::Entry;
use cogtools_edit::host::EntryForm;
use cogtools_edit::host::connection::{SERVERS, runs_cogtools};
use cogtools_edit::host::mcp_host::{project, words};
use serde_json::{Map, Value, json};

/// The default name of the entry.
pub(crate) const NAME: &str = "cogtools";
/// The option that chooses a project.
const PROJECT: &str = "--project";
/// The label that Goose shows, and its own default timeout of a call.
const DESCRIPTION: &str = "The tools of a project";
const TIMEOUT_SECONDS: u64 = 300;
/// The time that Codex waits for the first list, which waits 20 seconds for its sources. It begins no
/// session without a required server, and its default is 30 seconds.
const STARTUP_SECONDS: u64 = 60;

/// The form of the entry for one host.
pub(crate) struct Server<'s> {
    /// The key of the map of servers.
    pub(crate) table: &'static str,
    /// The entry's name.
    pub(crate) name: &'s str,
    /// The program to start.
    pub(crate) command: &'s str,
    /// The project, for a host that starts the server elsewhere.
    pub(crate) project: Option<&'s str>,
    /// True if one entry serves all projects.
    pub(crate) is_shared: bool,
    /// The options for this host.
    pub(crate) options: Vec<String>,
    /// The name of the program in the entry.
    pub(crate) form: EntryForm,
}

impl<'s> Server<'s> {
    /// The server `name` as Gemini CLI starts it in the project.
    pub(crate) const fn new(name: &'s str) -> Self {
        Self {
            table: SERVERS,
            name,
            command: NAME,
            project: None,
            is_shared: false,
            options: Vec::new(),
            form: EntryForm::Standard,
        }
    }

    /// The entry.
    pub(crate) fn entry(&self) -> Entry {
        let project = self.project.map(|project| [PROJECT, project]);
        let options = project.into_iter().flatten();
        let options = options.chain(self.options.iter().map(String::as_str));
        let args: Vec<&str> = std::iter::once("mcp").chain(options).collect();
        let command = self.command;
        let value = match self.form {
            EntryForm::Standard => json!({"command": command, "args": args}),
            EntryForm::Required => json!({
                "command": command, "args": args,
                "required": true, "startup_timeout_sec": STARTUP_SECONDS,
            }),
            EntryForm::Typed => json!({"type": "stdio", "command": command, "args": args}),
            EntryForm::List => {
                let mut line = vec![Value::from(command)];
                line.extend(args.into_iter().map(Value::from));
                json!({"type": "local", "command": line, "enabled": true})
            }
            EntryForm::Extension => json!({
                "enabled": true, "type": "stdio", "name": self.name, "description": DESCRIPTION,
                "cmd": command, "args": args, "timeout": TIMEOUT_SECONDS,
            }),
        };
        let value = match value {
            Value::Object(value) => value,
            _ => Map::new(),
        };
        Entry {
            table: self.table,
            name: self.name.to_owned(),
            value,
            is_equivalent: if self.is_shared {
                is_shared_equivalent
            } else {
                is_equivalent
            },
            hint: if self.is_shared {
                "or choose another name with --name; if it starts cogtools, remove `--project` from it instead"
            } else {
                "or choose another name with --name"
            }
            .to_owned(),
        }
    }
}

/// Parses a name that every host accepts: Gemini CLI splits tool names at underscores.
pub(crate) fn name(name: &str) -> Result<String, String> {
    const MAX_NAME_BYTES: usize = 32;
    let portable = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(portable) {
        return Err(format!(
            "a name has 1 to {MAX_NAME_BYTES} letters from a to z, digits and `-`"
        ));
    }
    Ok(name.to_owned())
}

/// Returns true if the present entry starts our server, and for the same project if the wanted
/// entry has an absolute path. Everything else is the user's choice.
fn is_equivalent(present: &Value, wanted: &Map<String, Value>) -> bool {
    let wanted = Value::Object(wanted.clone());
    let wanted = project(&words(&wanted));
    let line = words(present);
    runs_cogtools(present)
        && wanted.is_none_or(|wanted| {
            project(&line).is_some_and(|found| Path::new(found) == Path::new(wanted))
        })
}

/// Returns true if the present entry starts our server for every project.
fn is_shared_equivalent(present: &Value, wanted: &Map<String, Value>) -> bool {
    is_equivalent(present, wanted) && project(&words(present)).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(present: &Value, project: Option<&str>, expected: bool) {
        let server = Server {
            table: "mcpServers",
            name: NAME,
            command: NAME,
            project,
            is_shared: false,
            options: Vec::new(),
            form: EntryForm::Standard,
        };
        let found = is_equivalent(present, &server.entry().value);
        assert_eq!(found, expected, "{present} for {project:?}");
    }

    #[cfg(unix)]
    #[test]
    fn an_entry_that_starts_our_server_is_recognised() {
        let plain = json!({"command": "cogtools", "args": ["mcp"]});
        check(&plain, None, true);
        check(&plain, Some("${workspaceFolder}"), true);
        check(&plain, Some("/a"), false);
        let full = json!({"command": "/opt/cogtools", "args": ["mcp", "--project", "/a/"], "x": 1});
        check(&full, None, true);
        check(&full, Some("/a"), true);
        check(&full, Some("/b"), false);
        check(&json!({"command": "cogtools-mcp"}), None, true);
        check(
            &json!({"command": "cogtools-mcp.exe", "args": ["--project=/a"]}),
            Some("/a"),
            true,
        );
        check(
            &json!({"type": "local", "command": ["cogtools", "mcp"]}),
            None,
            true,
        );
        check(
            &json!({"cmd": "cogtools", "args": ["mcp", "--project", "/a"]}),
            Some("/a"),
            true,
        );
        for other in [
            json!({"command": "cogtools", "args": ["list"]}),
            json!({"command": ["cogtools"]}),
            json!({"cmd": "other", "args": ["mcp"]}),
            json!({"command": "cogtools"}),
            json!({"command": "other", "args": ["mcp"]}),
            json!({"url": "http://127.0.0.1/mcp"}),
            json!({}),
            json!("cogtools mcp"),
            json!(null),
        ] {
            check(&other, None, false);
        }
    }

    #[test]
    fn names() {
        for (input, valid) in [
            ("cogtools", true),
            ("a-1", true),
            ("", false),
            ("a_b", false),
            ("a b", false),
        ] {
            assert_eq!(name(input).is_ok(), valid, "{input}");
        }
        assert!(name(&"a".repeat(33)).is_err());
    }
}
