//! The keys of a configuration.
//!
//! A key is a field. Its type reads and checks the value; the first paragraph of its doc comment
//! describes it in the schema and in the manual, a paragraph that begins with `Example:` is also
//! the hint after a mistake, and further paragraphs are for the manual only. A key that protects
//! the user, or that only the user may set, has a line in `setting` as well.

mod ask;
mod sandbox;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use ask::{AskConfig, AskHistory, AskProvider, Never, Threshold};
pub use sandbox::{SandboxIndex, SandboxKeys, SandboxOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
pub use source::{
    CommandOptions, Cwd, EnvOption, Folder, Line, ServerOptions, Servers, SourceOption, Sources,
    SpecificationOptions,
};

use crate::environment::EnvPriority;
use crate::file::ReadScope;
use crate::process::SandboxMode;
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
