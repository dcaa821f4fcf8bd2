//! To whom a project belongs: git's rule of `safe.directory`.
//!
//! A folder that users share may contain the project of another one, and every user
//! who works below it would run that user's tools. So projects, sources and folders of programs
//! must belong to the user or to root, unless the user's own configuration names them.
//! Windows has other rules for shared folders, and is not checked.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use cogtools_document::file::ReadScope;
use cogtools_document::text::Text;
use cogtools_document::{Code, Diagnostic, yaml};

/// Whose files are used, besides the effective user's and root's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// The user who has become root by `sudo`.
    pub sudo: Option<u32>,
    /// The user's own configuration files, which may name further folders.
    pub files: Vec<PathBuf>,
    /// The user's home directory, for `~`.
    pub home: Option<PathBuf>,
}

/// A file or folder of another user, and the folder to admit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` belongs to {}", path.display(), describe(*user))]
pub struct ForeignOwner {
    /// File or folder of the other user.
    pub path: PathBuf,
    /// The folder that the user's configuration would have to name.
    pub folder: PathBuf,
    /// The other user.
    pub user: u32,
}

/// The key of the user's configuration that names further folders.
pub const KEY: &str = "safe_directories";
/// The value that admits every folder.
const ALL: &str = "*";
/// Ending of a folder that admits all below it.
const BELOW: &str = "/*";

impl Owners {
    /// Checks that `path` belongs to a trusted user, or that the user has named `folder`.
    /// A link must belong to one as well as its target. What does not exist is no
    /// danger.
    pub fn check(&self, path: &Path, folder: &Path) -> Result<(), ForeignOwner> {
        let mut owners = owners(path).into_iter().flatten();
        match owners.find(|user| !self.trusts(*user)) {
            Some(user) if !self.admits(folder) => Err(ForeignOwner {
                path: path.to_path_buf(),
                folder: folder.to_path_buf(),
                user,
            }),
            _ => Ok(()),
        }
    }

    /// Checks the folder at `path`, which may belong to the owner of the project at
    /// `root` as well, once that is trusted.
    pub fn check_below(&self, path: &Path, root: &Path) -> Result<(), ForeignOwner> {
        match self.check(path, path) {
            Err(foreign) if owners(root).contains(&Some(foreign.user)) => Ok(()),
            checked => checked,
        }
    }

    /// Checks the file at `path` in the project at `root`, which has been `opened`, so
    /// that it cannot be exchanged for another one meanwhile. Costs nothing for the user's
    /// own file, and does not see to whom a link belongs.
    pub fn check_opened(
        &self,
        path: &Path,
        opened: &Metadata,
        root: &Path,
    ) -> Result<(), ForeignOwner> {
        let user = owner(opened);
        if self.trusts(user) || self.admits(root) || owners(root).contains(&Some(user)) {
            return Ok(());
        }
        Err(ForeignOwner {
            path: path.to_path_buf(),
            folder: root.to_path_buf(),
            user,
        })
    }

    /// Returns true if the user's configuration names `folder`. The files are read only for a
    /// folder of another user.
    fn admits(&self, folder: &Path) -> bool {
        let real = canonical(folder);
        self.files.iter().flat_map(|file| named(file)).any(|entry| {
            if let Some(above) = entry.strip_suffix(BELOW) {
                return self
                    .absolute(above)
                    .is_some_and(|above| real != above && real.starts_with(above));
            }
            entry == ALL || self.absolute(&entry).is_some_and(|named| named == real)
        })
    }

    /// An entry as a path without links; `~` is the home directory.
    fn absolute(&self, entry: &str) -> Option<PathBuf> {
        let path = match (entry.strip_prefix('~'), &self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => PathBuf::from(entry),
        };
        path.is_absolute().then(|| canonical(&path))
    }

    #[cfg(unix)]
    fn trusts(&self, user: u32) -> bool {
        let own = rustix::process::geteuid().as_raw();
        user == 0 || user == own || (own == 0 && self.sudo == Some(user))
    }

    #[cfg(not(unix))]
    const fn trusts(&self, _: u32) -> bool {
        true
    }
}

impl ForeignOwner {
    /// The diagnostic to show, for a project that is not used, or cannot be.
    pub fn diagnostic(&self, consequence: &str) -> Diagnostic {
        let admit = self.folder.display();
        Diagnostic::new(Code::Denied, format!("{self}, not to you; {consequence}")).hint(format!(
            "if you trust that user, add `{KEY}: [{admit}]` to ~/.gemini/cogtoolrc.yaml"
        ))
    }
}

/// Returns true if `entry` can be an item of the key.
pub fn is_entry(entry: &str) -> bool {
    let path = entry.strip_suffix(BELOW).unwrap_or(entry);
    entry == ALL || path == "~" || path.starts_with("~/") || Path::new(path).is_absolute()
}

/// The folders that a configuration file names. Its errors are reported where it is
/// loaded.
fn named(file: &Path) -> Vec<String> {
    let Ok(text) = Text::read(file, file, &ReadScope::User) else {
        return Vec::new();
    };
    let document = yaml::parse(&text).ok();
    let items = document
        .as_ref()
        .and_then(|document| document.get(KEY)?.items());
    let texts = items.into_iter().flatten().filter_map(|item| item.text());
    texts.map(str::to_owned).collect()
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The owners of a file, and of the target if it is a link.
#[cfg(unix)]
fn owners(path: &Path) -> [Option<u32>; 2] {
    let meta = path.symlink_metadata().ok();
    let target = meta.as_ref().filter(|meta| meta.is_symlink());
    let target = target.and_then(|_| path.metadata().ok());
    [meta, target].map(|meta| Some(owner(&meta?)))
}

/// The owner of an opened file.
#[cfg(unix)]
fn owner(meta: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(meta)
}

#[cfg(not(unix))]
const fn owner(_: &Metadata) -> u32 {
    0
}

#[cfg(not(unix))]
const fn owners(_: &Path) -> [Option<u32>; 2] {
    [None, None]
}

/// The home directory of this process's user in the local list of users.
#[cfg(unix)]
pub fn recorded_home() -> Option<PathBuf> {
    let own = rustix::process::geteuid().as_raw().to_string();
    let home = entry(&own)?.into_iter().nth(5)?;
    Some(PathBuf::from(home)).filter(|home| home.is_absolute())
}

/// The home directory of this process's user, unknown here.
#[cfg(not(unix))]
pub const fn recorded_home() -> Option<PathBuf> {
    None
}

/// The fields of a user in the local list of users.
fn entry(user: &str) -> Option<Vec<String>> {
    let list = Path::new("/etc/passwd");
    let text = Text::read(list, list, &ReadScope::User).ok()?;
    let mut entries = text.as_str().lines().map(|line| line.split(':'));
    let found = entries.find(|fields| fields.clone().nth(2) == Some(user))?;
    Some(found.map(str::to_owned).collect())
}

/// A user by name and number, as far as the local list of users has it.
fn describe(user: u32) -> String {
    let fields = entry(&user.to_string()).unwrap_or_default();
    match fields.first() {
        Some(name) => format!("{name} (user {user})"),
        None => format!("user {user}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_absolute() {
        for (entry, expected) in [
            ("*", true),
            ("/", true),
            ("/a/*", true),
            ("~", true),
            ("~/a", true),
            ("~other/a", false),
            ("a", false),
            ("./a", false),
            ("", false),
        ] {
            assert_eq!(is_entry(entry), expected, "{entry}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn root_and_the_user_are_trusted() {
        let own = rustix::process::geteuid().as_raw();
        let owners = Owners {
            sudo: Some(4_000_000),
            ..Owners::default()
        };
        assert!(owners.trusts(0) && owners.trusts(own));
        assert!(!owners.trusts(4_000_001));
        assert_eq!(owners.trusts(4_000_000), own == 0);
    }
}
