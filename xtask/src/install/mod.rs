//! `cargo xtask install`: programs, man pages and completions below a prefix,
//! and then the programs at work.

mod place;
mod show;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cargo::{Build, target};
use crate::command::root;
use crate::process::run as run_process;
use crate::say;
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
    for program in programs()? {
        let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        place(&build.bin.join(&file), &bin.join(&file))?;
    }
    say::line(&format!("programs:    {}", bin.display()));
    share(&build, &prefix.join("share"))?;
    show::at_work(&bin)?;
    show::next_steps(&prefix);
    Ok(())
}

/// The programs that the package has: one source file each.
fn programs() -> Result<Vec<String>> {
    let sources = root()?
        .join("crates")
        .join("cogtools")
        .join("src")
        .join("bin");
    let names = files(&sources)?.into_iter().filter_map(|file| {
        let stem = file.file_stem()?.to_str()?;
        Some(stem.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Ok(names)
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
    for file in files(&made)? {
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

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn home() -> Result<PathBuf> {
    std::env::home_dir()
        .filter(|home| home.is_absolute())
        .context("no home directory is known; name a place with --prefix")
}
