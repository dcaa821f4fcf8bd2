//! Files with secrets in a project, which "reads the project" does not include.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::file::{ReadScope, is_secret};
use crate::text::{self, Text, TextError};

/// Folders that are not searched: what package managers and compilers put there is large, and has no
/// secrets of the project.
const SKIPPED: [&str; 6] = [
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
    "vendor",
];
/// Git's files that may have a password, of a repository and of its submodules.
const OF_GIT: [&str; 3] = ["config", "config.worktree", "credentials"];
/// Folders of git that have no such files.
const SKIPPED_OF_GIT: [&str; 6] = ["hooks", "info", "lfs", "logs", "objects", "refs"];
/// Most entries that are looked at, which takes a fraction of a second.
const MAX_ENTRIES: usize = 200_000;
/// Most files, each of which is an option of the program that confines others.
const MAX_FOUND: usize = 500;

/// A project that is too large to be searched for secrets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The files in `permitted` folders of the project at `root`, a path without links, that have secrets
/// by their names; git's, if they have a password.
///
/// # Errors
///
/// There are more files than can be looked at or left out.
pub(super) fn in_project<'p>(
    root: &Path,
    permitted: impl Iterator<Item = &'p PathBuf>,
) -> Result<Vec<PathBuf>, TooLarge> {
    let below = |path: &PathBuf| {
        let path = path.canonicalize().ok()?;
        if root.starts_with(&path) {
            Some(root.to_path_buf())
        } else {
            path.starts_with(root).then_some(path)
        }
    };
    let all: BTreeSet<PathBuf> = permitted.filter_map(below).collect();
    let is_outermost = |path: &PathBuf| path.ancestors().skip(1).all(|above| !all.contains(above));
    let folders = all.iter().filter(|path| is_outermost(path)).cloned();
    in_folders(root, folders.collect(), MAX_ENTRIES)
}

fn in_folders(
    root: &Path,
    folders: Vec<PathBuf>,
    max_entries: usize,
) -> Result<Vec<PathBuf>, TooLarge> {
    let mut found = Vec::new();
    let in_git = |folder: &Path| folder.components().any(|part| part.as_os_str() == ".git");
    let below = |folder: &Path| in_git(folder.strip_prefix(root).unwrap_or(folder));
    let folders = folders
        .into_iter()
        .map(|folder| (folder.clone(), below(&folder)));
    let mut folders: Vec<(PathBuf, bool)> = folders.collect();
    let mut entries = 0;
    while let Some((folder, in_git)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > max_entries || found.len() > MAX_FOUND {
                return Err(TooLarge);
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let (name, path) = (entry.file_name(), entry.path());
            let is_one_of = |names: &[&str]| names.iter().any(|it| name == *it);
            if kind.is_dir() {
                let skipped = if in_git { SKIPPED_OF_GIT } else { SKIPPED };
                if !is_one_of(&skipped) {
                    folders.push((path, in_git || name == ".git"));
                }
            } else if in_git {
                if is_one_of(&OF_GIT) && has_password(root, &path) {
                    found.push(path);
                }
            } else if is_secret(path.strip_prefix(root).unwrap_or(&path)) {
                // A link may have the name, and its target the secret.
                let real = path.canonicalize().ok();
                found.extend(real.filter(|it| it.starts_with(root)));
            }
        }
    }
    Ok(found)
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
        let (scheme, address) = line.split_once("://").unzip();
        let user = address.and_then(|rest| rest.split('/').next()?.split_once('@'));
        // Over HTTP a user alone is a token.
        let is_http = scheme.is_some_and(|it| it.ends_with("http") || it.ends_with("https"));
        user.is_some_and(|(user, _)| is_http || user.contains(':'))
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
            ("app/.git/modules/m/config", "token = x\n"),
            ("app/.kube/config", ""),
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
        let all = || in_project(&root, [root.clone()].iter());
        let found = || all().map(|found| found.into_iter().collect::<BTreeSet<_>>());
        let expected = [
            ".env",
            ".git/config",
            "app/.git/modules/m/config",
            "app/.kube/config",
            "app/deep/.npmrc",
        ];
        assert_eq!(found(), Ok(expected.map(|it| root.join(it)).into()));
        let (app, deep) = (root.join("app"), root.join("app/deep"));
        let of_app = in_project(&root, [app, deep].iter()).map(|found| found.len());
        assert_eq!(of_app, Ok(3));
        // What was not looked at may have secrets.
        assert_eq!(in_folders(&root, vec![root.clone()], 10), Err(TooLarge));
        let plain = "[remote \"o\"]\n\turl = ssh://git@host/r\n";
        fs::write(root.join(".git/config"), plain).expect("a file");
        assert_eq!(found().map(|it| it.len()), Ok(4));
        fs::write(root.join(".git/config"), vec![b'#'; Text::MAX_BYTES + 1]).expect("a file");
        assert_eq!(found().map(|it| it.len()), Ok(5));
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
        assert_eq!(
            in_project(&root, [root.clone()].iter()),
            Ok(vec![root.join(".git/config")])
        );
        assert!(text_of(&root, &root.join(".env")).is_err());
    }
}
