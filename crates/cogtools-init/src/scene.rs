//! The context of a run: the project, and the folders of the user.

use std::path::{Path, PathBuf};

use cogtools_program::Io;

/// What configurations are made of.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The project.
    pub(crate) root: PathBuf,
    /// The name that was asked for.
    pub(crate) name: Option<String>,
    /// The porcelain, for hosts that know no `PATH`.
    pub(crate) program: PathBuf,
    /// The user's folder.
    home: Option<PathBuf>,
    /// Where Codex keeps its files, if the user has said so.
    codex: Option<PathBuf>,
    /// Where applications keep their configuration, if the system has said so.
    applications: Option<PathBuf>,
}

impl Scene {
    /// The scene of a run with `io`.
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
        let folder = self.codex.clone();
        let folder = folder.or_else(|| Some(self.home.as_ref()?.join(".codex")))?;
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

    /// What a file is called when its full path is to be shown.
    pub(crate) fn full(&self, file: &Path) -> PathBuf {
        self.root.join(file)
    }
}
