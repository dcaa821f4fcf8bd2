//! A folder in memory, from which files on disk and archives are made.
//!
//! Names are sorted, times and owners are not kept: the same files always give
//! the same archive.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) data: Vec<u8>,
    pub(super) executable: bool,
}

/// Files by their names, with slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    files: BTreeMap<String, Entry>,
}

impl Folder {
    /// Puts a file into it.
    pub(super) fn put(&mut self, name: &str, data: impl Into<Vec<u8>>) {
        self.add(name, data.into(), false);
    }

    /// Puts a file that can be run into it.
    pub(super) fn put_program(&mut self, name: &str, data: impl Into<Vec<u8>>) {
        self.add(name, data.into(), true);
    }

    /// The files with their names, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.files
            .iter()
            .map(|(name, entry)| (name.as_str(), entry))
    }

    fn add(&mut self, name: &str, data: Vec<u8>, executable: bool) {
        self.files
            .insert(name.to_owned(), Entry { data, executable });
    }

    /// Writes it to `dir`: beside it first, and then in the place of what an
    /// earlier run has left there, which is told by its file `mark`.
    pub(super) fn write(&self, dir: &Path, mark: &str) -> Result<()> {
        let mut name = dir.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let beside = dir.with_file_name(name);
        for (name, entry) in self.files() {
            let path = beside.join(name);
            let folder = path.parent().unwrap_or(&beside);
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
            fs::write(&path, &entry.data)
                .and_then(|()| permit(&path, entry.executable))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if dir.join(mark).is_file() {
            fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        }
        fs::rename(&beside, dir).with_context(|| format!("cannot write {}", dir.display()))
    }

    /// It as a compressed archive, in a folder called `root`.
    pub(super) fn pack(&self, root: &str) -> Result<Vec<u8>> {
        // No name and no time in the header of the compression either.
        let gz = GzBuilder::new().write(Vec::new(), Compression::best());
        let mut archive = tar::Builder::new(gz);
        for (name, entry) in self.files() {
            let mut header = tar::Header::new_gnu();
            header.set_mode(if entry.executable { 0o755 } else { 0o644 });
            header.set_size(entry.data.len().try_into()?);
            header.set_mtime(0);
            archive.append_data(&mut header, format!("{root}/{name}"), entry.data.as_slice())?;
        }
        let mut gz = archive.into_inner()?;
        gz.flush()?;
        Ok(gz.finish()?)
    }

    /// What `pack` has packed into a folder called `root`.
    pub(super) fn unpack(bytes: &[u8], root: &str) -> Result<Self> {
        let mut folder = Self::default();
        for entry in tar::Archive::new(GzDecoder::new(bytes)).entries()? {
            let mut entry = entry?;
            let path = entry.path()?.display().to_string();
            let Some(name) = path
                .strip_prefix(root)
                .and_then(|rest| rest.strip_prefix('/'))
            else {
                bail!("`{path}` is not below `{root}`");
            };
            let executable = entry.header().mode()? & 0o100 != 0;
            let mut data = Vec::new();
            entry.read_to_end(&mut data)?;
            folder.add(name, data, executable);
        }
        Ok(folder)
    }
}

#[cfg(unix)]
fn permit(path: &Path, executable: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn permit(_: &Path, _: bool) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_the_same_each_time_and_holds_what_went_in() {
        let mut folder = Folder::default();
        folder.put_program("bin/b", "program");
        folder.put("a", "text");
        let mut other = Folder::default();
        other.put("a", "text");
        other.put_program("bin/b", "program");
        let packed = folder.pack("name-1").unwrap();
        assert_eq!(packed, other.pack("name-1").unwrap());
        assert_eq!(Folder::unpack(&packed, "name-1").unwrap(), folder);
        assert!(Folder::unpack(&packed, "name").is_err());
    }
}
