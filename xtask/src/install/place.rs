//! Installs a file or a link atomically.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Copies `from` to a temporary file next to `to` and renames it, so that a running
/// program can be replaced and no partial file is ever visible.
pub(super) fn place(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let temp = temp(to);
    fs::copy(from, &temp)
        .with_context(|| format!("cannot copy {} to {}", from.display(), temp.display()))?;
    finish(&temp, to)
}

/// Makes `to` a link to the program `binary` next to it or, where no link can be made, a copy of
/// `from`.
pub(crate) fn link(from: Option<&Path>, binary: &str, to: &Path) -> Result<()> {
    let temp = temp(to);
    // A rename onto another link to the same file does nothing, and leaves this one.
    let _ = fs::remove_file(&temp);
    let target = format!("{binary}{}", std::env::consts::EXE_SUFFIX);
    match (connect(&target, &temp), from) {
        (Err(_), Some(from)) => return place(from, to),
        (linked, _) => linked.with_context(|| format!("cannot link {}", temp.display()))?,
    }
    finish(&temp, to)
}

/// The temporary file next to `to`.
fn temp(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    to.with_file_name(name)
}

fn finish(temp: &Path, to: &Path) -> Result<()> {
    let renamed = replace(temp, to);
    if renamed.is_err() {
        let _ = fs::remove_file(temp);
    }
    renamed.with_context(|| format!("cannot write {}", to.display()))
}

/// A link that still leads there when the directory is moved.
#[cfg(unix)]
fn connect(target: &str, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Only a link to the file itself takes no privilege there.
#[cfg(not(unix))]
fn connect(target: &str, link: &Path) -> std::io::Result<()> {
    fs::hard_link(link.with_file_name(target), link)
}

#[cfg(not(windows))]
fn replace(temp: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(temp, to)
}

/// Windows lets a running program be renamed but not replaced.
#[cfg(windows)]
fn replace(temp: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(temp, to).or_else(|_| {
        let old = to.with_extension("old");
        let _ = fs::remove_file(&old);
        fs::rename(to, &old)?;
        fs::rename(temp, to)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let dir = std::env::temp_dir().join(format!("xtask-place-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let (from, to) = (dir.join("from"), dir.join("below/to"));
        for text in ["one", "two"] {
            fs::write(&from, text).unwrap();
            place(&from, &to).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), text);
        }
        assert_eq!(fs::read_dir(dir.join("below")).unwrap().count(), 1);
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_takes_the_place_of_a_file_and_of_itself() {
        let dir = std::env::temp_dir().join(format!("xtask-link-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let (stub, to) = (dir.join("stub"), dir.join("cogtools-lint"));
        fs::write(dir.join("cogtools"), "all").unwrap();
        fs::write(&stub, "stub").unwrap();
        fs::write(&to, "what an older version has installed").unwrap();
        for _ in 0..2 {
            link(Some(&stub), "cogtools", &to).unwrap();
            assert_eq!(fs::read_link(&to).unwrap(), Path::new("cogtools"));
            assert_eq!(fs::read_to_string(&to).unwrap(), "all");
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
        fs::remove_dir_all(&dir).unwrap();
    }
}
