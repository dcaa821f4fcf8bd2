//! Where Gemini CLI looks for its files, as it works that out itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment variables of the process that starts Gemini CLI.
pub type Vars = BTreeMap<OsString, OsString>;

/// The files of one project and one user.
#[derive(Clone, Debug)]
pub struct Places {
    /// The directory in which Gemini CLI is started.
    pub root: PathBuf,
    /// The folder that holds the user's own `.gemini`.
    pub home: Option<PathBuf>,
    /// The settings of the system, which have the last word.
    pub system: PathBuf,
    /// The defaults of the system, which have the first.
    pub defaults: PathBuf,
    /// The list of trusted folders.
    pub trusted: Option<PathBuf>,
}

impl Places {
    /// The places for a Gemini CLI that is started in `root` with `vars`.
    pub fn new(root: &Path, vars: &Vars) -> Self {
        let named = |name: &str| {
            let value = vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = named("GEMINI_CLI_HOME").or_else(|| named(home));
        let system = named("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
            .unwrap_or_else(|| system_folder().join("settings.json"));
        let defaults = named("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
            .unwrap_or_else(|| system.with_file_name("system-defaults.json"));
        let trusted = named("GEMINI_CLI_TRUSTED_FOLDERS_PATH").or_else(|| {
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

    /// The folders with policies that are read: the system's and the user's, never
    /// the project's.
    pub fn policies(&self) -> Vec<PathBuf> {
        let user = self.home.as_ref();
        let user = user.map(|home| home.join(".gemini").join("policies"));
        std::iter::once(system_folder().join("policies"))
            .chain(user)
            .collect()
    }

    /// A path as a person writes it: from the project's root, or from `~`.
    pub fn shown(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return inside.display().to_string();
        }
        match self.home.as_ref().map(|home| path.strip_prefix(home)) {
            Some(Ok(inside)) => Path::new("~").join(inside).display().to_string(),
            _ => path.display().to_string(),
        }
    }
}

/// The folder of the whole system's files.
fn system_folder() -> PathBuf {
    PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/GeminiCli"
    } else if cfg!(windows) {
        r"C:\ProgramData\gemini-cli"
    } else {
        "/etc/gemini-cli"
    })
}
