//! How Gemini CLI reaches the tools: through its discovery and call commands, or
//! through our MCP server. With both it would declare every tool twice.

use std::path::Path;

use cogtools_edit::Edit;
use serde_json::{Map, Value, json};

use crate::command;
use crate::mcp_host::words;
use crate::paths::Paths;
use crate::settings::Settings;
use crate::version::{Generation, Version};

/// One of the two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The commands `cogtools-discover` and `cogtools-call`.
    Commands,
    /// The MCP server `cogtools mcp`.
    Server,
}

/// The key of the servers in the settings.
pub const SERVERS: &str = "mcpServers";
/// The default name of our server.
pub const SERVER: &str = "cogtools";

/// The porcelain whose subcommand `mcp` is the server, and the server by itself.
const PORCELAIN: &str = "cogtools";
const PROGRAM: &str = "cogtools-mcp";

impl Connection {
    /// The better one for `version`: the server, if the host updates its list of tools
    /// when it changes. Descriptions then have no text of the host, and a failed
    /// discovery cannot prevent a start.
    pub fn recommended(version: Version) -> Self {
        if version.updates_servers() {
            Self::Server
        } else {
            Self::Commands
        }
    }

    /// Those that `value`, the content of a settings file, contains.
    pub fn of_value(value: &Value) -> Vec<Self> {
        let commands = [Generation::Flat, Generation::Nested]
            .into_iter()
            .flat_map(Generation::keys)
            .filter_map(|key| {
                let mut names = key.split('.');
                names.try_fold(value, |value, name| value.get(name))
            });
        let has_command = commands.into_iter().any(is_our_command);
        let has_server = servers(value).any(|(_, server)| runs_cogtools(server));
        [(has_command, Self::Commands), (has_server, Self::Server)]
            .into_iter()
            .filter_map(|(is_there, connection)| is_there.then_some(connection))
            .collect()
    }

    /// Those that any of the settings files contains.
    pub fn of_settings(settings: &Settings) -> Vec<Self> {
        let files = settings.files.iter();
        let all: Vec<Self> = files
            .filter_map(|file| file.value.as_ref().ok())
            .flat_map(Self::of_value)
            .collect();
        [Self::Commands, Self::Server]
            .into_iter()
            .filter(|connection| all.contains(connection))
            .collect()
    }

    /// The change to a project's settings that makes it.
    pub fn edit(self) -> Edit {
        match self {
            Self::Commands => command::edit(),
            Self::Server => Edit::merge(
                Paths::settings(),
                Map::from_iter([(
                    SERVERS.to_owned(),
                    json!({SERVER: {"command": PORCELAIN, "args": ["mcp"]}}),
                )]),
            ),
        }
    }
}

/// The servers in the content of a settings file.
pub fn servers(settings: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let servers = settings.get(SERVERS).and_then(Value::as_object);
    servers.into_iter().flatten()
}

/// Whether `server`, an entry of the settings, is `cogtools mcp`, however it is started.
pub fn runs_cogtools(server: &Value) -> bool {
    let words = words(server);
    let porcelain = words
        .windows(2)
        .any(|pair| is_named(pair[0], PORCELAIN) && pair[1] == "mcp");
    porcelain || words.iter().any(|word| is_named(word, PROGRAM))
}

fn is_our_command(value: &Value) -> bool {
    let words = value.as_str().unwrap_or_default().split_whitespace();
    let ours = [command::DISCOVER, command::CALL];
    let mut names = words.map(|word| word.trim_matches(['"', '\'']));
    names.any(|word| ours.iter().any(|program| is_named(word, program)))
}

fn is_named(word: &str, program: &str) -> bool {
    Path::new(word).file_stem().and_then(|stem| stem.to_str()) == Some(program)
}
