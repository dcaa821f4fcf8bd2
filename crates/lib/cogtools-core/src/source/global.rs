//! The folders of npm's global packages.
//!
//! Running npm would take longer than everything else together, so its rules are
//! implemented here: a variable, the user's `.npmrc`, the location of `node`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::environment::Vars;
use crate::file::ReadScope;
use crate::text;

/// The name of the folder that contains packages.
pub(super) const MODULES: &str = "node_modules";

/// The folders of npm's global packages, located on first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalModules {
    prefix: Option<PathBuf>,
    settings: Option<PathBuf>,
    home: Option<PathBuf>,
    path: Option<OsString>,
}

/// The variables that set npm's prefix, and those that name the user's settings.
const PREFIXES: [&str; 2] = ["npm_config_prefix", "NPM_CONFIG_PREFIX"];
const SETTINGS: [&str; 2] = ["npm_config_userconfig", "NPM_CONFIG_USERCONFIG"];

/// The maximum size of the settings: 1 MiB.
const MAX_SETTINGS_BYTES: usize = 1 << 20;

impl GlobalModules {
    /// Uses `vars`, the environment of a process.
    pub fn new(vars: &Vars) -> Self {
        let var = |name: &str| vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let path = |names: [&str; 2]| names.iter().find_map(|name| var(name)).map(PathBuf::from);
        let home = var("HOME").map(PathBuf::from);
        Self {
            prefix: path(PREFIXES),
            settings: path(SETTINGS).or_else(|| Some(home.as_ref()?.join(".npmrc"))),
            home,
            path: var("PATH").cloned(),
        }
    }

    /// The existing folders of global packages: below the configured prefix, or else
    /// below the prefixes of `node`, as found on PATH and with links resolved.
    pub fn folders(&self) -> Vec<PathBuf> {
        let configured = self.prefix.clone().or_else(|| self.configured_prefix());
        let prefixes = configured.map_or_else(|| self.prefixes_of_node(), |prefix| vec![prefix]);
        let mut folders: Vec<PathBuf> = Vec::new();
        for prefix in prefixes.iter().filter(|prefix| prefix.is_absolute()) {
            let folder = if cfg!(windows) {
                prefix.join(MODULES)
            } else {
                prefix.join("lib").join(MODULES)
            };
            if folder.is_dir() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// The prefix in the user's settings.
    fn configured_prefix(&self) -> Option<PathBuf> {
        let file = self.settings.as_ref()?;
        let bytes = text::bytes(file, file, MAX_SETTINGS_BYTES, &ReadScope::User).ok()?;
        let settings = String::from_utf8(bytes).ok()?;
        let mut values = settings.lines().filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "prefix").then(|| value.trim().trim_matches(['"', '\'']))
        });
        let value = values.next_back().filter(|value| !value.is_empty())?;
        for home in ["~", "${HOME}"] {
            if let Some(rest) = value.strip_prefix(home) {
                return Some(
                    self.home
                        .as_ref()?
                        .join(rest.trim_start_matches(['/', '\\'])),
                );
            }
        }
        Some(PathBuf::from(value))
    }

    /// The prefixes of the first `node` on PATH: it may be a link made by a package
    /// manager, with packages next to either end.
    fn prefixes_of_node(&self) -> Vec<PathBuf> {
        let node = format!("node{}", std::env::consts::EXE_SUFFIX);
        let path = self.path.as_deref().unwrap_or_default();
        let mut files = std::env::split_paths(path).map(|folder| folder.join(&node));
        let Some(file) = files.find(|file| file.is_absolute() && file.is_file()) else {
            return Vec::new();
        };
        let real = file.canonicalize();
        let ends = std::iter::once(file).chain(real);
        ends.filter_map(|file| prefix(&file)).collect()
    }
}

/// The prefix that contains the `node` at `file`.
fn prefix(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let prefix = if cfg!(windows) {
        folder
    } else {
        folder.parent()?
    };
    Some(prefix.to_path_buf())
}
