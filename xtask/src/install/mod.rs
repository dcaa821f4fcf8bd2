//! `cargo xtask install`: programs, man pages and completions below a prefix,
//! and then the programs at work.

mod place;
mod show;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cargo::{Build, target};
use crate::process::run as run_process;
use crate::{files, programs, say};
use place::place;

/// Installs below `prefix`, or below the user's own `.local`.
pub(crate) fn run(prefix: Option<&Path>) -> Result<()> {
    let prefix = match prefix {
        Some(prefix) => std::env::current_dir()?.join(prefix),
        None => home()?.join(".local"),
    };
    say::line("building the programs; the first time takes a minute or two");
    let build = Build::release()?;
    build.programs()?;
    let bin = prefix.join("bin");
    for program in programs::names()? {
        let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        place(&build.bin.join(&file), &bin.join(&file))?;
    }
    say::line(&format!("programs:    {}", bin.display()));
    share(&build, &prefix.join("share"))?;
    show::at_work(&bin)?;
    show::next_steps(&prefix);
    Ok(())
}

/// Man pages and completions, made by the same build.
fn share(build: &Build, share: &Path) -> Result<()> {
    let made = target()?.join("share");
    if made.exists() {
        std::fs::remove_dir_all(&made)
            .with_context(|| format!("cannot remove {}", made.display()))?;
    }
    let mut command = build.command("run")?;
    command.args(["--quiet", "--package", "xtask-manual", "--", "share"]);
    run_process(command.arg(&made))?;
    for file in files::below(&made)? {
        let below = file.strip_prefix(&made)?;
        place(&file, &share.join(below))?;
    }
    say::line(&format!("man pages:   {}", share.join("man").display()));
    say::line(&format!(
        "completions: {} (bash, zsh, fish)",
        share.display()
    ));
    Ok(())
}

fn home() -> Result<PathBuf> {
    std::env::home_dir()
        .filter(|home| home.is_absolute())
        .context("no home directory is known; name a place with --prefix")
}
