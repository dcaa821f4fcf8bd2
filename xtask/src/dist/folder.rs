//! A folder in memory, from which files on disk and archives are made.
//!
//! Names are sorted and times and owners are not stored, so the same files always
//! make the same archive.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::EntryType;

/// A file, or a link to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The content of the file, or the target of the link.
    pub(super) data: Vec<u8>,
    kind: Kind,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Program,
    Link,
}

/// The files by name, with slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    files: BTreeMap<String, Entry>,
}

impl Folder {
    /// Adds a file.
    pub(super) fn put(&mut self, name: &str, data: impl Into<Vec<u8>>) {
        self.add(name, data.into(), Kind::Text);
    }

    /// Adds an executable file.
    pub(super) fn put_program(&mut self, name: &str, data: impl Into<Vec<u8>>) {
        self.add(name, data.into(), Kind::Program);
    }

    /// Adds a link to `target`, relative to the link.
    pub(super) fn put_link(&mut self, name: &str, target: &str) {
        self.add(name, target.into(), Kind::Link);
    }

    /// The size in bytes.
    pub(super) fn size(&self) -> Result<u64> {
        let sizes = self.files.values().map(|entry| entry.data.len());
        Ok(sizes.sum::<usize>().try_into()?)
    }

    /// The files with their names, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.files
            .iter()
            .map(|(name, entry)| (name.as_str(), entry))
    }

    fn add(&mut self, name: &str, data: Vec<u8>, kind: Kind) {
        self.files.insert(name.to_owned(), Entry { data, kind });
    }

    /// Writes it to `dir`: to a sibling first, which then replaces the result of an
    /// earlier run, recognised by its file `mark`. Only archives may contain links:
    /// npm drops them.
    pub(super) fn write(&self, dir: &Path, mark: &str) -> Result<()> {
        let mut name = dir.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let beside = dir.with_file_name(name);
        for (name, entry) in self.files() {
            if entry.kind == Kind::Link {
                bail!("{name} is a link, which no package can hold");
            }
            let path = beside.join(name);
            let folder = path.parent().unwrap_or(&beside);
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
            fs::write(&path, &entry.data)
                .and_then(|()| permit(&path, entry.kind == Kind::Program))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if dir.join(mark).is_file() {
            fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        }
        fs::rename(&beside, dir).with_context(|| format!("cannot write {}", dir.display()))
    }

    /// The compressed archive of it, in a folder named `root`.
    pub(super) fn pack(&self, root: &str) -> Result<Vec<u8>> {
        // The header of the compression has no name and no time either.
        let gz = GzBuilder::new().write(Vec::new(), Compression::best());
        let mut archive = tar::Builder::new(gz);
        for (name, entry) in self.files() {
            let (path, data) = (format!("{root}/{name}"), entry.data.as_slice());
            let mut header = tar::Header::new_gnu();
            header.set_mode(entry.kind.mode());
            header.set_mtime(0);
            if entry.kind == Kind::Link {
                header.set_entry_type(EntryType::Symlink);
                header.set_size(0);
                archive.append_link(&mut header, path, std::str::from_utf8(data)?)?;
            } else {
                header.set_size(data.len().try_into()?);
                archive.append_data(&mut header, path, data)?;
            }
        }
        let mut gz = archive.into_inner()?;
        gz.flush()?;
        Ok(gz.finish()?)
    }

    /// The files in an archive made by `pack` with a folder named `root`.
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
            if let Some(target) = entry.link_name()? {
                folder.put_link(name, &target.display().to_string());
                continue;
            }
            let executable = entry.header().mode()? & 0o100 != 0;
            let mut data = Vec::new();
            entry.read_to_end(&mut data)?;
            let kind = if executable {
                Kind::Program
            } else {
                Kind::Text
            };
            folder.add(name, data, kind);
        }
        Ok(folder)
    }
}

impl Kind {
    const fn mode(self) -> u32 {
        match self {
            Self::Text => 0o644,
            Self::Program => 0o755,
            Self::Link => 0o777,
        }
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
        folder.put_link("bin/c", "b");
        folder.put("a", "text");
        let mut other = Folder::default();
        other.put("a", "text");
        other.put_link("bin/c", "b");
        other.put_program("bin/b", "program");
        let packed = folder.pack("name-1").unwrap();
        assert_eq!(packed, other.pack("name-1").unwrap());
        assert_eq!(Folder::unpack(&packed, "name-1").unwrap(), folder);
        assert!(Folder::unpack(&packed, "name").is_err());
        assert_eq!(folder.size().unwrap(), 12);
    }

    #[test]
    fn a_link_is_in_no_package() {
        let mut folder = Folder::default();
        folder.put_link("bin/b", "a");
        let dir = std::env::temp_dir().join(format!("xtask-folder-{}", std::process::id()));
        let error = folder.write(&dir, "mark").unwrap_err().to_string();
        assert_eq!(error, "bin/b is a link, which no package can hold");
        assert!(!dir.exists());
    }
}
