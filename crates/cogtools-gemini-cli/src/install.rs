//! The copies of Gemini CLI that can be started from a directory.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::Vars;
use crate::version::Version;

/// A `gemini` that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The program.
    pub program: PathBuf,
    /// Its version, if the package it belongs to tells.
    pub version: Option<Version>,
    /// Whether it is on `PATH`; others are in a `node_modules/.bin`.
    pub on_path: bool,
}

/// The name of the program.
const NAME: &str = "gemini";

/// Every `gemini` that can be started in `root`: those on `PATH` in order, then
/// those in `node_modules/.bin` from `root` upward. Links to one are one.
pub fn find(root: &Path, vars: &Vars) -> Vec<Installation> {
    let path = vars.get(OsStr::new("PATH"));
    let on_path = which::which_in_all(NAME, path, root).into_iter().flatten();
    let mut found: Vec<Installation> = Vec::new();
    let modules = root
        .ancestors()
        .map(|at| at.join("node_modules").join(".bin"));
    let modules = modules.filter_map(|bin| which::which_in_global(NAME, Some(bin)).ok()?.next());
    let all = on_path
        .map(|program| (program, true))
        .chain(modules.map(|program| (program, false)));
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

/// The version of the package that `real`, the file behind `program`, is of.
fn version(program: &Path, real: &Path) -> Option<Version> {
    let inside = real.ancestors().skip(1).take(4).map(Path::to_path_buf);
    // Where a script stands for the program, the package lies beside it.
    let folder = program.parent()?;
    let beside = [folder.join("node_modules"), folder.parent()?.to_path_buf()];
    let beside = beside.map(|modules| modules.join("@google").join("gemini-cli"));
    inside
        .chain(beside)
        .find_map(|folder| of_package(&folder.join("package.json")))
}

fn of_package(file: &Path) -> Option<Version> {
    let package: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let bin = package.get("bin")?;
    let named = bin.get(NAME).is_some() || package["name"] == "@google/gemini-cli";
    Version::parse(package.get("version").filter(|_| named)?.as_str()?)
}
