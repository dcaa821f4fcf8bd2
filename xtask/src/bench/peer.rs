//! The programs of the comparison: minimal Rust programs, and the same task in
//! Node.js and Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::cargo::rustc;
use crate::command::root;
use crate::needs::python_tool;
use crate::process::{find, output};
use crate::say;

/// The programs to compare with.
pub(super) struct Peers {
    /// `true`.
    pub(super) nothing: PathBuf,
    /// An empty `main`.
    pub(super) empty: PathBuf,
    /// Lists and reads the tool files.
    pub(super) read: PathBuf,
    /// Node, and the directory with its scripts.
    pub(super) node: (PathBuf, PathBuf),
    /// Python with its packages, if installed.
    pub(super) python: Option<PathBuf>,
}

impl Peers {
    /// Builds and installs all of them below `dir`.
    pub(super) fn install(dir: &Path) -> Result<Self> {
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Self {
            nothing: find("true").context("there is no program `true`")?,
            empty: compile("empty", dir)?,
            read: compile("read", dir)?,
            node: node(dir)?,
            python: python(dir)
                .inspect_err(|error| say::line(&format!("no Python to compare with: {error:#}")))
                .ok(),
        })
    }
}

/// The directory with the sources of the peers.
pub(super) fn sources() -> Result<PathBuf> {
    Ok(root()?.join("xtask/bench"))
}

fn compile(name: &str, dir: &Path) -> Result<PathBuf> {
    let program = dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let source = sources()?.join(format!("{name}.rs"));
    let mut rustc = rustc();
    rustc.args(["--edition=2024", "-Copt-level=3", "-Cstrip=symbols", "-o"]);
    output(rustc.arg(&program).arg(source))?;
    Ok(program)
}

fn node(dir: &Path) -> Result<(PathBuf, PathBuf)> {
    let Some(node) = find("node") else {
        bail!("the comparison needs Node.js");
    };
    let place = dir.join("node");
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    for file in ["package.json", "call.mjs", "discover.mjs", "serve.mjs"] {
        let to = place.join(file);
        fs::copy(sources()?.join(file), &to)
            .with_context(|| format!("cannot write {}", to.display()))?;
    }
    let npm = find("npm").context("the comparison needs npm")?;
    let mut npm = Command::new(npm);
    npm.args([
        "install",
        "--silent",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]);
    output(npm.current_dir(&place))?;
    Ok((node, place))
}

fn python(dir: &Path) -> Result<PathBuf> {
    let place = dir.join("python");
    let list = sources()?.join("requirements.txt");
    let list = list
        .to_str()
        .context("the path of the repository is not UTF-8")?;
    python_tool(&place, &["--requirement", list])?;
    let bin = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    Ok(place.join(bin))
}
