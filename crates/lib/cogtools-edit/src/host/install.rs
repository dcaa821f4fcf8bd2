//! The copies of Gemini CLI that can be started from a directory.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::{self, Text};
use serde_json::Value;

use super::{Vars, Version};

/// A `gemini` that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The program.
    pub program: PathBuf,
    /// Its version, if its package declares one.
    pub version: Option<Version>,
    /// True if it is on `PATH` rather than in a `node_modules/.bin`.
    pub on_path: bool,
}

/// The name of the program.
const NAME: &str = "gemini";

/// Finds every `gemini` that can be started in `root`: those on `PATH` in order, then
/// the ones in `node_modules/.bin` from `root` upward, then the ones that npx has installed, the
/// newest first. Links to the same file count once.
pub fn find(root: &Path, vars: &Vars) -> Vec<Installation> {
    let path = vars.get(OsStr::new("PATH"));
    let on_path = which::which_in_all(NAME, path, root).into_iter().flatten();
    let mut found: Vec<Installation> = Vec::new();
    let in_modules = root
        .ancestors()
        .map(|dir| dir.join("node_modules").join(".bin"))
        .chain(npx_folders(vars))
        .filter_map(|bin| which::which_in_global(NAME, Some(bin)).ok()?.next());
    let all = on_path
        .map(|program| (program, true))
        .chain(in_modules.map(|program| (program, false)));
    let mut seen = Vec::new();
    for (program, on_path) in all {
        let real = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
        if !seen.contains(&real) {
            let version = version(&program, &real);
            found.push(Installation {
                program,
                version,
                on_path,
            });
            seen.push(real);
        }
    }
    found
}

/// The folders of programs in npx's cache, the one that was installed last first.
fn npx_folders(vars: &Vars) -> Vec<PathBuf> {
    let folder = |name: &str| vars.get(OsStr::new(name)).map(PathBuf::from);
    let default = if cfg!(windows) {
        folder("LOCALAPPDATA").map(|data| data.join("npm-cache"))
    } else {
        folder("HOME").map(|home| home.join(".npm"))
    };
    let cache = folder("npm_config_cache").or(default);
    let entries = cache.and_then(|cache| fs::read_dir(cache.join("_npx")).ok());
    let mut folders: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("node_modules").join(".bin"))
        .filter_map(|bin| Some((fs::metadata(&bin).ok()?.modified().ok()?, bin)))
        .collect();
    folders.sort_unstable_by(|one, other| other.cmp(one));
    folders.into_iter().map(|(_, bin)| bin).collect()
}

/// Returns the version of the package that contains `real`, the resolved path of `program`.
fn version(program: &Path, real: &Path) -> Option<Version> {
    let inside = real.ancestors().skip(1).take(4).map(Path::to_path_buf);
    // If the program is a wrapper script, the package is next to it.
    let folder = program.parent()?;
    let modules = [folder.join("node_modules"), folder.parent()?.to_path_buf()];
    let siblings = modules.map(|modules| modules.join("@google").join("gemini-cli"));
    inside
        .chain(siblings)
        .find_map(|folder| package_version(&folder.join("package.json")))
}

fn package_version(file: &Path) -> Option<Version> {
    let bytes = text::bytes(file, file, Text::MAX_BYTES, &ReadScope::User).ok()?;
    let package: Value = serde_json::from_slice(&bytes).ok()?;
    let bin = package.get("bin")?;
    let is_gemini = bin.get(NAME).is_some() || package["name"] == "@google/gemini-cli";
    Version::parse(package.get("version").filter(|_| is_gemini)?.as_str()?)
}
