//! Files with secrets in a project, which "reads the project" does not include.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use crate::file::{ReadScope, is_secret};
use crate::text::{self, Text, TextError};

/// Folders that are not searched: what package managers and compilers put there is large, and has no
/// secrets of the project.
const SKIPPED: [&str; 7] = [
    ".git",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
    "vendor",
];
/// Git's files that may have a password.
const OF_GIT: [&str; 2] = ["config", "credentials"];
/// Most entries that are looked at, from the root downwards.
const MAX_ENTRIES: usize = 5_000;
/// Most files.
const MAX_FOUND: usize = 256;

/// The files below `root`, a path without links, that have secrets by their names; git's, if they
/// have a password.
pub(super) fn in_project(root: &Path) -> Vec<PathBuf> {
    let git = OF_GIT.map(|name| root.join(".git").join(name)).into_iter();
    let mut found: Vec<PathBuf> = git.filter(|file| has_password(root, file)).collect();
    let mut folders = VecDeque::from([root.to_path_buf()]);
    let mut entries = 0;
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > MAX_ENTRIES || found.len() >= MAX_FOUND {
                return found;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() {
                if !SKIPPED.iter().any(|it| name == *it) {
                    folders.push_back(entry.path());
                }
            } else if is_secret(Path::new(&name)) {
                // A link may have the name, and its target the secret.
                let real = entry.path().canonicalize().ok();
                found.extend(real.filter(|it| it.starts_with(root)));
            }
        }
    }
    found
}

/// Returns the text of a file of the project at `root`.
///
/// # Errors
///
/// The file is not a regular one of the project, of at most [`Text::MAX_BYTES`]: a clone may have
/// anything under its name, such as a pipe, or a link to a device.
pub(super) fn text_of(root: &Path, file: &Path) -> Result<String, TextError> {
    let bytes = text::bytes(file, file, Text::MAX_BYTES, &ReadScope::project(root))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns true if the settings of git in `file` have a password, in an address or as a header, or
/// cannot be read.
fn has_password(root: &Path, file: &Path) -> bool {
    let text = match text_of(root, file) {
        Ok(text) => text,
        Err(error) => return !matches!(error, TextError::NotFound(_)),
    };
    text.lines().any(|line| {
        let line = line.to_ascii_lowercase();
        let address = line.split_once("://").map(|(_, rest)| rest);
        let user = address.and_then(|rest| rest.split('/').next()?.split_once('@'));
        user.is_some_and(|(user, _)| user.contains(':'))
            || ["extraheader", "password", "token"]
                .iter()
                .any(|it| line.contains(it))
            || (file.ends_with("credentials") && address.is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_by_name_and_links_by_their_target() {
        let scratch = tempfile::tempdir().expect("a folder");
        let root = scratch.path().canonicalize().expect("a path");
        for (file, text) in [
            (".env", ""),
            ("app/deep/.npmrc", ""),
            ("app/main.js", ""),
            ("node_modules/p/.env", ""),
            (
                ".git/config",
                "[remote \"o\"]\n\turl = https://me:pass@host/r\n",
            ),
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let mut found = in_project(&root);
        found.sort();
        let expected = [".env", ".git/config", "app/deep/.npmrc"].map(|it| root.join(it));
        assert_eq!(found, expected);
        let plain = "[remote \"o\"]\n\turl = ssh://git@host/r\n";
        fs::write(root.join(".git/config"), plain).expect("a file");
        assert_eq!(in_project(&root).len(), 2);
        fs::write(root.join(".git/config"), vec![b'#'; Text::MAX_BYTES + 1]).expect("a file");
        assert_eq!(in_project(&root).len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_read() {
        let scratch = tempfile::tempdir().expect("a folder");
        let root = scratch.path().canonicalize().expect("a path");
        fs::create_dir(root.join(".git")).expect("a folder");
        for file in [".env", ".git/config"] {
            std::os::unix::fs::symlink("/dev/zero", root.join(file)).expect("a link");
        }
        assert_eq!(in_project(&root), [root.join(".git/config")]);
        assert!(text_of(&root, &root.join(".env")).is_err());
    }
}
