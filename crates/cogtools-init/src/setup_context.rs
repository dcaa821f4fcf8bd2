//! The context of a run: the project and the user's directories.

use std::path::{Path, PathBuf};

use cogtools_program::Io;

/// What the configurations of hosts are made from.
#[derive(Clone, Debug)]
pub(crate) struct SetupContext {
    /// The project.
    pub(crate) root: PathBuf,
    /// The requested name.
    pub(crate) name: Option<String>,
    /// The path of `cogtools`, for hosts that do not search `PATH`.
    pub(crate) program: PathBuf,
    /// The user's home directory.
    home: Option<PathBuf>,
    /// The directory of Codex, if the user has set it.
    codex: Option<PathBuf>,
    /// The directory of configuration files, if the system sets it.
    applications: Option<PathBuf>,
}

impl SetupContext {
    /// The context of a run with `io`.
    pub(crate) fn new(name: Option<String>, io: &Io<'_>) -> Self {
        let folder = |variable: &str| io.var(variable).map(PathBuf::from);
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let applications = if cfg!(windows) {
            "APPDATA"
        } else {
            "XDG_CONFIG_HOME"
        };
        let program = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
        Self {
            root: io.cwd.clone(),
            name,
            program: io.program.with_file_name(program),
            home: folder(home).filter(|home| home.is_absolute()),
            codex: folder("CODEX_HOME").filter(|folder| folder.is_absolute()),
            applications: folder(applications).filter(|folder| folder.is_absolute()),
        }
    }

    /// The configuration of Codex.
    pub(crate) fn codex(&self) -> Option<PathBuf> {
        let folder = self
            .codex
            .clone()
            .or_else(|| Some(self.home.as_ref()?.join(".codex")))?;
        Some(folder.join("config.toml"))
    }

    /// The configuration of Claude Desktop.
    pub(crate) fn claude_desktop(&self) -> Option<PathBuf> {
        let home = || self.home.as_deref();
        let folder = if cfg!(target_os = "macos") {
            home()?.join("Library").join("Application Support")
        } else if cfg!(windows) {
            match &self.applications {
                Some(folder) => folder.clone(),
                None => home()?.join("AppData").join("Roaming"),
            }
        } else {
            match &self.applications {
                Some(folder) => folder.clone(),
                None => home()?.join(".config"),
            }
        };
        Some(folder.join("Claude").join("claude_desktop_config.json"))
    }

    /// The full path of `file`.
    pub(crate) fn full(&self, file: &Path) -> PathBuf {
        self.root.join(file)
    }
}
