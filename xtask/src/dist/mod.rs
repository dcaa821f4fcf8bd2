//! The artefacts of a release: archives, npm packages and the shell installer.
//!
//! All are created in memory first, from the same programs, and are reproducible
//! byte for byte.

mod archive;
mod folder;
mod installer;
mod npm;
mod publish;
mod source;
mod target;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

pub(crate) use archive::write as archives;
pub(crate) use installer::write as installer;
pub(crate) use npm::write as packages;
pub(crate) use publish::{tag, write as publish};
pub(crate) use source::Source;

use crate::command::root;
use crate::files;
use folder::Folder;

/// The version of all artefacts.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The requested directory, or `default` below cargo's target directory.
fn out(dir: Option<&Path>, default: &str) -> Result<PathBuf> {
    match dir {
        Some(dir) => Ok(std::env::current_dir()?.join(dir)),
        None => Ok(crate::cargo::target()?.join("dist").join(default)),
    }
}

/// The licences, and the manual pages below `share`.
fn papers(folder: &mut Folder) -> Result<()> {
    let root = root()?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        folder.put(name, files::read(&root.join(name))?);
    }
    for file in files::below(&root.join("man"))? {
        let name = file.file_name().and_then(|name| name.to_str());
        let page = name.context("a manual page has no name")?;
        let section = page.rsplit('.').next().unwrap_or_default();
        folder.put(
            &format!("share/man/man{section}/{page}"),
            files::read(&file)?,
        );
    }
    Ok(())
}
