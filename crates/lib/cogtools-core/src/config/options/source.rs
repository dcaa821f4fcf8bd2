//! The sources of tools, as a configuration writes them.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::sandbox::{SandboxIndex, SandboxOptions};
use crate::config::options::Size;
use crate::source::openapi::Override;
use crate::source::{ToolChanges, is_invalid_in_name};
use crate::tool::is_capability;
use crate::{Name, owner};

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
    /// An Agent Plugin, a folder with plugin.json: the servers in its mcp.json are sources, and
    /// agents read its skills.
    ///
    /// Example: `- plugin: ./vendor/other`
    Plugin(Folder),
    /// Another program that implements the protocol of cogtools-discover and cogtools-call.
    ///
    /// Example: `command: {discover: other-discover, call: other-call}`
    Command(Box<CommandOptions>),
    /// A server of the Model Context Protocol.
    ///
    /// Example: `mcp: {command: npx, args: [-y, some-server]}` or `mcp: {url: https://…}`
    Mcp(Box<ServerOptions>),
    /// A specification in OpenAPI 3 or Swagger 2, whose operations are tools: its file or its URL,
    /// or a map.
    ///
    /// Example: `openapi: ./api.yaml` or `openapi: https://…`
    #[serde(rename = "openapi")]
    OpenApi(#[schemars(with = "SpecificationOption")] Box<SpecificationOptions>),
}

/// MCP servers by name.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Servers(pub BTreeMap<String, ServerOptions>);

/// The path of a folder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Folder(#[schemars(regex(pattern = r"\S"))] pub String);

// Only a schema: the reader takes a text for the option `file` or `url`.
/// A specification: its file or its URL, or its options.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is only a schema")]
enum SpecificationOption {
    /// The file, or the URL.
    File(#[schemars(regex(pattern = r"\S"))] String),
    /// The options.
    Options(Box<SpecificationOptions>),
}

/// The options of a specification: either `file` or `url`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["file"]}, {"required": ["url"]}]))]
pub struct SpecificationOptions {
    /// The file, relative to this file.
    ///
    /// Example: `file: ./api.yaml`
    #[schemars(regex(pattern = r"\S"))]
    pub file: Option<String>,
    /// The URL, whose content the user approves.
    ///
    /// Example: `url: https://api.example.com/openapi.json`
    #[serde(deserialize_with = "server_url")]
    #[schemars(regex(pattern = "^https?://."))]
    pub url: Option<String>,
    /// For how many seconds the content of the URL is cached; by default, a day; 0 turns the cache
    /// off. An older one is used if there is no network.
    ///
    /// Example: `cache: 3600`
    #[serde(deserialize_with = "seconds_or_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub cache: Option<Duration>,
    /// Its name, in messages, in variables and as a toolset; by default, the stem of the file.
    ///
    /// Example: `name: shop`
    #[serde(deserialize_with = "source_name")]
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    ///
    /// Example: `prefix: shop_`
    #[serde(deserialize_with = "prefix")]
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The time limit of a call in seconds; by default, 60.
    ///
    /// Example: `timeout: 10`
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub timeout: Option<Duration>,
    /// Additional HTTP headers.
    ///
    /// Example: `headers: {X-Team: docs}`
    #[serde(deserialize_with = "headers")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: Map<String, Value>,
    /// Hosts that may be reached besides the server, as in a tool file.
    ///
    /// Example: `hosts: ["127.0.0.1:8080"]`
    pub hosts: Vec<String>,
    /// The URL of the server, instead of that in the file.
    ///
    /// Example: `server: https://api.example.com/v1`
    #[serde(deserialize_with = "server_url")]
    #[schemars(regex(pattern = "^https?://."))]
    pub server: Option<String>,
    /// Variables in the URL of the server.
    ///
    /// Example: `variables: {region: eu}`
    pub variables: BTreeMap<String, String>,
    /// Credentials by security scheme, as in a tool file; by default, from the variable
    /// `SOURCE_SCHEME`.
    ///
    /// Example: `auth: {token: {env: SHOP_TOKEN}}`
    pub auth: Map<String, Value>,
    /// The operations that are tools: operationId, tag:NAME, or METHOD /path; * is any text.
    ///
    /// Example: `include: ["tag:orders", "GET /customers/*"]`
    pub include: Vec<String>,
    /// The operations that are not, in the same form.
    ///
    /// Example: `exclude: ["delete*"]`
    pub exclude: Vec<String>,
    /// Changes by operationId, or METHOD /path.
    ///
    /// Example: `overrides: {listOrders: {name: orders, set: {limit: 20}}}`
    ///
    /// name, description, annotations, timeout, ok, response, and set, with values that every call
    /// sends, and no call can have.
    pub overrides: BTreeMap<String, Override>,
}

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
    /// Its name, in messages and as a toolset; by default, the program's name.
    ///
    /// Example: `name: other`
    #[serde(default, deserialize_with = "source_name")]
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    ///
    /// Example: `prefix: other_`
    ///
    /// It must be the beginning of a valid name.
    #[serde(default, deserialize_with = "prefix")]
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The environment variables that it sees.
    ///
    /// Example: `env: [HOME, API_KEY]`
    ///
    /// It also sees PATH.
    #[serde(default)]
    pub env: Vec<String>,
    /// In the user's own configuration only: start it in the project, not outside.
    ///
    /// Example: `cwd: project`
    pub cwd: Option<Cwd>,
    /// The time limit in seconds; by default, 10 for discovery and 60 for a call.
    ///
    /// Example: `timeout: 10`
    #[serde(default, deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub timeout: Option<Duration>,
    /// For how many seconds a list for a host waits for its declarations; by default, 1.5.
    ///
    /// Example: `wait: 10`
    #[serde(default, deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub wait: Option<Duration>,
    /// For how many seconds its declarations are cached; by default, they are not.
    ///
    /// Example: `cache: 10`
    #[serde(default, deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub cache: Option<Duration>,
    /// Changes of its tools, by name or pattern: * is any text.
    ///
    /// Example: `tools: {create_issue: {rename: new_issue, arguments: {fixed: {repo: docs}}}}`
    ///
    /// rename, title, description, hide and pin (true or false; with pin, a budget of tokens always
    /// has room for the tool), and arguments, with fixed (values that every call sends, and no call
    /// can have), default (values of calls that have none) and hide (names of optional ones that are
    /// not declared). An approval covers these changes.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolChanges>,
    /// True to leave out each tool that is not annotated as read-only.
    #[serde(default)]
    pub read_only: bool,
    /// True if each call of its tools needs an answer of the user.
    #[serde(default)]
    pub ask: bool,
    /// The sandbox of its programs.
    ///
    /// As in `cogtools-tool(5)`. By default, it is empty for a provider that requires approval.
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
#[expect(clippy::struct_excessive_bools, reason = "each is a key")]
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
    #[serde(deserialize_with = "url_of_mcp")]
    #[schemars(regex(pattern = r"^(https?://|\$\{)."))]
    pub url: Option<String>,
    /// Not used, `command` or `url` say it; but a source of the type `sse` is an error, because this
    /// transport is not supported.
    #[serde(rename = "type")]
    pub transport: Value,
    /// Additional HTTP headers; `${NAME}` is the value of a variable, as in `env`.
    ///
    /// Example: `headers: {Authorization: "Bearer ${TOKEN}"}`
    #[serde(deserialize_with = "headers")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: Map<String, Value>,
    /// Its name, in messages and as a toolset; by default, of its package, script, program or host.
    ///
    /// Example: `name: other`
    #[serde(deserialize_with = "source_name")]
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// A prefix for the names of its tools.
    ///
    /// Example: `prefix: other_`
    #[serde(deserialize_with = "prefix")]
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,45}$"))]
    pub prefix: Option<String>,
    /// The environment variables that it sees, or a value for each. In values, `args` and `url`,
    /// `${NAME}` is the value of a variable, and `${NAME:-text}` has a default. Where `env` is no
    /// list, the server sees these variables, too.
    ///
    /// Example: `env: [HOME, API_KEY]`
    ///
    /// The server also sees PATH, HOME, USER and LOGNAME; for a URL also `SSL_CERT_FILE`,
    /// `SSL_CERT_DIR` and the proxies of the user's environment.
    pub env: EnvOption,
    /// True to leave the server out.
    pub disabled: bool,
    /// Not used: what runs without a question is not for a server's description to say.
    #[serde(rename = "autoApprove")]
    pub auto_approve: Value,
    /// Not used, as `autoApprove`.
    #[serde(rename = "alwaysAllow")]
    pub always_allow: Value,
    /// Not used, as `autoApprove`.
    pub trust: Value,
    /// Not used: a text for people.
    pub description: Value,
    /// Not used: a picture for people.
    pub icon: Value,
    /// In the user's own configuration only: start it in the project, not outside.
    ///
    /// Example: `cwd: project`
    pub cwd: Option<Cwd>,
    /// The time limit in seconds; by default, 120 for listing and 600 for a call.
    ///
    /// Example: `timeout: 10`
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub timeout: Option<Duration>,
    /// For how many seconds a list for a host waits for its declarations; by default, 1.5.
    ///
    /// Example: `wait: 10`
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub wait: Option<Duration>,
    /// For how many seconds `cogtools mcp` keeps a session without requests; by default, 900.
    ///
    /// Example: `idle: 10`
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub idle: Option<Duration>,
    /// True if all clients of a server over HTTP, and of the daemon, use one session with it; by
    /// default, each has its own.
    pub shared: bool,
    /// For how many seconds its declarations are cached; by default, a day; 0 turns the cache off.
    ///
    /// Example: `cache: 10`
    #[serde(deserialize_with = "seconds_or_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub cache: Option<Duration>,
    /// Changes of its tools, by name or pattern: * is any text.
    ///
    /// Example: `tools: {create_issue: {rename: new_issue, arguments: {fixed: {repo: docs}}}}`
    pub tools: BTreeMap<String, ToolChanges>,
    /// True to leave out each tool that is not annotated as read-only.
    pub read_only: bool,
    /// True if each call of its tools needs an answer of the user.
    pub ask: bool,
    /// The sandbox of the program.
    ///
    /// net is true by default.
    #[schemars(with = "Option<SandboxOptions>")]
    pub sandbox: Option<SandboxIndex>,
}

/// The variables of an MCP server.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
pub enum EnvOption {
    /// Their names.
    Names(Vec<String>),
    /// A value for each name.
    Values(BTreeMap<String, String>),
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

impl<'de> Deserialize<'de> for EnvOption {
    /// Reads numbers and booleans as their text.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = |value: Value| match value {
            Value::String(text) => Some(text),
            Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
            _ => None,
        };
        match Value::deserialize(from)? {
            Value::Array(items) => {
                let names = items.into_iter().map(|it| it.as_str().map(str::to_owned));
                let names = names.collect::<Option<_>>().map(Self::Names);
                names.ok_or_else(|| D::Error::custom("names of variables in its list"))
            }
            Value::Object(fields) => {
                let values = fields
                    .into_iter()
                    .map(|(name, value)| Some((name, text(value)?)));
                let values = values.collect::<Option<_>>().map(Self::Values);
                values.ok_or_else(|| D::Error::custom("a text for each variable"))
            }
            _ => Err(D::Error::custom(
                "a list of names, or a text for each variable",
            )),
        }
    }
}

impl Default for EnvOption {
    fn default() -> Self {
        Self::Values(BTreeMap::new())
    }
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

fn line<'de, D: Deserializer<'de>>(from: D) -> Result<Line, D::Error> {
    let expected = "a program and its arguments, whose quotes are closed";
    checked(from, expected, |line: &Line| !line.words().is_empty())
}

/// Reads the command of a server. As in other hosts, a text is a program and no command line.
fn program<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let words = |line: Line| match line {
        Line::Text(program) => vec![program],
        Line::Words(words) => words,
    };
    let is_program = |line: &Line| words(line.clone()).first().is_some_and(|it| !it.is_empty());
    checked(from, "a program and its arguments", is_program).map(words)
}

/// Reads a single value that `accept` accepts; `expected` describes it.
pub(super) fn checked<'de, D, T>(
    deserializer: D,
    expected: &str,
    accept: impl Fn(&T) -> bool,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    match T::deserialize(deserializer) {
        Ok(value) if accept(&value) => Ok(value),
        _ => Err(D::Error::custom(expected)),
    }
}

pub(super) fn tokens<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    checked(from, "a whole number of tokens", |_: &usize| true).map(Some)
}

pub(super) fn source_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let accept = |text: &String| !text.is_empty() && !text.contains(is_invalid_in_name);
    checked(from, "a string without colons", accept).map(Some)
}

pub(super) fn prefix<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let expected = "the beginning of a tool name (letters from a to z, digits, `_` and `-`)";
    let accept = |text: &String| !text.is_empty() && Name::new(&format!("{text}x")).is_ok();
    checked(from, expected, accept).map(Some)
}

pub(super) fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let accept = |seconds: &f64| *seconds > 0.0 && Duration::try_from_secs_f64(*seconds).is_ok();
    let seconds = checked(from, "a number of seconds greater than 0", accept)?;
    Ok(Duration::try_from_secs_f64(seconds).ok())
}

pub(super) fn seconds_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Duration>, D::Error> {
    let accept = |seconds: &f64| Duration::try_from_secs_f64(*seconds).is_ok();
    let seconds = checked(from, "a number of seconds, or 0", accept)?;
    Ok(Duration::try_from_secs_f64(seconds).ok())
}

pub(super) fn server_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    url_with(from, |rest| !rest.is_empty())
}

/// Reads the URL of a server, which may begin with a variable.
fn url_of_mcp<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let begins = ["https://", "http://", "${"];
    let is_url = |url: &String| {
        let mut rests = begins.iter().filter_map(|it| url.strip_prefix(it));
        rests.any(|rest| !rest.is_empty())
    };
    checked(from, "a URL that begins with https:// or http://", is_url).map(Some)
}

pub(super) fn url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    url_with(from, |_| true)
}

pub(super) fn url_with<'de, D: Deserializer<'de>>(
    from: D,
    accept: fn(&str) -> bool,
) -> Result<Option<String>, D::Error> {
    let is_url = |url: &String| {
        let rest = url.strip_prefix("https://").or(url.strip_prefix("http://"));
        rest.is_some_and(accept)
    };
    checked(from, "a URL that begins with https:// or http://", is_url).map(Some)
}

pub(super) fn headers<'de, D: Deserializer<'de>>(from: D) -> Result<Map<String, Value>, D::Error> {
    let are_texts = |headers: &Map<String, Value>| headers.values().all(Value::is_string);
    checked(from, "a string for each header", are_texts)
}

pub(super) fn sent_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    // A client sends it with every request.
    let accept = |text: &String| !text.trim().is_empty() && text.len() <= 8 << 10;
    checked(from, "a text of at most 8 KiB", accept).map(Some)
}

pub(super) fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, "a text", |text: &String| !text.trim().is_empty()).map(Some)
}

pub(super) fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let expected = "a size of at least 1 MiB, such as `512 MiB`, or a number of bytes";
    let accept = |size: &Size| size.bytes().is_some_and(|bytes| bytes >= 1 << 20);
    checked(from, expected, accept).map(|size| size.bytes())
}

pub(super) fn at_least_8<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    // With less, no program starts.
    checked(from, "a whole number of at least 8", |number: &u64| {
        *number >= 8
    })
    .map(Some)
}

pub(super) fn at_least_1<'de, N, D>(from: D) -> Result<Option<N>, D::Error>
where
    N: Deserialize<'de> + PartialOrd + From<u8>,
    D: Deserializer<'de>,
{
    checked(from, "a whole number of at least 1", |number: &N| {
        *number >= N::from(1)
    })
    .map(Some)
}

pub(super) fn a_minute<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let expected = "a whole number of seconds, at least 60";
    checked(from, expected, |seconds: &u32| *seconds >= 60).map(Some)
}

pub(super) fn temperature<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let accept = |temperature: &f64| (0.0..=2.0).contains(temperature);
    checked(from, "a number from 0 to 2", accept).map(Some)
}

pub(super) fn folders<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let accept = |all: &Vec<String>| all.iter().all(|folder| owner::is_entry(folder));
    checked(from, "a list of absolute paths", accept)
}

pub(super) fn aliases<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let accept =
        |aliases: &BTreeMap<String, String>| aliases.values().all(|name| is_capability(name));
    checked(
        from,
        "a capability for each name, such as `search.web`",
        accept,
    )
}

/// Reads a description of 1 to 1,024 characters for each name.
pub(super) fn descriptions<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let accept = |all: &BTreeMap<String, String>| {
        let mut texts = all.values();
        texts.all(|text| (1..=1024).contains(&text.trim().chars().count()))
    };
    checked(
        from,
        "a text of 1 to 1,024 characters for each skill",
        accept,
    )
}
