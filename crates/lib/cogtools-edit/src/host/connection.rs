//! The two ways in which Gemini CLI reaches the tools, and its versions: through its discovery and
//! call commands, or through our MCP server. With both it would declare every tool twice.

use std::fmt;
use std::path::Path;

use serde_json::{Value, json};

use super::mcp_host::words;
use super::settings::{Paths, Settings, value_at};
use crate::Edit;

/// One of the two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The commands `cogtools-discover` and `cogtools-call`.
    Commands,
    /// The MCP server `cogtools mcp`.
    Server,
}

/// Our discovery command.
pub const DISCOVER: &str = "cogtools-discover";
/// Our call command.
pub const CALL: &str = "cogtools-call";

/// The key of the servers in the settings.
pub const SERVERS: &str = "mcpServers";
/// The default name of our server.
pub const SERVER: &str = "cogtools";

/// The porcelain whose subcommand `mcp` is the server, and the server by itself.
const PORCELAIN: &str = "cogtools";
const PROGRAM: &str = "cogtools-mcp";

impl Connection {
    /// Returns the better one for `version`: the server, if the host updates its list of tools
    /// when it changes. Descriptions then have no text of the host, and a failed
    /// discovery cannot prevent a start.
    pub fn recommended(version: Version) -> Self {
        if version.updates_servers() {
            Self::Server
        } else {
            Self::Commands
        }
    }

    /// Returns the ones that `value`, the content of a settings file, contains.
    pub fn of_value(value: &Value) -> Vec<Self> {
        let mut commands = [Generation::Flat, Generation::Nested]
            .into_iter()
            .flat_map(Generation::keys)
            .filter_map(|key| value_at(value, key));
        let has_command = commands.any(is_our_command);
        let has_server = servers(value).any(|(_, server)| runs_cogtools(server));
        [(has_command, Self::Commands), (has_server, Self::Server)]
            .into_iter()
            .filter_map(|(is_there, connection)| is_there.then_some(connection))
            .collect()
    }

    /// Returns the ones that any of the settings files contains.
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

    /// Returns the change to a project's settings that makes it.
    ///
    /// There are two generations of keys for the commands: releases up to 0.2 and from 0.10 to 0.20
    /// read the flat ones, releases from 0.3 those below `tools`. Each ignores the other's, so a file
    /// with both works everywhere.
    pub fn edit(self) -> Edit {
        let tools = json!({"discoveryCommand": DISCOVER, "callCommand": CALL});
        let wanted = match self {
            Self::Commands => vec![
                ("toolDiscoveryCommand", DISCOVER.into()),
                ("toolCallCommand", CALL.into()),
                ("tools", tools),
            ],
            Self::Server => {
                let server = json!({SERVER: {"command": PORCELAIN, "args": ["mcp"]}});
                vec![(SERVERS, server)]
            }
        };
        let wanted = wanted
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Edit::merge(Paths::settings(), wanted.collect())
    }
}

/// Returns the servers in the content of a settings file.
pub fn servers(settings: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let servers = settings.get(SERVERS).and_then(Value::as_object);
    servers.into_iter().flatten()
}

/// Returns true if `server`, an entry of the settings, is `cogtools mcp`, however it is started.
pub fn runs_cogtools(server: &Value) -> bool {
    let words = words(server);
    let porcelain = words
        .windows(2)
        .any(|pair| is_named(pair[0], PORCELAIN) && pair[1] == "mcp");
    porcelain || words.iter().any(|word| is_named(word, PROGRAM))
}

fn is_our_command(value: &Value) -> bool {
    let words = value.as_str().unwrap_or_default().split_whitespace();
    let ours = [DISCOVER, CALL];
    let mut names = words.map(|word| word.trim_matches(['"', '\'']));
    names.any(|word| ours.iter().any(|program| is_named(word, program)))
}

fn is_named(word: &str, program: &str) -> bool {
    Path::new(word).file_stem().and_then(|stem| stem.to_str()) == Some(program)
}

/// The version of a release, without a `-` suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

/// The generation of the settings keys that name the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// `toolDiscoveryCommand` and `toolCallCommand`: up to 0.2.
    Flat,
    /// `tools.discoveryCommand` and `tools.callCommand`: from 0.3 on.
    Nested,
}

impl Version {
    /// The newest version that was tested.
    pub const KNOWN: Self = Self::new(0, 61, 0);

    const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Reads the version in a text such as `0.61.0` or `0.3.0-preview.1`.
    pub fn parse(text: &str) -> Option<Self> {
        let release = text.trim().split(['-', '+']).next()?;
        let mut numbers = release.split('.').map(|part| part.parse().ok());
        let version = Self::new(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }

    /// Returns the generation of the keys that it reads. Some releases from 0.10 to 0.20 read the flat ones as well.
    pub fn generation(self) -> Generation {
        if self < Self::new(0, 3, 0) {
            Generation::Flat
        } else {
            Generation::Nested
        }
    }

    /// Returns the prefix of the names of discovered tools.
    pub fn prefix(self) -> &'static str {
        if self < Self::new(0, 17, 0) {
            ""
        } else {
            "discovered_tool_"
        }
    }

    /// Returns true if it lists the tools of an MCP server again when the server says that they
    /// have changed, and names them `mcp_`, the server's name, `_` and the tool's name.
    pub fn updates_servers(self) -> bool {
        self >= Self::new(0, 35, 0)
    }

    /// Returns true if it has policies, and denies discovered tools without a terminal.
    pub fn has_policies(self) -> bool {
        !self.prefix().is_empty()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Generation {
    /// Returns the keys of the discovery and of the call command, as paths in the settings.
    pub const fn keys(self) -> [&'static str; 2] {
        match self {
            Self::Flat => ["toolDiscoveryCommand", "toolCallCommand"],
            Self::Nested => ["tools.discoveryCommand", "tools.callCommand"],
        }
    }
}
