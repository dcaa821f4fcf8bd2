//! Cargo and the compiler, as used in this workspace.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::command::root;
use crate::process::{output, run};
use crate::programs;

/// Flags for a program that needs no shared library and lies at a fixed address:
/// nothing is loaded or relocated at its start.
const STATIC: &str = "-Ctarget-feature=+crt-static -Crelocation-model=static";

/// A build of the programs for use.
pub(crate) struct Build {
    /// The directory with the binaries.
    pub(crate) bin: PathBuf,
    flags: Option<String>,
    target: String,
    profile: &'static str,
}

/// A cargo command in the root of the repository.
pub(crate) fn cargo() -> Result<Command> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()?);
    Ok(command)
}

/// The directory that cargo builds in.
pub(crate) fn target() -> Result<PathBuf> {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => Ok(root()?.join(dir)),
        None => Ok(root()?.join("target")),
    }
}

/// The triple of this machine.
pub(crate) fn host() -> Result<String> {
    let text = output(rustc().arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned)
        .context("rustc does not name its host")
}

pub(crate) fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

impl Build {
    /// The release build for this machine: linked statically where that works,
    /// which saves the loading of shared libraries at every start.
    pub(crate) fn release() -> Result<Self> {
        Self::new(&host()?, "release")
    }

    /// The release build for `target`. On Linux it runs on every system,
    /// which only static programs do.
    pub(crate) fn dist(target: &str) -> Result<Self> {
        let build = Self::new(target, "dist")?;
        if target.contains("-linux-") && !build.is_static() {
            bail!(
                "no static program can be linked for {target} here: \
                 it takes a linker for it, and libc.a (libc6-dev on Debian)"
            );
        }
        Ok(build)
    }

    fn new(target: &str, profile: &'static str) -> Result<Self> {
        let flags = statically(target)?.then(|| STATIC.to_owned());
        Ok(Self {
            bin: self::target()?.join(target).join(profile),
            flags,
            target: target.to_owned(),
            profile,
        })
    }

    /// Returns true if the programs need no shared library.
    pub(crate) const fn is_static(&self) -> bool {
        self.flags.is_some()
    }

    /// Builds every program, and the links to them.
    pub(crate) fn programs(&self) -> Result<()> {
        let is_windows = self.target.contains("windows");
        let mut build = self.command("build")?;
        build.args(["--package", "cogtools", "--bins"]);
        if is_windows {
            build.args(["--features", "stub"]);
        }
        run(&mut build)?;
        programs::link(&self.bin, is_windows)
    }

    /// A cargo command for this build. The target is named so that the flags
    /// are not for procedural macros, which must be shared libraries.
    pub(crate) fn command(&self, name: &str) -> Result<Command> {
        let mut command = cargo()?;
        let profile = ["--profile", self.profile, "--locked"];
        command.arg(name).args(profile);
        command.args(["--target", &self.target]);
        if let Some(version) = version()? {
            command.env("COGTOOLS_VERSION", version);
        }
        if let Some(flags) = &self.flags {
            let triple = self.target.to_uppercase().replace(['-', '.'], "_");
            command.env(format!("CARGO_TARGET_{triple}_RUSTFLAGS"), flags);
        }
        Ok(command)
    }
}

/// The version of a build with its commit and date, such as `0.1.0 (463368f 2026-11-24)`; `None`
/// outside a repository, as in the source of a release.
fn version() -> Result<Option<String>> {
    let mut git = Command::new("git");
    git.current_dir(root()?);
    let commit = output(git.args(["log", "-1", "--abbrev=9", "--format=%h %cs", "--", "."]));
    let commit = commit.ok().map(|text| text.trim().to_owned());
    let commit = commit.filter(|commit| !commit.is_empty());
    Ok(commit.map(|commit| format!("{} ({commit})", env!("CARGO_PKG_VERSION"))))
}

/// Returns true if a program can be linked statically here: glibc's archive is a package of its own
/// on some systems, and another machine's takes another linker. Other systems either do so anyway
/// or cannot.
fn statically(triple: &str) -> Result<bool> {
    if !triple.contains("-linux-") {
        return Ok(false);
    }
    let dir = target()?.join("probe");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let source = dir.join("empty.rs");
    std::fs::write(&source, "fn main() {}\n")
        .with_context(|| format!("cannot write {}", source.display()))?;
    let status = rustc()
        .args(STATIC.split(' '))
        .args(["--target", triple])
        .arg("-o")
        .arg(dir.join("empty"))
        .arg(&source)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    Ok(status.context("cannot start rustc")?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_the_commit_and_date_of_its_source() {
        let Some(version) = version().unwrap() else {
            return;
        };
        let words: Vec<&str> = version.split([' ', '(', ')', '-']).collect();
        let [number, "", commit, year, month, day, ""] = words[..] else {
            panic!("{version}");
        };
        assert_eq!(number, env!("CARGO_PKG_VERSION"));
        assert!(commit.chars().all(|c| c.is_ascii_hexdigit()), "{version}");
        assert_eq!([year, month, day].map(str::len), [4, 2, 2], "{version}");
    }
}
