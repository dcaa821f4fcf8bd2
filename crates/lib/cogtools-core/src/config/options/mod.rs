//! The keys of a configuration.
//!
//! A key is a field. Its type reads and checks the value; the first paragraph of its doc comment
//! describes it in the schema and in the manual, a paragraph that begins with `Example:` is also
//! the hint after a mistake, and further paragraphs are for the manual only. A key that protects
//! the user, or that only the user may set, has a line in `setting` as well.

mod sandbox;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use sandbox::{SandboxIndex, SandboxOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
pub use source::{
    CommandOptions, Cwd, EnvOption, Folder, Line, ServerOptions, Servers, SourceOption, Sources,
    SpecificationOption, SpecificationOptions,
};

use crate::Target;
use crate::environment::EnvPriority;
use crate::file::ReadScope;
use crate::process::SandboxMode;
use crate::tool::AgentBudget;
use crate::{Level, size};

/// The configuration of a project with tools for AI agents.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "cogtools configuration")]
pub struct Options {
    /// Where tools come from, in order of precedence: if two sources have a tool of the same
    /// name, the first one wins. By default, the folder tools.
    ///
    /// Example: `tool_sources: [{local: ./tools}]`
    ///
    /// `cogtools-discover --verbose` names what a tool shadows. An empty list means no tools.
    pub tool_sources: Option<Sources>,
    /// MCP servers by name, as other hosts write them: further sources, after `tool_sources`.
    ///
    /// Example: `mcpServers: {memory: {command: npx, args: [-y, some-server]}}`
    ///
    /// An entry has the keys of a source of the kind mcp. `cogtools mcp add` and `cogtools mcp
    /// import` write it. The servers of a project are approved like its other sources.
    #[serde(rename = "mcpServers")]
    pub mcp_servers: Option<Servers>,
    /// Adds the user's own sources before the project's, as it is by default. Only in the user's
    /// own file.
    ///
    /// Example: `inherit: false`
    ///
    /// With false, the user's list replaces the default ./tools and gives way to any other list.
    /// The user's sources come first, so that a project cannot put another tool behind the name of
    /// one of them; what the user names and the project contains (`node_modules`, folders in the
    /// project) comes last. The system's file and the user's variables may set it, too.
    /// `COGTOOLS_TOOL_SOURCES` of the user replaces both lists.
    pub inherit: Option<bool>,
    /// Which value wins if both the project's .env and the environment set a variable: project
    /// (the default) or process.
    ///
    /// Example: `env_priority: project` or `env_priority: process`
    ///
    /// With the option --system-env, a call ignores .env.
    pub env_priority: EnvPriority,
    /// Declares and calls only the tools that cogtools.lock pins; by default,
    /// all tools.
    ///
    /// Example: `locked: true`
    ///
    /// The option --locked does the same for one run. A later layer cannot unset it.
    pub locked: bool,
    /// Which tools are available; by default, all.
    ///
    /// Example: `filter: {exclude: [deploy_*]}`
    ///
    /// A tool must match one of tools, none of exclude, and be in one of toolsets or in a toolset
    /// below one; an empty list excludes nothing. The options --tools, --exclude and --toolset
    /// replace the corresponding key for one run. Excluding a tool does not reveal the tools that
    /// it shadows: a name always means the same tool. A name in the project's filter or in an
    /// option that matches no tool is reported.
    pub filter: FilterOptions,
    /// The maximum number of tokens that all declarations together may cost per request. If
    /// not all tools fit, those that do are declared, and two tools that find and call the rest.
    ///
    /// Example: `budget: 4000`
    ///
    /// `cogtools list` counts the tokens; see `cogtools-discover(1)` for the two tools. The option
    /// --budget replaces it for one run.
    #[serde(deserialize_with = "source::tokens")]
    #[schemars(with = "u64")]
    pub budget: Option<usize>,
    /// Which tools are available to each host, by the host's name.
    ///
    /// Example: `hosts: {gemini: {exclude: [deploy_*]}}`
    ///
    /// The filter of a host (gemini, openai, anthropic or mcp) applies in addition to the general
    /// one, and its budget replaces the general one. Below mcp there are also title, which clients
    /// show, and instructions for models, if the user trusts the project, and menus. `cogtools-discover`
    /// takes the host from --format; `cogtools-call` and `cogtools list` from --host.
    pub hosts: Hosts,
    /// Limits of each program that a tool or a source runs. The strictest limit of all
    /// configurations applies.
    ///
    /// Example: `limits: {memory: 512 MiB, processes: 64}`
    ///
    /// A size is a number of bytes, or has one of the units KiB, MiB, GiB and TiB. Only the
    /// system's file and the user's file can raise a default. `cogtools-confine(1)` explains what
    /// else programs are denied, and on which systems.
    pub limits: LimitOptions,
    /// Confines programs to their sandboxes; by default, as far as possible. A
    /// project's configuration only makes this stricter.
    ///
    /// Example: `sandbox: required` or `sandbox: best-effort`
    ///
    /// required: a sandbox that this system cannot enforce is an error; best-effort: a warning;
    /// off. See SANDBOX in `cogtools-tool(5)`. The option --sandbox replaces it for one run.
    pub sandbox: SandboxMode,
    /// Folders of other users whose projects and programs are used: absolute paths, which may
    /// begin with ~; PATH/* for all folders below PATH, * for all. Only in the user's own file.
    ///
    /// Example: `safe_directories: [/srv/shared/project]`
    ///
    /// A project, a folder of tools, a `node_modules` or a folder of programs that belongs to
    /// neither you nor root is not used otherwise. The system's file may set it, too.
    #[serde(deserialize_with = "source::folders")]
    pub safe_directories: Vec<String>,
    /// The model that cogtools ask uses, and its limits.
    ///
    /// Example: `ask: {model: gemini-flash-latest, deny: [deploy_*]}`
    ///
    /// Options of `cogtools ask` win. Only the user's layers may set allow, prices, provider and
    /// `base_url`, so that a project cannot send a key elsewhere.
    pub ask: AskConfig,
    /// Prompt of cogtools ask beside the task.
    ///
    /// Example: `prompt: {rules: [Answer in one sentence.]}`
    ///
    /// description, `session_goal`, roles, rules, procedure and constraints are instructions, and
    /// so are the files in instructions. files, artifacts and todos go into a JSON object that is
    /// sent anew with each task. static and dynamic name the templates for both. A file has at
    /// most 128 KiB, and is not an .env. What a project that is not trusted says here is not used.
    pub prompt: PromptConfig,
    /// Other names of capabilities, each with the capability that flows then look for.
    ///
    /// Example: `capability_aliases: {web.search: search.web}`
    ///
    /// `cogtools-flow(1)` applies them once.
    #[serde(deserialize_with = "source::aliases")]
    pub capability_aliases: BTreeMap<String, String>,
    /// The descriptions of skills that `cogtools skill` writes, by the skill's name: what it does,
    /// and when an agent should use it. By default, the first sentences of its tools.
    ///
    /// Example: `skill: {git: Use it before and after each commit.}`
    #[serde(deserialize_with = "source::descriptions")]
    pub skill: BTreeMap<String, String>,
    /// The levels of the linter's rules in this project.
    ///
    /// Example: `lint: {rules: {no-examples: off}}`
    ///
    /// A map with the single key rules. `cogtools lint --explain all` lists the rules with their
    /// defaults. An unknown rule is an error in `cogtools lint` only.
    pub lint: Lint,
}

/// The levels of the linter's rules in this project.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lint {
    /// Rules by name, each off, note, warn or error; cogtools lint --explain all lists them.
    pub rules: BTreeMap<String, Level>,
}

/// A number of bytes, at least 1 MiB, or a text such as 512 MiB.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Size {
    /// A number of bytes.
    Bytes(#[schemars(range(min = 1_048_576))] u64),
    /// A number with a unit.
    Text(#[schemars(regex(pattern = r"^[0-9]+ ?([KMGTP]i)?B$"))] String),
}

/// Which tools are available. In a name, * matches any characters and ? matches one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FilterOptions {
    /// Only tools with these names.
    ///
    /// Example: `tools: [facepalm, git_*]`
    pub tools: Vec<String>,
    /// No tools with these names.
    ///
    /// Example: `exclude: [deploy_*]`
    pub exclude: Vec<String>,
    /// Only tools in these toolsets: folders below a source, or packages.
    ///
    /// Example: `toolsets: [git]`
    pub toolsets: Vec<String>,
}

/// A filter and a budget for each host.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hosts {
    /// The tools of Gemini CLI and compatible hosts.
    pub gemini: Host,
    /// The tools in declarations for OpenAI.
    pub openai: Host,
    /// The tools in declarations for Anthropic.
    pub anthropic: Host,
    /// The tools of the MCP server, and what it says about itself.
    pub mcp: McpHost,
}

/// The tools of one host.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Host {
    /// Only tools with these names.
    ///
    /// Example: `tools: [facepalm, git_*]`
    pub tools: Vec<String>,
    /// No tools with these names.
    ///
    /// Example: `exclude: [deploy_*]`
    pub exclude: Vec<String>,
    /// Only tools in these toolsets: folders below a source, or packages.
    ///
    /// Example: `toolsets: [git]`
    pub toolsets: Vec<String>,
    /// The maximum number of tokens for all declarations, instead of the general budget.
    ///
    /// Example: `budget: 4000`
    #[serde(deserialize_with = "source::tokens")]
    #[schemars(with = "u64")]
    pub budget: Option<usize>,
}

/// The tools of the MCP server, and what it says about itself.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpHost {
    /// Only tools with these names.
    ///
    /// Example: `tools: [facepalm, git_*]`
    pub tools: Vec<String>,
    /// No tools with these names.
    ///
    /// Example: `exclude: [deploy_*]`
    pub exclude: Vec<String>,
    /// Only tools in these toolsets: folders below a source, or packages.
    ///
    /// Example: `toolsets: [git]`
    pub toolsets: Vec<String>,
    /// The maximum number of tokens for all declarations, instead of the general budget.
    ///
    /// Example: `budget: 4000`
    #[serde(deserialize_with = "source::tokens")]
    #[schemars(with = "u64")]
    pub budget: Option<usize>,
    /// The name of the server that clients show, at most 8 KiB.
    ///
    /// Example: `title: Tools of the shop`
    #[serde(deserialize_with = "source::sent_text")]
    pub title: Option<String>,
    /// Instructions about all tools for a model, at most 8 KiB; a project's are used only if
    /// the user trusts it.
    ///
    /// Example: `instructions: Ask before you deploy.`
    #[serde(deserialize_with = "source::sent_text")]
    pub instructions: Option<String>,
    /// Menus of clients that show tools once more. By default, none.
    ///
    /// Example: `menus: [prompts, resources]`
    pub menus: Vec<Menu>,
}

/// A menu of clients of the MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Menu {
    /// Templates with an example, as prompts or slash commands.
    Prompts,
    /// The documents of tools, as files to attach.
    Resources,
}

/// Limits of each program.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LimitOptions {
    /// The memory of a program with all that it starts. By default, 4 GiB.
    ///
    /// Example: `memory: 512 MiB`
    #[serde(deserialize_with = "source::bytes")]
    #[schemars(with = "Size")]
    pub memory: Option<u64>,
    /// The number of processes and threads that may be added to the existing ones. By default, 4096.
    ///
    /// Example: `processes: 64`
    #[serde(deserialize_with = "source::at_least_8")]
    #[schemars(range(min = 8))]
    pub processes: Option<u64>,
    /// The seconds of CPU time of a program with all that it starts. Unlimited by default.
    ///
    /// Example: `cpu: 60`
    #[serde(deserialize_with = "source::at_least_1")]
    #[schemars(range(min = 1))]
    pub cpu: Option<u64>,
    /// The open files of each process. By default, 16384.
    ///
    /// Example: `files: 256`
    #[serde(deserialize_with = "source::at_least_8")]
    #[schemars(range(min = 8))]
    pub files: Option<u64>,
    /// The size of each file that is written. By default, 4 GiB.
    ///
    /// Example: `file_size: 1 GiB`
    #[serde(deserialize_with = "source::bytes")]
    #[schemars(with = "Size")]
    pub file_size: Option<u64>,
}

/// The model that cogtools ask uses, and its limits.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AskConfig {
    /// The model. By default, gemini-flash-latest.
    ///
    /// Example: `model: gemini-flash-latest`
    #[serde(deserialize_with = "source::some_text")]
    #[schemars(regex(pattern = r"\S"))]
    pub model: Option<String>,
    /// Short names of models, each with the model that is asked.
    ///
    /// Example: `aliases: {fast: gemini-flash-latest}`
    pub aliases: BTreeMap<String, String>,
    /// The temperature of the model: the variety of its answers.
    ///
    /// Example: `temperature: 0.2`
    #[serde(deserialize_with = "source::temperature")]
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Makes answers repeatable, as far as the provider can. By default, a hash of the task.
    #[schemars(range(min = -2_147_483_648_i64, max = 2_147_483_647_i64))]
    pub seed: Option<i32>,
    /// The limit of tokens of a response.
    #[serde(deserialize_with = "source::at_least_1")]
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    pub max_tokens: Option<u32>,
    /// Patterns of tools whose calls need no approval. Only in the user's own file.
    ///
    /// Example: `allow: [read_*]`
    pub allow: Vec<String>,
    /// Patterns of tools whose calls need an approval, in addition to other
    /// configurations.
    ///
    /// Example: `ask: [deploy_*]`
    pub ask: Vec<String>,
    /// Patterns of tools that are never called, in addition to other configurations.
    ///
    /// Example: `deny: [deploy_*]`
    pub deny: Vec<String>,
    /// The limits of a run. Those of a project only lower the user's, or the defaults.
    ///
    /// Example: `budget: {turns: 20, calls: 50, tokens: 100000, seconds: 300, money: 1.5}`
    pub budget: AgentBudget,
    /// The number of tokens of the tools' declarations from which the model gets `run_code` instead
    /// of the tools, or off: it writes programs that call them. By default, off.
    ///
    /// Example: `code: 20000`
    pub code: Option<Threshold>,
    /// The part of a conversation that is sent, and what is cached.
    pub history: AskHistory,
    /// A file with prices and sizes of models. Only in the user's own file.
    ///
    /// Example: `prices: prices.yaml`
    ///
    /// It is a YAML file with a date, a currency, and models: a map from names or patterns of
    /// models to input, output and, optionally, cached and written (each for a million tokens, the
    /// last one for those that are written to a cache) and context (the number of tokens that the
    /// model reads). A limit of money needs it.
    #[schemars(with = "Option<Folder>")]
    pub prices: Option<ConfigFile>,
    /// The kind of API that the provider has: gemini, openai or anthropic. Only in the user's own
    /// file.
    ///
    /// Example: `provider: openai`
    pub provider: Option<AskProvider>,
    /// Where the provider is reached. Only in the user's own file.
    ///
    /// Example: `base_url: http://127.0.0.1:11434/v1`
    #[serde(deserialize_with = "source::url")]
    #[schemars(regex(pattern = "^https?://"))]
    pub base_url: Option<String>,
}

impl AskConfig {
    /// The model that `name` stands for: itself, unless it is an alias.
    pub fn model_of<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}

/// The part of a conversation that is sent, and what is cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AskHistory {
    /// The number of newest tool results that stay whole when old ones are shortened, which is when
    /// a cache is made or the conversation is too long. By default, 30.
    #[schemars(with = "u64")]
    pub whole_results: Option<usize>,
    /// After how many further tasks a result is old. By default, 3.
    #[schemars(with = "u64")]
    pub result_tasks: Option<usize>,
    /// The number of tokens that are not cached from which a cache is made, or off. By default,
    /// 20000.
    pub cache_threshold: Option<Threshold>,
    /// The lifetime of a cache in seconds. By default, 900.
    #[serde(deserialize_with = "source::a_minute")]
    #[schemars(range(min = 60, max = 4_294_967_295_u64))]
    pub cache_ttl: Option<u32>,
    /// The number of tokens of a request from which old results are shortened and, if that is not
    /// enough, old turns are summarised, or off. By default, half of what the model reads if prices
    /// says so, or else 400000.
    pub compact_at: Option<Threshold>,
}

/// A number of tokens from which something is done, or that it is never done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number of tokens, or `off`")]
pub enum Threshold {
    /// From this number.
    Tokens(u64),
    /// Never.
    Off(Never),
}

/// The word for a threshold that is never reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Never {
    /// Never.
    Off,
}

/// The kind of API that a provider has.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Deserialize,
    JsonSchema,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum AskProvider {
    /// The Gemini API.
    #[default]
    Gemini,
    /// An API that is compatible with OpenAI's.
    OpenAi,
    /// An API that is compatible with Anthropic's.
    Anthropic,
}

impl AskProvider {
    /// The names of all, the default first.
    pub const NAMES: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;

    /// The API whose rules the declarations of tools follow. Servers that are compatible with
    /// OpenAI's have fewer rules than OpenAI.
    pub const fn target(self) -> Target {
        match self {
            Self::Gemini | Self::OpenAi => Target::Gemini,
            Self::Anthropic => Target::Anthropic,
        }
    }
}

/// Prompt of cogtools ask beside the task.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptConfig {
    /// A description of the agent.
    pub description: Option<String>,
    /// Roles that it takes.
    pub roles: Vec<String>,
    /// Rules that it follows.
    pub rules: Vec<String>,
    /// The steps of its procedure.
    pub procedure: Vec<String>,
    /// Actions that it must not take.
    pub constraints: Vec<String>,
    /// The goal of the whole session.
    pub session_goal: Option<String>,
    /// Files with instructions. By default, GEMINI.md and AGENTS.md, if they exist.
    ///
    /// Example: `prompt: {instructions: [AGENTS.md]}`
    #[schemars(with = "Vec<Folder>")]
    pub instructions: Option<Vec<ConfigFile>>,
    /// The template of the static layer. By default, prompts/static.njk, if it exists.
    ///
    /// Example: `prompt: {static: prompts/static.njk}`
    #[serde(rename = "static")]
    #[schemars(with = "Option<Folder>")]
    pub static_template: Option<ConfigFile>,
    /// The template of the dynamic layer, which renders JSON. By default, prompts/dynamic.njk, if
    /// it exists.
    ///
    /// Example: `prompt: {dynamic: prompts/dynamic.njk}`
    #[serde(rename = "dynamic")]
    #[schemars(with = "Option<Folder>")]
    pub dynamic_template: Option<ConfigFile>,
    /// Files that the model should know.
    ///
    /// Example: `prompt: {files: [docs/plan.md]}`
    #[schemars(with = "Vec<Folder>")]
    pub files: Vec<ConfigFile>,
    /// Files that the session is to make.
    ///
    /// Example: `prompt: {artifacts: [docs/plan.md]}`
    #[schemars(with = "Vec<Folder>")]
    pub artifacts: Vec<ConfigFile>,
    /// Things to do: texts, or maps such as with title and done.
    ///
    /// Example: `prompt: {todos: [Write the tests]}`
    #[serde(deserialize_with = "todos")]
    #[schemars(with = "Vec<Todo>")]
    pub todos: Vec<Value>,
}

/// A thing to do.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a list of texts or maps")]
enum Todo {
    /// A text.
    Text(String),
    /// A map, such as with title and done.
    Fields(Map<String, Value>),
}

/// A file that a configuration names.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    /// The full path.
    pub path: PathBuf,
    /// The path as the user would write it.
    pub display_path: PathBuf,
    /// Where it may be.
    pub scope: ReadScope,
    /// True if the user has named it and it is outside the project.
    pub is_users: bool,
}

impl Options {
    /// The files that the options name, each with its key.
    pub(super) fn files_mut(&mut self) -> Vec<(&'static str, &mut ConfigFile)> {
        let prompt = &mut self.prompt;
        let lists = [
            ("prompt.instructions", prompt.instructions.as_mut()),
            ("prompt.files", Some(&mut prompt.files)),
            ("prompt.artifacts", Some(&mut prompt.artifacts)),
        ];
        let single = [
            ("ask.prices", self.ask.prices.as_mut()),
            ("prompt.static", prompt.static_template.as_mut()),
            ("prompt.dynamic", prompt.dynamic_template.as_mut()),
        ];
        let lists = lists.into_iter().flat_map(|(key, files)| {
            let files = files.into_iter().flatten();
            files.map(move |file| (key, file))
        });
        let single = single.into_iter();
        let single = single.filter_map(|(key, file)| Some((key, file?)));
        lists.chain(single).collect()
    }
}

impl Size {
    fn bytes(&self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(*bytes),
            Self::Text(text) => size::parse(text),
        }
    }
}

/// Reads the text of a path, which the reader of the layer has checked and the configuration
/// resolves.
impl<'de> Deserialize<'de> for ConfigFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "ConfigFile")]
        struct Text(String);
        let path = PathBuf::from(Text::deserialize(deserializer)?.0);
        Ok(Self {
            display_path: path.clone(),
            path,
            scope: ReadScope::User,
            is_users: false,
        })
    }
}

fn todos<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Value>, D::Error> {
    let todos = Vec::<Todo>::deserialize(from)?.into_iter();
    let value = |todo| match todo {
        Todo::Text(text) => text.into(),
        Todo::Fields(fields) => fields.into(),
    };
    Ok(todos.map(value).collect())
}
