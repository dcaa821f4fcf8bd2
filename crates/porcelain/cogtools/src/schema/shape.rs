//! Maps with fixed keys in the configuration, as types. Editors show their doc comments.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::schema::ask::Ask;
use crate::schema::env_priority::EnvPriority;
use crate::schema::hosts::{Filter, Hosts};
use crate::schema::limits::Limits;
use crate::schema::prompt::Prompt;
use crate::schema::rules::Rules;
use crate::schema::sandbox::{Mode, Sandbox};

/// The configuration of a project with tools for AI agents.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(title = "cogtools configuration", deny_unknown_fields, transform = match_parser)]
pub struct Configuration {
    /// Where tools come from, in order of precedence: if two sources have a tool of the same
    /// name, the first one wins. By default, the folder tools.
    pub tool_sources: Option<Vec<Source>>,
    /// Whether the user's own sources add to those of a project, before them; by default,
    /// they do. Only in the user's own file.
    pub inherit: Option<bool>,
    /// Which value wins if both the project's .env and the environment set a variable. By
    /// default, the project's.
    pub env_priority: Option<EnvPriority>,
    /// Whether only the tools that cogtools.lock pins are declared and called; by default,
    /// all are.
    pub locked: Option<bool>,
    /// Which tools are available; by default, all.
    pub filter: Option<Filter>,
    /// The maximum number of tokens that all declarations together may cost per request. If
    /// not all tools fit, those that do are declared, and two tools that find and call the rest.
    pub budget: Option<u64>,
    /// Which tools are available to each host, by the host's name.
    pub hosts: Option<Hosts>,
    /// What each program may use that a tool or a source runs. The strictest limit of all
    /// configurations applies.
    pub limits: Option<Limits>,
    /// Whether programs are confined to their sandboxes; by default, as far as possible. A
    /// project's configuration only makes this stricter.
    pub sandbox: Option<Mode>,
    /// Folders of other users whose projects and programs are used: absolute paths, which may
    /// begin with ~; PATH/* for all folders below PATH, * for all. Only in the user's own file.
    pub safe_directories: Option<Vec<String>>,
    /// How cogtools ask asks a model.
    pub ask: Option<Ask>,
    /// What cogtools ask tells a model beside its task.
    pub prompt: Option<Prompt>,
    /// Other names of capabilities, each with the capability that flows then look for.
    pub capability_aliases: Option<BTreeMap<String, String>>,
    /// The levels of the linter's rules in this project.
    pub lint: Option<Lint>,
}

/// The levels of the linter's rules in this project.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Lint {
    /// Rules by name, each off, warn or error; cogtools lint --explain all lists them.
    pub rules: Option<Rules>,
}

/// The level of a rule.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum Level {
    /// The rule is off.
    Off,
    /// Findings are reported.
    Warn,
    /// Findings are reported and fail the run.
    Error,
}

/// A source of tools.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Source {
    /// A source that has no options.
    Keyword(Keyword),
    /// A folder of tool files.
    Folder(Folder),
    /// Another program that provides tools.
    Program(Program),
    /// An MCP server.
    Mcp(Mcp),
}

/// A source that is a single keyword.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub enum Keyword {
    /// Tools for agents that come with cogtools: they read and search the project's files, and
    /// have a list of things to do.
    #[schemars(rename = "builtin")]
    BuiltIn,
    /// Tools that ask the editor around the terminal for its selection and its files.
    Editor,
    /// The npm packages that the project depends on, linked packages, and globally installed
    /// packages.
    NodeModules,
}

/// A folder of tool files, with toolsets in its subfolders.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Folder {
    /// A folder with tool files, relative to this file, such as ./tools; ~ is the home directory.
    #[schemars(regex(pattern = r"\S"))]
    pub local: String,
}

/// Another program that implements the protocol of cogtools-discover and cogtools-call.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Program {
    /// Its command lines.
    pub command: Provider,
}

/// The command lines and options of a provider.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Provider {
    /// The program, with its arguments, that prints the declarations of its tools.
    pub discover: Line,
    /// The program, with its arguments, that calls a tool: the tool's name is appended, and
    /// the arguments of the call are on standard input, as JSON.
    pub call: Line,
    /// Its name, in messages and as a toolset; by default, that of the program.
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The environment variables that it sees.
    pub env: Option<Vec<String>>,
    /// In the user's own configuration only: start it in the project, not outside.
    pub cwd: Option<Cwd>,
    /// The time limit in seconds; by default, 10 for discovery and 60 for a call.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub timeout: Option<f64>,
    /// For how many seconds a list for a host waits for its declarations; by default, 1.5.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub wait: Option<f64>,
    /// For how many seconds its declarations are cached; by default, they are not.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cache: Option<f64>,
    /// What its programs may reach.
    pub sandbox: Option<Sandbox>,
}

/// Where a provider of the user's own configuration starts.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum Cwd {
    /// In the project, after its approval.
    Project,
}

/// A server of the Model Context Protocol.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Mcp {
    /// Its transport and options.
    pub mcp: McpServer,
}

/// The transport and options of an MCP server: either `command` or `url`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
#[schemars(extend("oneOf" = [{"required": ["command"]}, {"required": ["url"]}]))]
pub struct McpServer {
    /// The program, or the program with its arguments, for the stdio transport.
    pub command: Option<ServerProgram>,
    /// The arguments of the program.
    pub args: Option<Vec<String>>,
    /// The URL, for the HTTP transport.
    #[schemars(regex(pattern = "^https?://."))]
    pub url: Option<String>,
    /// Additional HTTP headers; `${NAME}` is the value of a variable listed in `env`.
    pub headers: Option<BTreeMap<String, String>>,
    /// Its name, in messages and as a toolset.
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The environment variables that it sees.
    pub env: Option<Vec<String>>,
    /// In the user's own configuration only: start it in the project, not outside.
    pub cwd: Option<Cwd>,
    /// The time limit in seconds; by default, 30 for listing and 60 for a call.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub timeout: Option<f64>,
    /// For how many seconds a list for a host waits for its declarations; by default, 1.5.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub wait: Option<f64>,
    /// For how many seconds `cogtools mcp` keeps a session without requests; by default, 900.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub idle: Option<f64>,
    /// For how many seconds its declarations are cached; by default, a day; 0 turns the cache off.
    #[schemars(extend("minimum" = 0))]
    pub cache: Option<f64>,
    /// What the program may reach.
    pub sandbox: Option<Sandbox>,
}

/// The program of a server.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum ServerProgram {
    /// Its name or path.
    Text(#[schemars(length(min = 1))] String),
    /// The program and its arguments.
    Words(#[schemars(length(min = 1))] Vec<String>),
}

/// A command line.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Line {
    /// Split into words as in a shell, without any other expansion.
    Text(#[schemars(length(min = 1))] String),
    /// The program and its arguments.
    Words(#[schemars(length(min = 1))] Vec<String>),
}

/// Adapts the schema of a struct to the parser: an optional key can be omitted, but
/// unlike Rust's `Option` it accepts no null. The lines of a doc comment become one
/// paragraph.
pub(crate) fn match_parser(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for property in properties.values_mut() {
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [kind] = types.as_slice() {
                property["type"] = kind.clone();
            }
        }
        // The bounds describe an integer completely.
        if property["format"] == "uint64" {
            property
                .as_object_mut()
                .map(|schema| schema.remove("format"));
        }
        if let Some(Value::String(description)) = property.get_mut("description") {
            *description = description.replace('\n', " ");
        }
    }
}
