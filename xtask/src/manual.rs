//! `cargo xtask man`, `cargo xtask completions` and `cargo xtask pictures`.

use std::path::Path;

use anyhow::Result;

use crate::cargo::cargo;
use crate::command::root;
use crate::process::run;
use crate::say;

/// Writes the pages into man/.
pub(crate) fn write() -> Result<()> {
    let dir = root()?.join("man");
    make("man", &dir)?;
    say::line(&format!("the man pages are in {}", dir.display()));
    Ok(())
}

/// Checks that the pages in man/ are up to date, and lints them.
pub(crate) fn check() -> Result<()> {
    run(cargo()?.args(["test", "--quiet", "--package", "xtask-manual"]))
}

/// Writes the completions below `dir`.
pub(crate) fn completions(dir: &Path) -> Result<()> {
    make("completions", &std::env::current_dir()?.join(dir))
}

/// Writes the pictures into docs/pictures.
pub(crate) fn pictures() -> Result<()> {
    let dir = root()?.join("docs").join("pictures");
    make("pictures", &dir)?;
    say::line(&format!("the pictures are in {}", dir.display()));
    Ok(())
}

fn make(what: &str, dir: &Path) -> Result<()> {
    let command = ["run", "--quiet", "--package", "xtask-manual", "--", what];
    run(cargo()?.args(command).arg(dir))
}
