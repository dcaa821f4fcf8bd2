//! The supported platforms.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::cargo::{host, rustc};
use crate::process::{find, output};
use crate::{programs, say};

/// A platform, with its names for cargo and for npm.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The target triple.
    pub(super) triple: &'static str,
    /// Node's names of its system and its processor, if there is an npm package for
    /// it.
    pub(super) npm: Option<(&'static str, &'static str)>,
}

/// Every target of a release. On Linux, static programs run on every distribution;
/// the npm packages have the faster ones for glibc.
pub(super) const TARGETS: [Target; 7] = [
    target("aarch64-apple-darwin", Some(("darwin", "arm64"))),
    target("aarch64-unknown-linux-gnu", Some(("linux", "arm64"))),
    target("aarch64-unknown-linux-musl", None),
    target("x86_64-apple-darwin", Some(("darwin", "x64"))),
    target("x86_64-pc-windows-msvc", Some(("win32", "x64"))),
    target("x86_64-unknown-linux-gnu", Some(("linux", "x64"))),
    target("x86_64-unknown-linux-musl", None),
];

const fn target(triple: &'static str, npm: Option<(&'static str, &'static str)>) -> Target {
    Target { triple, npm }
}

impl Target {
    /// The target of that name.
    pub(super) fn named(triple: &str) -> Result<&'static Self> {
        let found = TARGETS.iter().find(|target| target.triple == triple);
        let known: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
        found.with_context(|| format!("`{triple}` is not one of {}", known.join(", ")))
    }

    /// The target of this machine.
    pub(super) fn here() -> Result<&'static Self> {
        Self::named(&host()?)
    }

    /// The file name of a program.
    pub(super) fn file(&self, program: &str) -> String {
        let ending = if self.triple.contains("windows") {
            ".exe"
        } else {
            ""
        };
        format!("{program}{ending}")
    }

    /// Returns true if archives can contain links: on Windows, creating a link requires a
    /// privilege.
    pub(super) fn links(&self) -> bool {
        !self.triple.contains("windows")
    }

    /// The names of the programs with a file of their own on this system.
    pub(super) fn own(&self) -> Result<Vec<String>> {
        let mut names = programs::own()?;
        if self.triple.contains("windows") {
            names.retain(|name| name != programs::CONFINE);
        }
        Ok(names)
    }

    /// Installs the standard library for the target if necessary.
    pub(super) fn install(&self) -> Result<()> {
        let args = ["--print", "target-libdir", "--target", self.triple];
        let library = output(rustc().args(args))?;
        if std::path::Path::new(library.trim()).is_dir() {
            return Ok(());
        }
        let how = format!("rustup target add {}", self.triple);
        if find("rustup").is_none() {
            bail!("the compiler has no library for {}: {how}", self.triple);
        }
        say::line(&format!("installing the library for {}", self.triple));
        output(Command::new("rustup").args(["target", "add", self.triple]))
            .map(drop)
            .with_context(|| format!("the compiler has no library for {}: {how}", self.triple))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_named_once_and_has_its_files() {
        for target in &TARGETS {
            assert_eq!(Target::named(target.triple).unwrap(), target);
        }
        let windows = Target::named("x86_64-pc-windows-msvc").unwrap();
        assert_eq!(windows.file("cogtools-call"), "cogtools-call.exe");
        let linux = Target::named("x86_64-unknown-linux-musl").unwrap();
        assert_eq!(linux.file("cogtools-call"), "cogtools-call");
        assert!(linux.links() && !windows.links());
        let error = Target::named("sparc").unwrap_err().to_string();
        assert!(
            error.starts_with("`sparc` is not one of aarch64-apple-darwin, "),
            "{error}"
        );
    }
}
