//! The private copy of the covered files, in the layout of their project.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{Mirror, StoreError};
use crate::containment::MODULES;
use crate::digest::{self, DigestError, Hash, add_part};
use crate::file::ReadScope;

impl Mirror {
    /// The digest of what is covered.
    pub fn digest(&self) -> Result<Hash, DigestError> {
        self.hash(None)
    }

    /// Copies what is covered to the folder `temp`, later found at `path`, and returns the
    /// digest of what was copied.
    pub(super) fn copy(&self, temp: &Path, path: &Path) -> Result<Hash, StoreError> {
        let hash = self.hash(Some((temp, path)))?;
        let failed = |error| StoreError::Io(temp.to_path_buf(), error);
        self.link_modules(temp).map_err(failed)?;
        Ok(hash)
    }

    /// Links everything else of the project where it is in the layout. What was added to
    /// the project since the copy was made is added to it, too.
    pub(super) fn link_rest(&self, copy: &Path) -> io::Result<()> {
        let folders: BTreeSet<&Path> = self
            .units
            .iter()
            .flat_map(|unit| unit.path.ancestors().skip(1))
            .collect();
        for folder in &folders {
            let is_covered = self.units.iter().any(|unit| unit.contains(folder));
            for entry in fs::read_dir(self.root.join(folder))? {
                let name = entry?.file_name();
                let below = folder.join(&name);
                let is_known = folders.contains(below.as_path())
                    || self.units.iter().any(|unit| unit.path == below)
                    || is_covered && name != *MODULES;
                if !is_known {
                    self.link(&below, copy)?;
                }
            }
        }
        Ok(())
    }

    /// The folders that are covered, with those in them.
    pub(super) fn folders(&self) -> BTreeSet<&Path> {
        let units = self.units.iter().filter(|unit| unit.is_folder);
        let folders = units.flat_map(|unit| {
            let folders = unit.walked.files.iter();
            let folders = folders.flat_map(|file| file.ancestors().skip(1));
            folders.filter(|folder| folder.starts_with(&unit.path))
        });
        folders.collect()
    }

    fn hash(&self, copy: Option<(&Path, &Path)>) -> Result<Hash, DigestError> {
        let mut hasher = Sha256::new();
        for file in self.units.iter().flat_map(|unit| &unit.walked.files) {
            let failed = |error| DigestError::Io(self.root.join(file), error);
            let target = copy.map(|(temp, _)| temp.join(file));
            if let Some(folder) = target.as_deref().and_then(Path::parent) {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            add_part(&mut hasher, file.as_os_str().as_encoded_bytes());
            let path = self.root.join(file);
            if path.is_symlink() {
                let link = self.target(&path).map_err(failed)?;
                add_part(&mut hasher, b"link");
                add_part(&mut hasher, link.as_os_str().as_encoded_bytes());
                if let (Some(target), Some((_, later))) = (&target, copy) {
                    digest::link(&later.join(link), target, path.is_dir()).map_err(failed)?;
                }
                continue;
            }
            add_part(&mut hasher, b"file");
            let scope = ReadScope::project(&self.root);
            match target {
                Some(target) => digest::copy_file(&mut hasher, (&path, &scope), &target)?,
                None => digest::add_file(&mut hasher, &path, &scope)?,
            }
        }
        Ok(Hash::of(hasher))
    }

    /// Where a link leads: below the root, or an absolute path outside it.
    fn target(&self, link: &Path) -> io::Result<PathBuf> {
        let written = fs::read_link(link)?;
        let folder = link.parent().unwrap_or(&self.root);
        let target = folder.join(written);
        let target = target.canonicalize().unwrap_or(target);
        let below = target.strip_prefix(&self.root).map(Path::to_path_buf);
        Ok(below.unwrap_or(target))
    }

    /// Links the packages that are installed in covered folders, or will be.
    fn link_modules(&self, copy: &Path) -> io::Result<()> {
        for folder in self.folders() {
            let below = folder.join(MODULES);
            let is_covered = self.units.iter().any(|unit| unit.path.starts_with(&below));
            let is_package = self.root.join(folder).join("package.json").is_file();
            if !is_covered && (is_package || self.root.join(&below).is_dir()) {
                self.link(&below, copy)?;
            }
        }
        Ok(())
    }

    /// Links the file or folder `below` the root in the `copy`, unless something is there.
    fn link(&self, below: &Path, copy: &Path) -> io::Result<()> {
        let (original, link) = (self.root.join(below), copy.join(below));
        if link.symlink_metadata().is_ok() {
            return Ok(());
        }
        match digest::link(&original, &link, original.is_dir()) {
            // Another call was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }
    }
}
