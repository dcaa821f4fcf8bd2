//! The locations of Gemini CLI's files, determined as it does itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment variables of the process that starts Gemini CLI.
pub type Vars = BTreeMap<OsString, OsString>;

/// The files of one project and one user.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The directory in which Gemini CLI is started.
    pub root: PathBuf,
    /// The folder that contains the user's `.gemini`.
    pub home: Option<PathBuf>,
    /// The system settings, which override all others.
    pub system: PathBuf,
    /// The system defaults, which all others override.
    pub defaults: PathBuf,
    /// The list of trusted folders.
    pub trusted: Option<PathBuf>,
}

impl Paths {
    /// The locations for a Gemini CLI that is started in `root` with `vars`.
    pub fn new(root: &Path, vars: &Vars) -> Self {
        let path_var = |name: &str| {
            let value = vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = path_var("GEMINI_CLI_HOME").or_else(|| path_var(home));
        let system = path_var("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
            .unwrap_or_else(|| system_folder().join("settings.json"));
        let defaults = path_var("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
            .unwrap_or_else(|| system.with_file_name("system-defaults.json"));
        let trusted = path_var("GEMINI_CLI_TRUSTED_FOLDERS_PATH").or_else(|| {
            let home = home.as_ref()?;
            Some(home.join(".gemini").join("trustedFolders.json"))
        });
        Self {
            root: root.to_path_buf(),
            home,
            system,
            defaults,
            trusted,
        }
    }

    /// The settings of a project or a user, relative to its folder.
    pub fn settings() -> PathBuf {
        Path::new(".gemini").join("settings.json")
    }

    /// The folders of policies that Gemini CLI reads: the system's and the user's, but
    /// not the project's.
    pub fn policies(&self) -> Vec<PathBuf> {
        let user = self
            .home
            .as_ref()
            .map(|home| home.join(".gemini").join("policies"));
        std::iter::once(system_folder().join("policies"))
            .chain(user)
            .collect()
    }

    /// A path for messages: relative to the project's root or to `~`, if possible.
    pub fn display_path(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return inside.display().to_string();
        }
        match self.home.as_ref().map(|home| path.strip_prefix(home)) {
            Some(Ok(inside)) => Path::new("~").join(inside).display().to_string(),
            _ => path.display().to_string(),
        }
    }
}

/// The folder of the system-wide files.
fn system_folder() -> PathBuf {
    PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/GeminiCli"
    } else if cfg!(windows) {
        r"C:\ProgramData\gemini-cli"
    } else {
        "/etc/gemini-cli"
    })
}
