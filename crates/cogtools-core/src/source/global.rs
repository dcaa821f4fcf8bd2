//! Where npm puts packages for everybody on the machine.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::packages::MODULES;
use crate::environment::Vars;

/// Where npm puts packages for everybody, looked for only when it is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Global {
    prefix: Option<PathBuf>,
    path: Option<OsString>,
}

/// The variables by which npm is told its prefix.
const PREFIXES: [&str; 2] = ["npm_config_prefix", "NPM_CONFIG_PREFIX"];

impl Global {
    /// What `vars`, the environment of a process, tell.
    pub fn new(vars: &Vars) -> Self {
        let var = |name: &str| vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let prefix = PREFIXES.iter().find_map(|name| var(name));
        Self {
            prefix: prefix.map(PathBuf::from),
            path: var("PATH").cloned(),
        }
    }

    /// The folder, if it is there: below the prefix that npm is told, or below
    /// that of the `node` on PATH.
    pub fn folder(&self) -> Option<PathBuf> {
        let prefix = self.prefix.clone().or_else(|| self.beside_node())?;
        let folder = if cfg!(windows) {
            prefix.join(MODULES)
        } else {
            prefix.join("lib").join(MODULES)
        };
        folder.is_dir().then_some(folder)
    }

    fn beside_node(&self) -> Option<PathBuf> {
        let node = format!("node{}", std::env::consts::EXE_SUFFIX);
        let mut folders = std::env::split_paths(self.path.as_ref()?);
        let node = folders.find_map(|folder| {
            let file = folder.join(&node);
            file.is_file().then_some(file)
        })?;
        let node = node.canonicalize().ok()?;
        let folder = node.parent()?;
        let prefix = if cfg!(windows) {
            folder
        } else {
            folder.parent()?
        };
        Some(prefix.to_path_buf())
    }
}
