//! The hosts other than Gemini CLI that read MCP servers from a file: which file, under which
//! key, and in which form.
//!
//! `init` writes these files and `doctor` reads them, both by this one table. Each row names
//! its source, where that is not the host's documentation.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Vars;
use crate::jsonc::Dialect;

/// A host and its file.
#[derive(Clone, Copy, Debug)]
pub struct McpHost {
    /// Its name on the command line of `cogtools init`.
    pub key: &'static str,
    /// Its name in messages.
    pub name: &'static str,
    /// The key of the servers.
    pub table: &'static str,
    /// The form in which an entry names the program.
    pub form: EntryForm,
    /// The dialect that its parser accepts, if the file is JSON.
    pub dialect: Dialect,
    /// True if the file is about servers only; others have settings that are not ours.
    pub is_dedicated: bool,
    /// True if it starts each server in the directory of the session: one entry of the user serves
    /// every project.
    pub starts_in_project: bool,
    /// The maximum number of tools of all servers together.
    pub max_tools: Option<usize>,
    place: Place,
}

/// The form in which an entry names the program to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryForm {
    /// `command` is the program, `args` its arguments.
    Standard,
    /// As [`Self::Standard`], and `type` is `stdio`.
    Typed,
    /// As [`Self::Standard`], and with `required` a session waits for the server, and fails
    /// without it.
    Required,
    /// `command` is a list of the program and its arguments, and `type` is `local`.
    List,
    /// `cmd` is the program, `args` its arguments; `enabled`, `name` and `type` are required.
    Extension,
}

/// The place of the file.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the project: the first of these that exists, or else the first.
    Project(&'static [&'static str]),
    /// In the project; the user's files are read, too.
    Workspace(&'static str, fn(&Vars) -> Vec<PathBuf>),
    /// At the user.
    User(fn(&Vars) -> Option<PathBuf>),
}

impl McpHost {
    /// Every host.
    pub const ALL: [Self; 12] = [
        Self::new("claude-code", "Claude Code", Place::Project(&[".mcp.json"])),
        Self {
            form: EntryForm::Standard,
            ..Self::new(
                "claude-desktop",
                "Claude Desktop",
                Place::User(claude_desktop),
            )
        },
        Self::new("cursor", "Cursor", Place::Project(&[".cursor/mcp.json"])),
        // `withProfileMcpServers` in src/vs/platform/mcp/common of microsoft/vscode.
        Self {
            table: "servers",
            dialect: Dialect::Commas,
            ..Self::new("vscode", "VS Code", Place::Project(&[".vscode/mcp.json"]))
        },
        // Of a project's file, Codex 0.169 reads servers only if the user trusts the project.
        // `codex exec` waits one second for a server that is not required.
        Self {
            table: "mcp_servers",
            form: EntryForm::Required,
            starts_in_project: true,
            ..Self::new("codex", "Codex", Place::User(codex))
        },
        // `mcp add` and `McpLocalConfig` in npm opencode-linux-x64 1.18.34.
        Self {
            table: "mcp",
            form: EntryForm::List,
            dialect: Dialect::Commas,
            is_dedicated: false,
            ..Self::new("opencode", "opencode", Place::Project(&OPENCODE))
        },
        // `MCPServerConfig` in npm @qwen-code/qwen-code 0.15.10.
        Self {
            form: EntryForm::Standard,
            is_dedicated: false,
            ..Self::new(
                "qwen",
                "Qwen Code",
                Place::Project(&[".qwen/settings.json"]),
            )
        },
        // `mcp list` of npm @github/copilot 1.0.102: the second only without the first.
        Self::new(
            "copilot",
            "Copilot CLI",
            Place::Project(&[".mcp.json", ".github/mcp.json"]),
        ),
        // `ExtensionConfig::Stdio` in crates/goose/src/agents/extension.rs of block/goose.
        Self {
            table: "extensions",
            form: EntryForm::Extension,
            is_dedicated: false,
            ..Self::new("goose", "Goose", Place::User(goose))
        },
        // `lookupConfigs` in internal/config/load.go of charmbracelet/crush.
        Self {
            table: "mcp",
            dialect: Dialect::Strict,
            is_dedicated: false,
            ..Self::new("crush", "Crush", Place::Project(&CRUSH))
        },
        // `ContextServerSettingsContent` in crates/settings_content/src/project.rs of
        // zed-industries/zed.
        Self {
            table: "context_servers",
            form: EntryForm::Standard,
            dialect: Dialect::Commas,
            is_dedicated: false,
            ..Self::new("zed", "Zed", Place::Project(&[".zed/settings.json"]))
        },
        // By its documentation; it was never run here. A comment prevents its start.
        Self {
            form: EntryForm::Standard,
            dialect: Dialect::Strict,
            max_tools: Some(100),
            ..Self::new(
                "antigravity",
                "Antigravity",
                Place::Workspace(".agents/mcp_config.json", antigravity),
            )
        },
    ];

    const fn new(key: &'static str, name: &'static str, place: Place) -> Self {
        Self {
            key,
            name,
            table: "mcpServers",
            form: EntryForm::Typed,
            dialect: Dialect::Comments,
            is_dedicated: true,
            starts_in_project: false,
            max_tools: None,
            place,
        }
    }

    /// Returns the host of that name.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.key == key)
    }

    /// The options of a server of ours for this host.
    pub fn options(&self) -> Vec<String> {
        let max_tools = self
            .max_tools
            .map(|tools| ["--max-tools".to_owned(), tools.to_string()]);
        max_tools.into_iter().flatten().collect()
    }

    /// Returns true if the file belongs to the user, and is shared by all projects.
    pub const fn is_users(&self) -> bool {
        matches!(self.place, Place::User(_))
    }

    /// Returns the file to write for the project at `root`: relative to it, or absolute if it belongs
    /// to the user, whose home directory may be unknown.
    pub fn file(&self, root: &Path, vars: &Vars) -> Option<PathBuf> {
        let mut files = self.files(vars);
        if matches!(self.place, Place::Workspace(..)) {
            files.truncate(1);
        }
        let present = files
            .iter()
            .position(|file| root.join(file).symlink_metadata().is_ok());
        (!files.is_empty()).then(|| files.swap_remove(present.unwrap_or(0)))
    }

    /// Returns every file that the host reads.
    pub fn files(&self, vars: &Vars) -> Vec<PathBuf> {
        match self.place {
            Place::Project(files) => files.iter().map(|file| native(file)).collect(),
            Place::Workspace(file, users) => {
                let mut files = vec![native(file)];
                files.extend(users(vars));
                files
            }
            Place::User(file) => file(vars).into_iter().collect(),
        }
    }
}

/// The places where `opencode mcp add` looks for the file of a project, in its order.
const OPENCODE: [&str; 4] = [
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
];

const CRUSH: [&str; 2] = [".crush.json", "crush.json"];

/// Returns the program and the arguments of `entry`, in whichever form it is written.
pub fn words(entry: &Value) -> Vec<&str> {
    let strings = |key: &str| -> Vec<&str> {
        match entry.get(key) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    };
    let mut words = [strings("command"), strings("cmd")].concat();
    if !words.is_empty() {
        words.extend(strings("args"));
    }
    words
}

/// Returns `words` without `cmd /c`, which starts `npx` on Windows alone.
pub fn without_shell(mut words: Vec<String>) -> Vec<String> {
    let is_shell = |word: &String| ["cmd", "cmd.exe"].contains(&&*word.to_ascii_lowercase());
    let is_windows = words.len() > 2 && is_shell(&words[0]) && words[1].eq_ignore_ascii_case("/c");
    if is_windows && !cfg!(windows) {
        words.drain(..2);
    }
    words
}

/// Returns the absolute path that a command line has as its `--project`.
pub fn project<'a>(line: &[&'a str]) -> Option<&'a str> {
    let at = line.iter().position(|word| *word == "--project");
    let path = match at {
        Some(at) => line.get(at + 1).copied(),
        None => line.iter().find_map(|word| word.strip_prefix("--project=")),
    };
    path.filter(|path| Path::new(path).is_absolute())
}

/// A relative path with the separators of the system.
fn native(path: &str) -> PathBuf {
    path.split('/').collect()
}

/// The configuration of Codex, if the home directory or `CODEX_HOME` is known.
fn codex(vars: &Vars) -> Option<PathBuf> {
    let folder = folder("CODEX_HOME", vars).or_else(|| Some(home(vars)?.join(".codex")))?;
    Some(folder.join("config.toml"))
}

/// The user's files of Antigravity: the one since 1.0.3, and the one before.
fn antigravity(vars: &Vars) -> Vec<PathBuf> {
    let folder = home(vars).map(|home| home.join(".gemini"));
    let files = ["config/mcp_config.json", "antigravity-cli/mcp_config.json"];
    let folders = folder.into_iter();
    folders
        .flat_map(|folder| files.map(|file| folder.join(native(file))))
        .collect()
}

/// The configuration of Claude Desktop, where the system keeps configurations of applications.
fn claude_desktop(vars: &Vars) -> Option<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        home(vars)?.join("Library").join("Application Support")
    } else if cfg!(windows) {
        roaming(vars)?
    } else {
        xdg_config(vars)?
    };
    Some(folder.join("Claude").join("claude_desktop_config.json"))
}

/// The configuration of Goose: below `GOOSE_PATH_ROOT`, or the place that its crate `etcetera` chooses,
/// which uses the directories of XDG on macOS too.
fn goose(vars: &Vars) -> Option<PathBuf> {
    let folder = match folder("GOOSE_PATH_ROOT", vars) {
        Some(root) => root.join("config"),
        None if cfg!(windows) => roaming(vars)?.join("Block").join("goose").join("config"),
        None => xdg_config(vars)?.join("goose"),
    };
    Some(folder.join("config.yaml"))
}

fn xdg_config(vars: &Vars) -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME", vars).or_else(|| Some(home(vars)?.join(".config")))
}

fn roaming(vars: &Vars) -> Option<PathBuf> {
    folder("APPDATA", vars).or_else(|| Some(home(vars)?.join("AppData").join("Roaming")))
}

fn home(vars: &Vars) -> Option<PathBuf> {
    folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" }, vars)
}

fn folder(variable: &str, vars: &Vars) -> Option<PathBuf> {
    let folder = vars.get(OsStr::new(variable)).map(PathBuf::from);
    folder.filter(|folder| folder.is_absolute())
}
