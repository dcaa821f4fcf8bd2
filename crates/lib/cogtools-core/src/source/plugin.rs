//! An Agent Plugin 1.0.0 (agent-plugins.org) as a source: the servers in its `mcp.json` are
//! providers, and agents read its skills.
//!
//! A server starts in the folder of the plugin, the whole of which its approval covers, and may
//! write only to a folder of its own, `PLUGIN_DATA`. An invalid entry costs itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::{SkillFolder, SourceError, is_invalid_in_name};
use crate::digest;
use crate::environment::{Vars, is_dangerous};
use crate::file::{ReadScope, descends};
use crate::text::Text;
use crate::tool::Author;

/// The manifest.
const PLUGIN_FILE: &str = "plugin.json";
/// The file with the servers.
const SERVERS: &str = "mcp.json";
/// The schemas of version 1.0.0.
const SCHEMAS: &str = "https://agent-plugins.org/schemas/1.0.0";
/// The variables of the standard.
pub(super) const ROOT: &str = "PLUGIN_ROOT";
pub(super) const DATA: &str = "PLUGIN_DATA";
const DATA_VARIABLE: &str = "${PLUGIN_DATA}";

/// A plugin.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// Its folder, with links resolved.
    pub root: PathBuf,
    display_path: PathBuf,
    /// True if the user has named it, rather than the author of the project.
    is_users: bool,
    /// The files that are invalid, or have invalid entries, and why.
    errors: Vec<(PathBuf, String)>,
    /// The valid entries of `mcp.json`, by name.
    pub(crate) servers: BTreeMap<String, PluginServer>,
}

/// An entry of `mcp.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum PluginServer {
    /// A program.
    Stdio {
        command: String,
        #[serde(default)]
        args: Vec<String>,
        #[serde(default)]
        env: BTreeMap<String, String>,
        cwd: Option<String>,
    },
    /// A server behind a URL.
    StreamableHttp {
        url: String,
        #[serde(default)]
        headers: BTreeMap<String, String>,
    },
}

/// The start of a plugin's server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PluginStart {
    /// The folder of the plugin, with links resolved.
    pub(super) root: PathBuf,
    /// The working directory, as `mcp.json` writes it.
    pub(super) cwd: Option<String>,
    /// Variables, as `mcp.json` writes them.
    pub(super) env: BTreeMap<String, String>,
    /// `cwd` and `env` for approvals, `NAME=VALUE`.
    pub(super) described: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the standard's closed list of keys")]
struct Manifest {
    #[serde(rename = "$schema")]
    schema: String,
    name: String,
    version: Option<String>,
    description: Option<String>,
    author: Option<Value>,
    homepage: Option<String>,
    repository: Option<String>,
    license: Option<String>,
    keywords: Option<Vec<String>>,
    extensions: Option<BTreeMap<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Servers {
    #[serde(rename = "$schema")]
    schema: String,
    #[serde(rename = "mcpServers")]
    servers: BTreeMap<String, Value>,
}

impl Plugin {
    /// Reads the plugin in the folder at `path`, which `display_path` shows.
    pub fn read(path: &Path, display_path: &Path, scope: &ReadScope, is_users: bool) -> Self {
        let stem = path.file_name().unwrap_or_default().to_string_lossy();
        let real = path.canonicalize();
        let mut plugin = Self {
            name: stem.into_owned(),
            root: real.unwrap_or_else(|_| path.to_path_buf()),
            display_path: display_path.to_path_buf(),
            is_users,
            errors: Vec::new(),
            servers: BTreeMap::new(),
        };
        if scope.is_left_by(path) {
            plugin.fail(
                PLUGIN_FILE,
                "its folder is a link that points outside the project",
            );
        } else if let Err(error) = plugin.read_manifest() {
            plugin.fail(PLUGIN_FILE, &error);
        } else if plugin.root.join(SERVERS).symlink_metadata().is_ok()
            && let Err(error) = plugin.read_servers()
        {
            plugin.fail(SERVERS, &error);
        }
        plugin
    }

    /// Returns the folder of its skills.
    pub fn skills(&self) -> SkillFolder {
        let author = if self.is_users {
            Author::User
        } else {
            Author::Package(self.root.clone())
        };
        SkillFolder {
            path: self.root.join("skills"),
            display_path: self.display_path.join("skills"),
            source: self.name.clone(),
            author,
            boundary: Some(self.root.clone()),
        }
    }

    /// Returns the names of its valid servers as sources, and of its valid skills.
    pub fn content(&self) -> (Vec<String>, Vec<String>) {
        let servers = self.servers.keys().map(|name| self.source_name(name));
        (servers.collect(), self.skills().names())
    }

    /// Returns the name of its server `name` as a source.
    pub(crate) fn source_name(&self, name: &str) -> String {
        if name == self.name {
            return name.to_owned();
        }
        format!("{}/{name}", self.name).replace(is_invalid_in_name, "_")
    }

    /// Returns an error for each invalid file or entry.
    pub fn errors(&self) -> impl Iterator<Item = SourceError> {
        let errors = self.errors.iter().cloned();
        errors.map(|(path, error)| SourceError::Plugin(path, error))
    }

    /// Returns the error of the whole plugin, if its manifest is invalid.
    pub fn error(&self) -> Option<&str> {
        let of_manifest = |(path, _): &&(PathBuf, String)| path.ends_with(PLUGIN_FILE);
        let error = self.errors.iter().find(of_manifest);
        error.map(|(_, error)| error.as_str())
    }

    fn fail(&mut self, file: &str, error: &str) {
        let path = self.display_path.join(file);
        self.errors.push((path, error.to_owned()));
    }

    fn json<T: for<'de> Deserialize<'de>>(&self, file: &str) -> Result<T, String> {
        let scope = ReadScope::package(&self.root, false);
        let (path, display_path) = (self.root.join(file), self.display_path.join(file));
        let text = Text::read(&path, &display_path, &scope).map_err(|error| error.to_string())?;
        serde_json::from_str(text.as_str()).map_err(|error| error.to_string())
    }

    fn read_manifest(&mut self) -> Result<(), String> {
        let manifest: Manifest = self.json(PLUGIN_FILE)?;
        if manifest.schema != format!("{SCHEMAS}/plugin.schema.json") {
            return Err(format!("`$schema` is not {SCHEMAS}/plugin.schema.json"));
        }
        let name = manifest.name;
        let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_valid = |c: char| is_end(c) || c == '.' || c == '-';
        let is_name = name.starts_with(is_end)
            && name.ends_with(is_end)
            && name.len() <= 64
            && name.chars().all(is_valid)
            && !name.contains("--")
            && !name.contains("..");
        if !is_name {
            return Err("`name` is not one that the standard permits".to_owned());
        }
        self.name = name;
        Ok(())
    }

    fn read_servers(&mut self) -> Result<(), String> {
        let file: Servers = self.json(SERVERS)?;
        if file.schema != format!("{SCHEMAS}/mcp.schema.json") {
            return Err(format!("`$schema` is not {SCHEMAS}/mcp.schema.json"));
        }
        for (name, entry) in file.servers {
            // Approvals are recorded by the name of the source.
            let source = self.source_name(&name);
            let mut others = self.servers.keys();
            let is_taken = others.any(|other| self.source_name(other) == source);
            match self.server(entry) {
                Ok(_) if is_taken => {
                    let error = format!("the server `{name}`: another is the source `{source}`");
                    self.fail(SERVERS, &error);
                }
                Ok(server) => {
                    self.servers.insert(name, server);
                }
                Err(error) => self.fail(SERVERS, &format!("the server `{name}`: {error}")),
            }
        }
        Ok(())
    }

    fn server(&self, entry: Value) -> Result<PluginServer, String> {
        // The transport before `streamable-http`, which the client does not know.
        if entry.get("type").is_some_and(|kind| kind == "sse") {
            return Err(
                "the transport sse is not supported, only stdio and streamable-http".into(),
            );
        }
        let mut server: PluginServer =
            serde_json::from_value(entry).map_err(|error| error.to_string())?;
        match &mut server {
            PluginServer::Stdio {
                command, env, cwd, ..
            } => {
                let below = command.strip_prefix("./");
                let is_name = !command.is_empty() && !command.contains(['/', '\\']);
                if !is_name && !below.is_some_and(|below| self.contains(below)) {
                    return Err("`command` is neither a name nor a file of the plugin".to_owned());
                }
                if let (Some(below), Some(_)) = (below, &cwd) {
                    // It is in the folder of the plugin, wherever it starts.
                    *command = format!("${{{ROOT}}}/{below}");
                }
                // The client of the server sees them, too. A plugin that cogtools has packed names
                // its tools so.
                let refused = |name: &&String| {
                    let is_reserved = *name == ROOT || *name == DATA || name.starts_with('_');
                    let is_packed = *name == "COGTOOLS_TOOL_SOURCES";
                    is_reserved || !is_packed && is_dangerous(name)
                };
                if let Some(name) = env.keys().find(refused) {
                    return Err(format!("`env` may not set {name}"));
                }
                let cwd = cwd.as_deref().unwrap_or("./");
                // `${PLUGIN_DATA}x` is a neighbour of the folder.
                let below = |name: &str| {
                    let rest = cwd.strip_prefix(&format!("${{{name}}}"))?;
                    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
                };
                let of_root = cwd.strip_prefix("./").or_else(|| below(ROOT));
                let is_contained = match (of_root, below(DATA)) {
                    (Some(below), _) => self.contains(below),
                    (None, Some(below)) => descends(below.as_ref()),
                    (None, None) => false,
                };
                if !is_contained {
                    return Err("`cwd` is not a folder of the plugin".to_owned());
                }
            }
            PluginServer::StreamableHttp { url, .. } => {
                if !(url.starts_with("https://") || url.starts_with("http://")) {
                    return Err("`url` begins with neither https:// nor http://".to_owned());
                }
            }
        }
        Ok(server)
    }

    /// Returns true if the file `below` is in the plugin, as it is written and with links resolved.
    fn contains(&self, below: &str) -> bool {
        let real = self.root.join(below).canonicalize();
        descends(below.as_ref()) && real.is_ok_and(|real| real.starts_with(&self.root))
    }
}

impl PluginStart {
    pub(crate) fn new(plugin: &Plugin, cwd: Option<String>, env: BTreeMap<String, String>) -> Self {
        let variables = env.iter().map(|(name, value)| format!("{name}={value}"));
        let cwd_line = cwd.iter().map(|cwd| format!("cwd={cwd}"));
        Self {
            root: plugin.root.clone(),
            described: cwd_line.chain(variables).collect(),
            cwd,
            env,
        }
    }

    /// Returns `text` with the folders of the standard's variables.
    pub(super) fn expand(text: &str, root: &Path, data: &Path) -> String {
        // The data folder is ours, and its path has no `$`.
        let text = text.replace(&format!("${{{DATA}}}"), &data.display().to_string());
        text.replace(&format!("${{{ROOT}}}"), &root.display().to_string())
    }

    /// Returns `line` of its settings as far as it is known before a start: the data folder, which
    /// has nothing of the plugin, keeps its variable.
    pub(super) fn expand_root(&self, line: &[String]) -> Vec<String> {
        let words = line.iter();
        words
            .map(|word| Self::expand(word, &self.root, Path::new(DATA_VARIABLE)))
            .collect()
    }

    /// Finds the files that an expanded `word` of its command line names where it starts, by their
    /// paths in `project` if they are in it.
    pub(crate) fn named_paths(&self, word: &str, project: &Path) -> Vec<PathBuf> {
        let folder = self.directory();
        let project = project.canonicalize().unwrap_or_default();
        let named = digest::named_paths(&folder, word).into_iter();
        let files = named.map(|file| folder.join(file));
        let below = |file: PathBuf| match file.strip_prefix(&project) {
            Ok(below) => below.to_path_buf(),
            Err(_) => file,
        };
        files.map(below).collect()
    }

    /// Returns the folder in which it starts, as far as it is known before that.
    pub(super) fn directory(&self) -> PathBuf {
        let folder = self.apply(&mut Vars::default(), &self.root, Path::new(DATA_VARIABLE));
        folder.components().collect()
    }

    /// Adds its variables, and returns its working directory, for a plugin in the folder `root`.
    pub(super) fn apply(&self, variables: &mut Vars, root: &Path, data: &Path) -> PathBuf {
        let env = self.env.iter();
        let env = env.map(|(name, value)| (name.as_str(), Self::expand(value, root, data)));
        let folders = [(ROOT, root), (DATA, data)];
        let folders = folders.map(|(name, path)| (name, path.display().to_string()));
        let all = env.chain(folders);
        variables.extend(all.map(|(name, value)| (OsString::from(name), value.into())));
        match &self.cwd {
            Some(cwd) => root.join(Self::expand(cwd, root, data)),
            None => root.to_path_buf(),
        }
    }
}
