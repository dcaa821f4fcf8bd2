//! Puts a file, or a link, in its place in one step.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::programs::COGTOOLS;

/// Copies `from` to `to`: beside it first, then over it, so that a program which
/// is running can be replaced and nobody ever sees half a file.
pub(super) fn place(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let beside = beside(to);
    fs::copy(from, &beside)
        .with_context(|| format!("cannot copy {} to {}", from.display(), beside.display()))?;
    finish(&beside, to)
}

/// Makes `to` a link to the `cogtools` that lies beside it or, where no link can
/// be made, a copy of `stub`.
pub(super) fn link(stub: &Path, to: &Path) -> Result<()> {
    let beside = beside(to);
    // A rename onto another link to the same file does nothing, and leaves this one.
    let _ = fs::remove_file(&beside);
    let target = format!("{COGTOOLS}{}", std::env::consts::EXE_SUFFIX);
    if connect(&target, &beside).is_err() {
        return place(stub, to);
    }
    finish(&beside, to)
}

/// Where a file lies until it is whole.
fn beside(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    to.with_file_name(name)
}

fn finish(beside: &Path, to: &Path) -> Result<()> {
    let renamed = replace(beside, to);
    if renamed.is_err() {
        let _ = fs::remove_file(beside);
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
fn replace(beside: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(beside, to)
}

/// Windows lets a running program be renamed but not replaced.
#[cfg(windows)]
fn replace(beside: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(beside, to).or_else(|_| {
        let old = to.with_extension("old");
        let _ = fs::remove_file(&old);
        fs::rename(to, &old)?;
        fs::rename(beside, to)
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
        fs::write(dir.join(COGTOOLS), "all").unwrap();
        fs::write(&stub, "stub").unwrap();
        fs::write(&to, "what an older version has installed").unwrap();
        for _ in 0..2 {
            link(&stub, &to).unwrap();
            assert_eq!(fs::read_link(&to).unwrap(), Path::new(COGTOOLS));
            assert_eq!(fs::read_to_string(&to).unwrap(), "all");
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
        fs::remove_dir_all(&dir).unwrap();
    }
}
