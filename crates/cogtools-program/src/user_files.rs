//! The files of the user, not of a project, in which hosts find MCP servers.

use std::path::PathBuf;

use crate::Io;

/// The configuration of Codex, if the home directory or `CODEX_HOME` is known.
pub fn codex(io: &Io<'_>) -> Option<PathBuf> {
    let folder = folder("CODEX_HOME", io).or_else(|| Some(home(io)?.join(".codex")))?;
    Some(folder.join("config.toml"))
}

/// The configuration of Claude Desktop, where the system keeps those of applications.
pub fn claude_desktop(io: &Io<'_>) -> Option<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        home(io)?.join("Library").join("Application Support")
    } else if cfg!(windows) {
        folder("APPDATA", io).or_else(|| Some(home(io)?.join("AppData").join("Roaming")))?
    } else {
        folder("XDG_CONFIG_HOME", io).or_else(|| Some(home(io)?.join(".config")))?
    };
    Some(folder.join("Claude").join("claude_desktop_config.json"))
}

fn home(io: &Io<'_>) -> Option<PathBuf> {
    folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" }, io)
}

fn folder(variable: &str, io: &Io<'_>) -> Option<PathBuf> {
    let folder = io.var(variable).map(PathBuf::from);
    folder.filter(|folder| folder.is_absolute())
}
