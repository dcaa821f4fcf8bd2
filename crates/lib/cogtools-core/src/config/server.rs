//! An item of `tool_sources` that is an MCP server.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::error::ConfigError;
use super::reader::Reader;
use super::source::is_invalid_in_name;
use crate::sandbox::{Sandbox, SandboxError};
use crate::source::{Provider, Server, Settings, Source, Transport};
use crate::yaml::{Data, Node};

/// The keys of an MCP server.
const KEYS: [&str; 13] = [
    "command", "args", "url", "headers", "name", "prefix", "env", "cwd", "timeout", "wait", "idle",
    "cache", "sandbox",
];

/// The values of the item that were read so far.
#[derive(Default)]
struct RawServer {
    command: Vec<String>,
    args: Vec<String>,
    url: String,
    headers: Map<String, Value>,
    name: String,
    prefix: String,
    env: Vec<String>,
    in_project: bool,
    timeout: Option<Duration>,
    wait: Option<Duration>,
    idle: Option<Duration>,
    cache: Option<Duration>,
    sandbox: Option<Sandbox>,
}

impl Reader<'_> {
    /// A source that is an MCP server.
    pub(super) fn server(&mut self, item: &Node) -> Option<Source> {
        let [entry] = item.entries()? else {
            return None;
        };
        let mut raw = RawServer {
            cache: Some(Server::CACHE_TTL),
            ..RawServer::default()
        };
        for entry in self.map("mcp", entry) {
            let value = &entry.value;
            match entry.key.as_str() {
                // As in other hosts, a string is a program rather than a command line.
                "command" => match value.text() {
                    Some(_) => raw.command = vec![self.text_value("command", value)],
                    None => raw.command = self.strings("command", value),
                },
                "args" => raw.args = self.strings("args", value),
                "url" => raw.url = self.url(value),
                "headers" => raw.headers = self.headers(entry),
                "name" => raw.name = self.text_value("name", value),
                "prefix" => raw.prefix = self.prefix(value),
                "cwd" => raw.in_project = self.cwd(value),
                "env" => raw.env = self.strings("env", value),
                "timeout" => raw.timeout = self.seconds("timeout", value),
                "wait" => raw.wait = self.seconds("wait", value),
                "idle" => raw.idle = self.seconds("idle", value),
                "cache" => raw.cache = self.cache(value),
                "sandbox" => raw.sandbox = Some(self.sandbox(value)),
                _ => self.report_unknown_key(entry, &KEYS),
            }
        }
        let has = |key| entry.value.get(key).is_some();
        let empty = raw.command.is_empty() && raw.url.is_empty();
        if has("command") == has("url") || empty && self.has_no_errors() {
            let error = ConfigError::Missing("mcp", "command` or `url");
            self.report(&error, entry.span);
            return None;
        }
        if empty {
            return None;
        }
        if raw.sandbox.is_some() && !raw.url.is_empty() {
            self.report_sandbox(&SandboxError::Remote, entry.span);
        }
        Some(Source::Provider(Provider::new(
            raw.settings(self.layer.is_user),
        )))
    }

    fn url(&mut self, node: &Node) -> String {
        let url = node.text().filter(|url| {
            let rest = url.strip_prefix("https://").or(url.strip_prefix("http://"));
            rest.is_some_and(|rest| !rest.is_empty())
        });
        url.map_or_else(
            || {
                self.reject_value("url", "a URL that begins with https:// or http://", node);
                String::new()
            },
            str::to_owned,
        )
    }

    fn headers(&mut self, entry: &crate::yaml::Entry) -> Map<String, Value> {
        let mut headers = Map::new();
        for entry in self.map("headers", entry) {
            match entry.value.text() {
                Some(text) => drop(headers.insert(entry.key.clone(), text.into())),
                None => self.reject_value("headers", "a string for each header", &entry.value),
            }
        }
        headers
    }

    /// A number of seconds, or 0 for none.
    fn cache(&mut self, node: &Node) -> Option<Duration> {
        match &node.data {
            Data::Number(number) if number.as_f64() == Some(0.0) => None,
            _ => self.seconds("cache", node),
        }
    }
}

impl RawServer {
    fn settings(self, is_user: bool) -> Settings {
        let name = if self.name.is_empty() {
            self.default_name().replace(is_invalid_in_name, "_")
        } else {
            self.name
        };
        let line: Vec<String> = self.command.into_iter().chain(self.args).collect();
        let mut description = json!({"name": name});
        let transport = if line.is_empty() {
            let names = self.headers.keys().cloned().collect();
            description["url"] = self.url.as_str().into();
            description["headers"] = self.headers.into();
            Transport::Url(without_secrets(&self.url), names)
        } else {
            description["command"] = json!(line);
            Transport::Command(line)
        };
        if let Some(timeout) = self.timeout {
            description["timeout"] = timeout.as_secs_f64().into();
        }
        let client = |args: &[&str]| {
            [Server::PROGRAM, "--error-format=json"]
                .iter()
                .chain(args)
                .map(|arg| (*arg).to_owned())
                .collect()
        };
        let mut settings = Settings {
            name,
            discover: client(&["discover"]),
            call: client(&["call", "--json"]),
            prefix: self.prefix,
            env: self.env,
            timeout: self.timeout,
            wait: self.wait,
            idle: self.idle,
            cache: self.cache,
            user_configured: is_user,
            in_project: self.in_project,
            sandbox: None,
            sandbox_digest: None,
            server: Some(Server {
                description: description.to_string(),
                transport,
            }),
        };
        settings.set_sandbox(self.sandbox);
        settings
    }

    /// The default name: the host of a URL, or for a command the program, or the
    /// package that a launcher runs.
    fn default_name(&self) -> String {
        if !self.url.is_empty() {
            let rest = self.url.split("://").nth(1).unwrap_or_default();
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            // The authority may contain a password, which no message may reveal.
            return host.rsplit('@').next().unwrap_or_default().to_owned();
        }
        let line: Vec<&String> = self.command.iter().chain(&self.args).collect();
        let program = line.first().map(|path| package_name(path));
        let program = program.unwrap_or_default();
        let is_launcher = LAUNCHERS.contains(&program.as_str());
        let operand = line.iter().skip(1).find(|arg| !arg.starts_with('-'));
        match operand.filter(|_| is_launcher) {
            Some(package) => package_name(package),
            None => program,
        }
    }
}

/// A URL for display: its user name may be followed by a password, and its query may
/// contain a key.
fn without_secrets(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let (user, host) = host.rsplit_once('@').unwrap_or(("", host));
    let user = if user.is_empty() { "" } else { "…@" };
    let (path, query) = match path.find(['?', '#']) {
        Some(end) => (&path[..end], "?…"),
        None => (path, ""),
    };
    format!("{scheme}://{user}{host}{path}{query}")
}

/// Programs whose first argument is the package or script that they run.
const LAUNCHERS: [&str; 6] = ["npx", "uvx", "bunx", "node", "python3", "python"];

/// The name of a package without scope and version, or of a program or a script without its
/// extension. Other parts of a name after a dot are kept: they tell servers of one author apart.
fn package_name(argument: &str) -> String {
    let last = argument.rsplit(['/', '\\']).next().unwrap_or(argument);
    let name = last.split('@').next().unwrap_or(last);
    let endings = [
        ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".exe", ".cmd", ".bat",
    ];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
    stem.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_urls_are_redacted() {
        for (url, display_path) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("http://a:8080", "http://a:8080"),
            (
                "https://me:s@a.example/mcp?key=s#s",
                "https://…@a.example/mcp?…",
            ),
            ("https://a.example?key=s@b", "https://a.example?…"),
        ] {
            assert_eq!(without_secrets(url), display_path);
        }
    }

    #[test]
    fn default_names_of_servers() {
        let command = |line: &str| RawServer {
            command: line.split(' ').map(str::to_owned).collect(),
            ..RawServer::default()
        };
        for (line, name) in [
            (
                "npx -y @modelcontextprotocol/server-everything@1.2",
                "server-everything",
            ),
            ("uvx mcp-server-git --repository .", "mcp-server-git"),
            ("node dist/index.js", "index"),
            ("/opt/bin/server --stdio", "server"),
            ("/opt/bin/server.sh", "server"),
            ("awslabs.core-mcp-server", "awslabs.core-mcp-server"),
            ("uvx awslabs.git-mcp@latest", "awslabs.git-mcp"),
        ] {
            assert_eq!(command(line).default_name(), name, "{line}");
        }
    }
}
