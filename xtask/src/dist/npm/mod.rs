//! `cargo xtask npm`: the package `cogtools`, and one with the programs for each
//! platform, as folders that `npm pack` and `npm publish` take.

mod manifest;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::target::Target;
use super::{Folder, Source, out, papers};
use crate::command::root;
use crate::{files, programs, say};

/// The file that every package has.
const MANIFEST: &str = "package.json";

/// Writes the packages into `dir`; `repository` is where the source lies.
pub(crate) fn write(
    source: &Source,
    targets: &[String],
    repository: Option<&str>,
    dir: Option<&Path>,
) -> Result<()> {
    let dir = out(dir, "npm")?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut made = 0;
    for target in source.targets(targets)? {
        let Some((system, processor)) = target.npm else {
            continue;
        };
        let folder = platform(source, target, repository)?;
        put(&folder, &dir.join(format!("{system}-{processor}")))?;
        made += 1;
    }
    if made == 0 {
        bail!("none of these targets has an npm package; musl targets are for archives only");
    }
    put(&launchers(repository)?, &dir.join("cogtools"))
}

/// The package that users install.
fn launchers(repository: Option<&str>) -> Result<Folder> {
    let names = programs::names()?;
    let mut folder = Folder::default();
    papers(&mut folder)?;
    for name in &names {
        folder.put_program(&format!("bin/{name}"), text("launcher.js")?);
    }
    for name in ["launch.js", "install.js", "README.md"] {
        folder.put(name, text(name)?);
    }
    let pages: Vec<String> = folder
        .files()
        .filter(|(name, _)| name.starts_with("share/man/"))
        .map(|(name, _)| name.to_owned())
        .collect();
    folder.put(MANIFEST, manifest::launchers(&names, &pages, repository)?);
    Ok(folder)
}

/// The package with the programs for one platform. It has those that are files of their own, and
/// copies for hosts, as a package has no links: other links are part of `cogtools`.
fn platform(source: &Source, target: &Target, repository: Option<&str>) -> Result<Folder> {
    let mut folder = Folder::default();
    papers(&mut folder)?;
    for (file, data) in source.programs(target, &target.own()?)? {
        if let Some(ending) = file.strip_prefix("cogtools-call") {
            for name in programs::HOSTS {
                folder.put_program(&format!("bin/{name}{ending}"), data.clone());
            }
        }
        folder.put_program(&format!("bin/{file}"), data);
    }
    folder.put("README.md", text("platform.md")?);
    folder.put(MANIFEST, manifest::platform(target, repository)?);
    Ok(folder)
}

fn put(folder: &Folder, dir: &Path) -> Result<()> {
    folder.write(dir, MANIFEST)?;
    say::line(&dir.display().to_string());
    Ok(())
}

/// A file of the packages that is written by hand.
fn text(name: &str) -> Result<Vec<u8>> {
    files::read(&root()?.join("xtask").join("npm").join(name))
}
