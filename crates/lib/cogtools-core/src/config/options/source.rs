//! The sources of tools, as a configuration writes them.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::Size;
use super::check::{self, Named};

/// The sources of tools.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Sources(pub Vec<SourceOption>);

/// A source of tools.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceOption {
    /// Tools for agents that come with cogtools: they read and search the project's files, and
    /// have a list of things to do.
    #[serde(rename = "builtin")]
    BuiltIn,
    /// Tools that ask the editor around the terminal for its selection and its files.
    Editor,
    /// The npm packages that the project depends on, linked packages, and globally installed
    /// packages.
    NodeModules,
    /// A folder with tool files, relative to this file, such as ./tools; ~ is the home directory.
    /// Its subfolders are toolsets.
    ///
    /// Example: `- local: ./tools`
    Local(Folder),
    /// Another program that implements the protocol of cogtools-discover and cogtools-call.
    ///
    /// Example: `command: {discover: other-discover, call: other-call}`
    Command(Box<CommandOptions>),
    /// A server of the Model Context Protocol.
    ///
    /// Example: `mcp: {command: npx, args: [-y, some-server]}` or `mcp: {url: https://…}`
    Mcp(Box<ServerOptions>),
}

/// The path of a folder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Folder(#[schemars(regex(pattern = r"\S"))] pub String);

/// The command lines and options of a provider.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandOptions {
    /// The program, with its arguments, that prints the declarations of its tools.
    ///
    /// Example: `discover: [other-discover, --json]`
    #[serde(deserialize_with = "line")]
    pub discover: Line,
    /// The program, with its arguments, that calls a tool: the tool's name is appended, and
    /// the arguments of the call are on standard input, as JSON.
    ///
    /// Example: `call: [other-call, --json]`
    #[serde(deserialize_with = "line")]
    pub call: Line,
    /// Its name, in messages and as a toolset; by default, that of the program.
    ///
    /// Example: `name: other`
    #[serde(default, deserialize_with = "check::source_name")]
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    ///
    /// Example: `prefix: other_`
    #[serde(default, deserialize_with = "check::prefix")]
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The environment variables that it sees.
    ///
    /// Example: `env: [HOME, API_KEY]`
    #[serde(default)]
    pub env: Vec<String>,
    /// In the user's own configuration only: start it in the project, not outside.
    ///
    /// Example: `cwd: project`
    pub cwd: Option<Cwd>,
    /// The time limit in seconds; by default, 10 for discovery and 60 for a call.
    ///
    /// Example: `timeout: 10`
    #[serde(default, deserialize_with = "check::seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub timeout: Option<Duration>,
    /// For how many seconds a list for a host waits for its declarations; by default, 1.5.
    ///
    /// Example: `wait: 10`
    #[serde(default, deserialize_with = "check::seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub wait: Option<Duration>,
    /// For how many seconds its declarations are cached; by default, they are not.
    ///
    /// Example: `cache: 10`
    #[serde(default, deserialize_with = "check::seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub cache: Option<Duration>,
    /// What its programs may reach.
    #[schemars(with = "Option<SandboxOptions>")]
    pub sandbox: Option<SandboxIndex>,
}

/// Where a provider of the user's own configuration starts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cwd {
    /// In the project, after its approval.
    Project,
}

/// The transport and options of an MCP server: either `command` or `url`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["command"]}, {"required": ["url"]}]))]
pub struct ServerOptions {
    /// The program, or the program with its arguments, for the stdio transport.
    #[serde(deserialize_with = "program")]
    #[schemars(with = "Line")]
    pub command: Vec<String>,
    /// The arguments of the program.
    ///
    /// Example: `args: [-y, some-server]`
    pub args: Vec<String>,
    /// The URL, for the HTTP transport.
    ///
    /// Example: `url: https://example.org/mcp`
    #[serde(deserialize_with = "check::server_url")]
    #[schemars(regex(pattern = "^https?://."))]
    pub url: Option<String>,
    /// Additional HTTP headers; `${NAME}` is the value of a variable listed in `env`.
    ///
    /// Example: `headers: {Authorization: "Bearer ${TOKEN}"}`
    #[serde(deserialize_with = "check::headers")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: Map<String, Value>,
    /// Its name, in messages and as a toolset.
    ///
    /// Example: `name: other`
    #[serde(deserialize_with = "check::source_name")]
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    ///
    /// Example: `prefix: other_`
    #[serde(deserialize_with = "check::prefix")]
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The environment variables that it sees.
    ///
    /// Example: `env: [HOME, API_KEY]`
    pub env: Vec<String>,
    /// In the user's own configuration only: start it in the project, not outside.
    ///
    /// Example: `cwd: project`
    pub cwd: Option<Cwd>,
    /// The time limit in seconds; by default, 30 for listing and 60 for a call.
    ///
    /// Example: `timeout: 10`
    #[serde(deserialize_with = "check::seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub timeout: Option<Duration>,
    /// For how many seconds a list for a host waits for its declarations; by default, 1.5.
    ///
    /// Example: `wait: 10`
    #[serde(deserialize_with = "check::seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub wait: Option<Duration>,
    /// For how many seconds `cogtools mcp` keeps a session without requests; by default, 900.
    ///
    /// Example: `idle: 10`
    #[serde(deserialize_with = "check::seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub idle: Option<Duration>,
    /// For how many seconds its declarations are cached; by default, a day; 0 turns the cache off.
    ///
    /// Example: `cache: 10`
    #[serde(deserialize_with = "check::seconds_or_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub cache: Option<Duration>,
    /// What the program may reach.
    #[schemars(with = "Option<SandboxOptions>")]
    pub sandbox: Option<SandboxIndex>,
}

/// A command line.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Line {
    /// Split into words as in a shell, without any other expansion.
    Text(#[schemars(length(min = 1))] String),
    /// The program and its arguments.
    Words(#[schemars(length(min = 1))] Vec<String>),
}

/// The place of a sandbox among those that the reader of a layer has read.
#[derive(Clone, Copy, Debug)]
pub struct SandboxIndex(pub usize);

/// What a program may reach. Nothing else is permitted.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the sandbox reads itself; this is its schema")]
pub struct SandboxOptions {
    /// What it may read besides the system and its own files: paths from the project's root,
    /// below ~, or absolute. By default, the project.
    #[schemars(inner(regex(pattern = r"^(~$|~/|[^~])(.*\S)?")))]
    read: Option<Vec<String>>,
    /// What it may also change; by default, only a temporary folder of its own. A folder of the
    /// project that does not exist is made.
    #[schemars(inner(regex(pattern = r"^(~$|~/|[^~])(.*\S)?")))]
    write: Option<Vec<String>>,
    /// Whether it may use the network; by default, only an MCP server may.
    net: Option<bool>,
    /// The memory of each process; by default, that of `limits`.
    memory: Option<Size>,
    /// How many processes and threads may be added to those that exist; by default, that of
    /// `limits`.
    #[schemars(range(min = 1))]
    processes: Option<u64>,
}

impl Line {
    /// The program and its arguments; none if quotes are not closed.
    pub(in crate::config) fn words(&self) -> Vec<String> {
        match self {
            Self::Text(text) => shlex::split(text).unwrap_or_default(),
            Self::Words(words) => words.clone(),
        }
    }
}

impl<'de> Deserialize<'de> for SandboxIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let index = Named::read("Sandbox", deserializer)?;
        index.parse().map(Self).map_err(D::Error::custom)
    }
}

fn line<'de, D: Deserializer<'de>>(from: D) -> Result<Line, D::Error> {
    let expected = "a program and its arguments, whose quotes are closed";
    check::checked(from, expected, |line: &Line| !line.words().is_empty())
}

/// Reads the command of a server. As in other hosts, a text is a program and no command line.
fn program<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let words = |line: Line| match line {
        Line::Text(program) => vec![program],
        Line::Words(words) => words,
    };
    let is_program = |line: &Line| words(line.clone()).first().is_some_and(|it| !it.is_empty());
    check::checked(from, "a program and its arguments", is_program).map(words)
}
