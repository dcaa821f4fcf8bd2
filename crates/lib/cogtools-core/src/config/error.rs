//! The errors of a configuration.

/// An error in a configuration.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigError {
    #[error("the configuration must be a map of keys, not {0}")]
    NotAMap(&'static str),
    #[error("unknown key `{0}`")]
    UnknownKey(String, Option<String>),
    #[error("`tool_sources` takes a list of sources, not {0}")]
    Sources(&'static str),
    #[error("a source must be a map such as `local: ./tools`, not {0}")]
    Source(&'static str),
    #[error("`{0}` is not a kind of source")]
    Kind(String, Option<String>),
    #[error("`{0}` needs `{1}`")]
    Missing(&'static str, &'static str),
    #[error("two providers are named `{0}`")]
    DuplicateProvider(String),
    #[error("`local` takes the path of a folder, not {0}")]
    Local(&'static str),
    #[error("`~` is the home directory, and HOME is not set")]
    NoHome,
    #[error("`{0}` is not a path: only `~` itself is expanded, to the home directory")]
    OtherHome(String),
    #[error("`cwd` is for the user's own configuration: providers of a project start in it")]
    Cwd,
    #[error("`{key}` takes {expected}, not {found}")]
    InvalidValue {
        key: String,
        expected: &'static str,
        found: String,
        suggestion: Option<String>,
    },
    #[error("a rule is set to off, warn or error, not {0}")]
    Level(String, Option<String>),
    #[error("only the user's own configuration may set `{0}`")]
    UsersOnly(&'static str),
    #[error("{0}")]
    Sandbox(String, String),
    #[error("`{0}` is not a known host")]
    Host(String, Option<String>),
}

impl ConfigError {
    pub(super) fn hint(&self) -> String {
        match self {
            Self::UnknownKey(_, Some(suggestion))
            | Self::Level(_, Some(suggestion))
            | Self::Kind(_, Some(suggestion))
            | Self::Host(_, Some(suggestion))
            | Self::InvalidValue {
                suggestion: Some(suggestion),
                ..
            } => suggestion.clone(),
            Self::Sandbox(_, hint) => hint.clone(),
            Self::UnknownKey(_, None) => "see cogtoolrc(5) for all keys".into(),
            Self::Level(_, None) => "write `lint: {rules: {no-examples: off}}`".into(),
            Self::NotAMap(_) | Self::Sources(_) => {
                "write `tool_sources: [{local: ./tools}]`".into()
            }
            Self::Source(_) | Self::Local(_) | Self::Kind(_, None) => {
                "write `- local: ./tools`".into()
            }
            Self::NoHome => "set HOME, or write the whole path".into(),
            Self::OtherHome(path) => format!("write `./{path}` for a folder of that name"),
            Self::Cwd => "remove it".into(),
            Self::Host(..) => "hosts are gemini, openai, anthropic and mcp".into(),
            Self::UsersOnly(_) => "move it to ~/.gemini/cogtoolrc.yaml".into(),
            Self::DuplicateProvider(_) => "give one of them another `name`".into(),
            Self::Missing(kind, _) => format!("write {}", example(kind)),
            Self::InvalidValue { key, .. } => format!("write {}", example(key)),
        }
    }
}

/// An example of a valid value for a key.
fn example(key: &str) -> &'static str {
    match key {
        "rules" | "lint" => "`lint: {rules: {no-examples: off}}`",
        "capability_aliases" => "`capability_aliases: {web.search: search.web}`",
        "env_priority" => "`env_priority: project` or `env_priority: process`",
        "locked" => "`locked: true`",
        "sandbox" => "`sandbox: required` or `sandbox: best-effort`",
        "inherit" => "`inherit: false`",
        "tools" => "`tools: [facepalm, git_*]`",
        "exclude" => "`exclude: [deploy_*]`",
        "toolsets" => "`toolsets: [git]`",
        "budget" => "`budget: 4000`",
        "limits" => "`limits: {memory: 512 MiB, processes: 64}`",
        "memory" => "`memory: 512 MiB`",
        "file_size" => "`file_size: 1 GiB`",
        "processes" => "`processes: 64`",
        "files" => "`files: 256`",
        "filter" => "`filter: {exclude: [deploy_*]}`",
        "title" => "`title: Tools of the shop`",
        "instructions" => "`instructions: Ask before you deploy.`",
        "hosts" => "`hosts: {gemini: {exclude: [deploy_*]}}`",
        "command" => "`command: {discover: other-discover, call: other-call}`",
        "mcp" => "`mcp: {command: npx, args: [-y, some-server]}` or `mcp: {url: https://…}`",
        "args" => "`args: [-y, some-server]`",
        "url" => "`url: https://example.org/mcp`",
        "headers" => "`headers: {Authorization: \"Bearer ${TOKEN}\"}`",
        "discover" | "call" => "the program and its arguments, such as `[other-discover, --json]`",
        "env" => "`env: [HOME, API_KEY]`",
        "prefix" => "`prefix: other_`",
        "timeout" | "wait" | "idle" | "cache" => "a number of seconds, such as `10`",
        "cwd" => "`cwd: project`",
        "safe_directories" => "`safe_directories: [/srv/shared/project]`",
        "name" => "`name: other`",
        "model" => "`model: gemini-flash-latest`",
        "temperature" => "`temperature: 0.2`",
        "provider" => "`provider: openai`",
        "base_url" => "`base_url: http://127.0.0.1:11434/v1`",
        "prices" => "`prices: prices.yaml`",
        "turns" | "calls" | "tokens" | "seconds" | "money" => {
            "`budget: {turns: 20, calls: 50, tokens: 100000, seconds: 300, money: 1.5}`"
        }
        "ask" => "`ask: {model: gemini-flash-latest, deny: [deploy_*]}`",
        "deny" | "allow" => "`deny: [deploy_*]`",
        "prompt" | "prompt.roles" | "prompt.rules" | "prompt.procedure" | "prompt.constraints" => {
            "`prompt: {rules: [Answer in one sentence.]}`"
        }
        "prompt.instructions" => "`prompt: {instructions: [AGENTS.md]}`",
        "prompt.static" | "prompt.dynamic" => "`prompt: {static: prompts/static.njk}`",
        "prompt.files" | "prompt.artifacts" => "`prompt: {files: [docs/plan.md]}`",
        "prompt.todos" => "`prompt: {todos: [Write the tests]}`",
        _ => "it as cogtoolrc(5) shows",
    }
}
