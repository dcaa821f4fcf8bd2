//! `cargo xtask install`: programs, man pages and completions below a prefix,
//! and then the programs at work.

mod place;
mod show;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cargo::{Build, target};
use crate::process::run as run_process;
use crate::{files, programs, say, weight};
pub(crate) use place::link;
use place::place;

/// Installs below `prefix`, or below the user's own `.local`.
pub(crate) fn run(prefix: Option<&Path>) -> Result<()> {
    let prefix = match prefix {
        Some(prefix) => std::env::current_dir()?.join(prefix),
        None => home()?.join(".local"),
    };
    say::line("building the programs; the first time takes some minutes");
    let build = Build::release()?;
    build.programs()?;
    let (bin, share) = (prefix.join("bin"), prefix.join("share"));
    let file = |program: &String| format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let mut own = programs::own()?;
    if cfg!(windows) {
        own.retain(|name| name != programs::CONFINE);
    }
    let own = own.iter().map(file);
    let mut placed: Vec<(PathBuf, PathBuf)> = own
        .map(|file| (build.bin.join(&file), bin.join(&file)))
        .collect();
    placed.extend(shared(&build, &share)?);
    let size = weight::megabytes(size(&placed)?);
    for (from, to) in &placed {
        place(from, to)?;
    }
    // After their targets.
    for name in &programs::linked()? {
        let file = file(name);
        link(
            Some(&build.bin.join(&file)),
            programs::binary(name),
            &bin.join(&file),
        )?;
    }
    say::line(&format!("programs:    {}", bin.display()));
    say::line(&format!("man pages:   {}", share.join("man").display()));
    say::line(&format!(
        "completions: {} (bash, zsh, fish)",
        share.display()
    ));
    say::line(&format!("size:        {size}"));
    show::at_work(&bin)?;
    show::next_steps(&prefix);
    Ok(())
}

/// Man pages and completions, made by the same build, and where they belong.
fn shared(build: &Build, share: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let made = target()?.join("share");
    if made.exists() {
        std::fs::remove_dir_all(&made)
            .with_context(|| format!("cannot remove {}", made.display()))?;
    }
    let mut command = build.command("run")?;
    command.args(["--quiet", "--package", "xtask-manual", "--", "share"]);
    run_process(command.arg(&made))?;
    let files = files::below(&made)?.into_iter();
    files
        .map(|file| {
            let to = share.join(file.strip_prefix(&made)?);
            Ok((file, to))
        })
        .collect()
}

/// The number of bytes of the files to be placed.
fn size(placed: &[(PathBuf, PathBuf)]) -> Result<u64> {
    let sizes = placed.iter().map(|(from, _)| {
        let meta = from.metadata();
        let meta = meta.with_context(|| format!("cannot read {}", from.display()))?;
        Ok(meta.len())
    });
    sizes.sum()
}

fn home() -> Result<PathBuf> {
    std::env::home_dir()
        .filter(|home| home.is_absolute())
        .context("the home directory is unknown; choose one with --prefix")
}
