//! The files of the user, not of a project, in which hosts find MCP servers.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::Vars;

/// The configuration of Codex, if the home directory or `CODEX_HOME` is known.
pub(crate) fn codex(vars: &Vars) -> Option<PathBuf> {
    let folder = folder("CODEX_HOME", vars).or_else(|| Some(home(vars)?.join(".codex")))?;
    Some(folder.join("config.toml"))
}

/// The configuration of Claude Desktop, where the system keeps those of applications.
pub(crate) fn claude_desktop(vars: &Vars) -> Option<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        home(vars)?.join("Library").join("Application Support")
    } else if cfg!(windows) {
        roaming(vars)?
    } else {
        xdg_config(vars)?
    };
    Some(folder.join("Claude").join("claude_desktop_config.json"))
}

/// The configuration of Goose: below `GOOSE_PATH_ROOT`, or where its crate `etcetera` puts it,
/// which uses the directories of XDG on macOS too.
pub(crate) fn goose(vars: &Vars) -> Option<PathBuf> {
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
