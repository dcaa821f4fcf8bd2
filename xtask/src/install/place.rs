//! Puts a file in its place in one step.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Copies `from` to `to`: beside it first, then over it, so that a program which
/// is running can be replaced and nobody ever sees half a file.
pub(super) fn place(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = to.with_file_name(name);
    fs::copy(from, &beside)
        .with_context(|| format!("cannot copy {} to {}", from.display(), beside.display()))?;
    let renamed = replace(&beside, to);
    if renamed.is_err() {
        let _ = fs::remove_file(&beside);
    }
    renamed.with_context(|| format!("cannot write {}", to.display()))
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
}
