//! Maps of fixed keys in tool files and the configuration: as types, whose doc
//! comments are what an editor shows.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// What the tool does to the world, for hosts that ask; what is left out says nothing.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Annotations {
    /// The tool changes nothing.
    pub read_only: Option<bool>,
    /// The tool may destroy something.
    pub destructive: Option<bool>,
    /// Calling the tool again with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// The tool reaches out to a world without bounds, such as the web.
    pub open_world: Option<bool>,
}

/// Another way than a template in the file itself; exactly one of them.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Way {
    /// A file with a Nunjucks template, in the folder of the tool or below it.
    pub njk_file: Option<String>,
    /// A program and its arguments, each a Nunjucks template; no shell reads them. The
    /// arguments of the call come as JSON on its standard input.
    #[schemars(length(min = 1))]
    pub exec: Option<Vec<String>>,
    /// A script that begins with #! and its interpreter. The arguments of the call come as
    /// JSON on its standard input.
    #[schemars(regex(pattern = r"^#!"))]
    pub script: Option<String>,
}

/// The configuration of a project of tools for AI agents.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(title = "cogtools configuration", deny_unknown_fields, transform = as_written)]
pub struct Configuration {
    /// Where tools come from, in order: when two sources have a tool of the same name, the
    /// first one wins. The folder tools when left out.
    pub tool_sources: Option<Vec<Source>>,
    /// Whose value counts when the project's .env and the environment both have a variable.
    /// The project's when left out.
    pub env_priority: Option<EnvPriority>,
    /// Which of the tools there are; all when left out.
    pub filter: Option<Filter>,
    /// How many tokens all declarations together may cost with every request; when the tools
    /// do not fit, those that do are declared, and two tools that lead to the others.
    pub budget: Option<u64>,
    /// Which of them there are for one host, by its name.
    pub hosts: Option<Hosts>,
    /// How the linter weighs its rules in this project.
    pub lint: Option<Lint>,
}

/// Whose value of a variable counts.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum EnvPriority {
    /// That of the project's .env.
    Project,
    /// That of the environment.
    Process,
}

/// Which tools there are. In a name, * stands for any characters and ? for one.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Filter {
    /// Only tools of these names.
    pub tools: Option<Vec<String>>,
    /// No tools of these names.
    pub exclude: Option<Vec<String>>,
    /// Only tools of these toolsets: folders below a source, packages.
    pub toolsets: Option<Vec<String>>,
}

/// What there is for one host.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Host {
    /// Only tools of these names.
    pub tools: Option<Vec<String>>,
    /// No tools of these names.
    pub exclude: Option<Vec<String>>,
    /// Only tools of these toolsets: folders below a source, packages.
    pub toolsets: Option<Vec<String>>,
    /// How many tokens all declarations together may cost, in place of the budget for all.
    pub budget: Option<u64>,
}

/// A filter and a budget for each host.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Hosts {
    /// What there is for Gemini CLI and its kin.
    pub gemini: Option<Host>,
    /// What there is in declarations for OpenAI.
    pub openai: Option<Host>,
    /// What there is in declarations for Anthropic.
    pub anthropic: Option<Host>,
    /// What there is over MCP.
    pub mcp: Option<Host>,
}

/// How the linter weighs its rules in this project.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Lint {
    /// Rules by name, each off, warn or error; cogtools lint --explain all lists them.
    pub rules: Option<BTreeMap<String, Level>>,
}

/// What becomes of a rule's findings.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
pub enum Level {
    /// The rule is not looked at.
    Off,
    /// Its findings are shown.
    Warn,
    /// Its findings are shown and fail the run.
    Error,
}

/// A place where tools come from.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Source {
    /// Packages that say in their package.json which tools they have.
    Packages(Packages),
    /// A folder of tool files.
    Folder(Folder),
    /// Another program that has tools.
    Program(Program),
    /// An MCP server.
    Mcp(Mcp),
}

/// The one word for a source that needs no more.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub enum Packages {
    /// The npm packages that the project depends on, those that are linked, and those that
    /// are installed for everybody.
    NodeModules,
}

/// A folder of tool files, and in its folders toolsets.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Folder {
    /// A folder with tool files, relative to this file, such as ./tools.
    pub local: String,
}

/// Another program that speaks the protocol of cogtools-discover and cogtools-call.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Program {
    /// How it is asked.
    pub command: Provider,
}

/// How a provider is asked.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Provider {
    /// The program, with its arguments, that prints the declarations of its tools.
    pub discover: Line,
    /// The program, with its arguments, that calls the tool whose name comes last, with the
    /// arguments of the call as JSON on standard input.
    pub call: Line,
    /// Its name in messages and as a toolset; that of the program when left out.
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// What the names of its tools begin with here.
    #[schemars(length(min = 1))]
    pub prefix: Option<String>,
    /// The environment variables that it may see.
    pub env: Option<Vec<String>>,
    /// How many seconds it may take: 10 to declare and 60 to answer when left out.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub timeout: Option<f64>,
    /// How many seconds its declarations may be kept on disk; not at all when left out.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cache: Option<f64>,
}

/// A server of the Model Context Protocol.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
pub struct Mcp {
    /// How it is reached and asked.
    pub mcp: McpServer,
}

/// How an MCP server is reached and asked: `command` or `url`, one of them.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = as_written)]
#[schemars(extend("oneOf" = [{"required": ["command"]}, {"required": ["url"]}]))]
pub struct McpServer {
    /// The program, or the program with its arguments, that speaks over its standard streams.
    pub command: Option<ServerProgram>,
    /// The arguments of the program.
    pub args: Option<Vec<String>>,
    /// Where it answers over HTTP.
    #[schemars(regex(pattern = "^https?://."))]
    pub url: Option<String>,
    /// What is sent to the URL besides; `${NAME}` is the value of a variable that `env` names.
    pub headers: Option<BTreeMap<String, String>>,
    /// Its name in messages and as a toolset.
    #[schemars(regex(pattern = "^[^:]+$"))]
    pub name: Option<String>,
    /// What the names of its tools begin with here.
    #[schemars(length(min = 1))]
    pub prefix: Option<String>,
    /// The environment variables that it may see.
    pub env: Option<Vec<String>>,
    /// How many seconds it may take: 30 to declare and 60 to answer when left out.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub timeout: Option<f64>,
    /// How many seconds its declarations are kept on disk: a day when left out, 0 for not at all.
    #[schemars(extend("minimum" = 0))]
    pub cache: Option<f64>,
}

/// The program of a server.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum ServerProgram {
    /// Its name or path, as it is.
    Text(#[schemars(length(min = 1))] String),
    /// With its arguments.
    Words(#[schemars(length(min = 1))] Vec<String>),
}

/// A command line.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Line {
    /// Split as a shell would split it; nothing else of a shell.
    Text(#[schemars(length(min = 1))] String),
    /// The program and its arguments.
    Words(#[schemars(length(min = 1))] Vec<String>),
}

/// The schema of a struct as the parser reads it. An optional key may be left out;
/// one that is written says something, so that it takes no null where Rust's
/// `Option` would. The lines of a doc comment are one paragraph.
fn as_written(schema: &mut Schema) {
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
        // The bounds say all there is to say of a whole number.
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
