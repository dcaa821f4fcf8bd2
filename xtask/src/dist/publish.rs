//! `cargo xtask publish`: publishes the npm packages, those with programs before the
//! package that depends on them; and `cargo xtask tag`, which rejects a wrong tag.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::VERSION;
use super::target::TARGETS;
use crate::process::{output, run};
use crate::say;

/// Publishes every package below `dir`, or only prints what npm would do. Packages
/// already published in this version are skipped, so that it can be run again.
pub(crate) fn write(dir: &Path, dry_run: bool) -> Result<()> {
    let dir = std::env::current_dir()?.join(dir);
    let platforms = TARGETS.iter().filter_map(|target| target.npm);
    let platforms = platforms.map(|(system, processor)| format!("{system}-{processor}"));
    let names: Vec<String> = platforms.chain(["cogtools".to_owned()]).collect();
    for name in &names {
        if !dir.join(name).join("package.json").is_file() {
            bail!("{} has no package {name}", dir.display());
        }
    }
    names
        .iter()
        .try_for_each(|name| publish(&dir.join(name), name, dry_run))
}

fn publish(folder: &Path, name: &str, dry_run: bool) -> Result<()> {
    let full = match name {
        "cogtools" => name.to_owned(),
        platform => format!("@cogtools/{platform}"),
    };
    let version = format!("{full}@{VERSION}");
    let mut view = npm();
    view.args(["view", &version, "version"]);
    if !dry_run && output(&mut view).is_ok_and(|found| found.trim() == VERSION) {
        say::line(&format!("{version} is already published"));
        return Ok(());
    }
    let mut command = npm();
    command
        .arg("publish")
        .arg(folder)
        .args(["--access", "public"]);
    command.arg(if dry_run { "--dry-run" } else { "--provenance" });
    run(&mut command)
}

/// npm, which is a script on Windows.
fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Fails unless `tag` names this version.
pub(crate) fn tag(tag: &str) -> Result<()> {
    let expected = format!("v{VERSION}");
    if tag != expected {
        bail!("the tag of this version is {expected}, not {tag}");
    }
    Ok(())
}
