//! The source of the programs of a target.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::archive;
use super::target::{TARGETS, Target};
use crate::cargo::Build;
use crate::files;

/// The source of the programs.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// They are built now.
    Build,
    /// A directory has them, for one target.
    Binaries(PathBuf),
    /// A directory has archives of them, for each target.
    Archives(PathBuf),
}

impl Source {
    /// The targets that are named; without a name, what there is: every archive,
    /// or else this machine.
    pub(super) fn targets(&self, named: &[String]) -> Result<Vec<&'static Target>> {
        if named.is_empty() {
            return self.present();
        }
        let targets: Result<Vec<_>> = named.iter().map(|name| Target::named(name)).collect();
        let targets = targets?;
        if matches!(self, Self::Binaries(_)) && targets.len() > 1 {
            bail!("one directory has the programs of one target");
        }
        Ok(targets)
    }

    fn present(&self) -> Result<Vec<&'static Target>> {
        let Self::Archives(dir) = self else {
            return Ok(vec![Target::here()?]);
        };
        let there = |target: &&Target| dir.join(archive::file(target)).is_file();
        let found: Vec<_> = TARGETS.iter().filter(there).collect();
        if found.is_empty() {
            bail!("no archive of this version is in {}", dir.display());
        }
        Ok(found)
    }

    /// The file of each of the programs `names` for `target`, with its name.
    pub(super) fn programs(
        &self,
        target: &Target,
        names: &[String],
    ) -> Result<Vec<(String, Vec<u8>)>> {
        match self {
            Self::Build => {
                target.install()?;
                let build = Build::dist(target.triple)?;
                build.programs()?;
                read(&build.bin, target, names)
            }
            Self::Binaries(dir) => read(dir, target, names),
            Self::Archives(dir) => {
                archive::programs(&dir.join(archive::file(target)), target, names)
            }
        }
    }
}

/// The programs `names`, from `dir`.
fn read(dir: &Path, target: &Target, names: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
    names
        .iter()
        .map(|name| {
            let file = target.file(name);
            let data = files::read(&dir.join(&file)).context("a program is missing")?;
            Ok((file, data))
        })
        .collect()
}
