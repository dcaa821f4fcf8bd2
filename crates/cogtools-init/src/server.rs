//! The entry of our MCP server in a host's configuration.

use std::path::Path;

use cogtools_edit::Entry;
use serde_json::{Map, Value, json};

/// The default name of the entry.
pub(crate) const NAME: &str = "cogtools";
/// The program whose `mcp` subcommand serves, and its standalone equivalent.
const PROGRAM: &str = "cogtools";
const SERVER: &str = "cogtools-mcp";

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
    /// Whether the entry names its transport.
    pub(crate) typed: bool,
}

impl Server<'_> {
    /// The entry.
    pub(crate) fn entry(&self) -> Entry {
        let mut value = Map::new();
        if self.typed {
            value.insert("type".into(), "stdio".into());
        }
        value.insert("command".into(), self.command.into());
        let args = match self.project {
            Some(project) => json!(["mcp", "--project", project]),
            None => json!(["mcp"]),
        };
        value.insert("args".into(), args);
        Entry {
            table: self.table,
            name: self.name.to_owned(),
            value,
            is_equivalent,
            hint: "or choose another name with --name".to_owned(),
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

/// Whether the present entry starts our server, and for the same project if the
/// wanted entry has an absolute path. Everything else is the user's choice.
fn is_equivalent(present: &Value, wanted: &Map<String, Value>) -> bool {
    let strings = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let command = present.get("command").and_then(Value::as_str);
    let program = command.and_then(|command| Path::new(command).file_stem()?.to_str());
    let args = strings(present.get("args"));
    let ours = match program {
        Some(PROGRAM) => args.first().is_some_and(|arg| arg == "mcp"),
        Some(SERVER) => true,
        _ => false,
    };
    let wanted_args = strings(wanted.get("args"));
    let wanted = project(&wanted_args).filter(|path| Path::new(path).is_absolute());
    ours && wanted.is_none_or(|wanted| project(&args).is_some_and(|found| same(found, wanted)))
}

/// The value of `--project` in `args`.
fn project(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|arg| arg == "--project");
    match at {
        Some(at) => args.get(at + 1).map(String::as_str),
        None => args.iter().find_map(|arg| arg.strip_prefix("--project=")),
    }
}

fn same(one: &str, other: &str) -> bool {
    Path::new(one)
        .components()
        .eq(Path::new(other).components())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(present: &Value, project: Option<&str>, expected: bool) {
        let server = Server {
            table: "mcpServers",
            name: NAME,
            command: PROGRAM,
            project,
            typed: false,
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
        for other in [
            json!({"command": "cogtools", "args": ["list"]}),
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
