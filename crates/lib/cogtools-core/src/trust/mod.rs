//! The user's record of trusted projects and of approved packages and providers.
//!
//! A project is trusted as a folder, with its owner and origin. A package or a provider
//! is approved by the hash of its content. Both are recorded outside the project, and
//! nothing in a repository can approve itself.

mod record;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use record::{NotPrivate, Record, RecordError};

use crate::digest::{self, Hash};
use crate::file::{self, ReadScope};

/// The user's record of approvals, read on demand.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// The file of the record. Without one nothing is approved.
    pub file: Option<PathBuf>,
    /// The list of folders that the user has trusted in Gemini CLI.
    pub host_file: Option<PathBuf>,
    /// A function that is called when another process locks the record for more than a moment.
    pub on_wait: Option<fn()>,
}

/// Something that requires approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The source that it belongs to: `npm:NAME`, or `command:NAME:ROOT`.
    pub source: String,
    /// A provider's tool, empty for the provider itself; for a package, its folder.
    pub tool: String,
    /// The digest of its current content.
    pub hash: Hash,
}

/// True if something may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The user has approved exactly this content.
    Approved,
    /// The user has approved it, and it has changed since.
    Changed,
    /// The user has not approved it.
    NotApproved,
}

impl Trust {
    /// Returns true if `grant` may run.
    pub fn verdict(&self, grant: &Grant) -> Result<Verdict, RecordError> {
        Ok(self.read()?.verdict(grant))
    }

    /// Returns true if the programs of the project in the folder `root` may run.
    pub fn project_verdict(&self, root: &Path) -> Result<Verdict, RecordError> {
        let verdict = self.read()?.project_verdict(root);
        if verdict == Verdict::NotApproved && self.is_trusted_by_host(root) {
            return Ok(Verdict::Approved);
        }
        Ok(verdict)
    }

    fn is_trusted_by_host(&self, root: &Path) -> bool {
        let list = self.host_file.as_deref();
        let root = root.canonicalize();
        list.is_some_and(|file| root.is_ok_and(|root| is_listed(file, &root)))
    }

    /// All approvals.
    pub fn read(&self) -> Result<Record, RecordError> {
        self.file
            .as_deref()
            .map_or_else(|| Ok(Record::default()), Record::read)
    }

    /// Changes the record. Concurrent writers wait for each other.
    pub fn update<T>(&self, change: impl FnOnce(&mut Record) -> T) -> Result<T, RecordError> {
        let file = self.file.as_deref().ok_or(RecordError::Nowhere)?;
        let _lock = Record::lock(file, self.on_wait)?;
        let mut record = Record::read(file)?;
        let result = change(&mut record);
        record.write(file)?;
        Ok(result)
    }
}

impl Verdict {
    /// A short label, for people and programs.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Changed => "changed",
            Self::NotApproved => "not approved",
        }
    }
}

/// Returns true if the folder `root` has nothing that others can have written: only a repository
/// without commits, if anything, and no repository with a remote, from which a pull brings files.
pub fn is_untouched(root: &Path) -> bool {
    let is_own = |entry: io::Result<fs::DirEntry>| {
        let name = entry.map(|entry| entry.file_name());
        name.is_ok_and(|name| name == ".git" || name == ".DS_Store")
    };
    let git = root.join(".git");
    let has_entries = |folder: &str| git.join(folder).read_dir().is_ok_and(|it| it.count() > 0);
    let has_commits = git.join("packed-refs").exists() || has_entries("refs/heads");
    let config = root.ancestors().find_map(git_config);
    let has_remote = config.is_some_and(|config| {
        let text = read(&config).unwrap_or_default();
        let mut lines = text.lines().map(|line| line.trim().to_ascii_lowercase());
        lines.any(|line| line.starts_with("[remote"))
    });
    let is_linked = git.is_file() || has_entries("reftable");
    let is_empty = root.read_dir().is_ok_and(|mut entries| entries.all(is_own));
    is_empty && !has_commits && !is_linked && !has_remote
}

/// The value of an entry for a folder itself, in Gemini CLI 0.61.
const TRUST_FOLDER: &str = "TRUST_FOLDER";

/// Returns true if the list in `file` has an entry for exactly `root`, a path without links.
fn is_listed(file: &Path, root: &Path) -> bool {
    entries(file).is_some_and(|entries| {
        let mut trusted = entries
            .iter()
            .filter(|(_, value)| value.as_str() == Some(TRUST_FOLDER))
            .map(|(folder, _)| PathBuf::from(folder))
            // A relative one would be any folder.
            .filter(|folder| folder.is_absolute());
        trusted.any(|folder| folder == root || folder.canonicalize().is_ok_and(|it| it == root))
    })
}

/// The entries of a list that only the user can have written; none if it is missing or invalid,
/// because Gemini CLI ignores it then, too.
fn entries(file: &Path) -> Option<Map<String, Value>> {
    let text = record::read_private(&file.canonicalize().ok()?).ok()??;
    serde_json::from_str(text.as_str()).ok()
}

/// Features that tell a project from another one at the same path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The user ID of the owner of its folder; `None` on systems without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<u32>,
    /// The digest of the URL of git's remote `origin`, which may contain a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// When the folder was created, in nanoseconds since 1970, if the file system knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<u64>,
    /// True if a folder around it has the remote: other folders at its path have it, too.
    #[serde(skip)]
    is_nested: bool,
}

/// Maximum bytes of a file of git: 1 MiB.
const MAX_GIT_BYTES: u64 = 1 << 20;

impl Identity {
    /// The identity of the project in the folder `root`.
    pub fn of(root: &Path) -> Self {
        let mut folders = root.ancestors().enumerate();
        let found = folders.find_map(|(depth, folder)| Some((depth, git_config(folder)?)));
        let url = found.as_ref().and_then(|(_, config)| {
            let text = read(config)?;
            origin_url(&text)
        });
        Self {
            is_nested: found.is_some_and(|(depth, _)| depth > 0),
            owner: owner(root),
            created: created(root),
            origin: url.map(|url| digest::value(&url.into()).to_string()),
        }
    }

    /// Returns true if this recorded identity is the one of the project that is there now. A
    /// folder without a remote of its own is recognized by its creation, and may get a remote; a
    /// clone may be made again.
    pub(super) fn is_same(&self, current: &Self) -> bool {
        // Not every file system knows.
        let is_created_then = self.created.is_none() || self.created == current.created;
        let is_same_folder = match (&self.origin, &current.origin) {
            (Some(recorded), Some(origin)) => {
                origin == recorded && (!current.is_nested || is_created_then)
            }
            (Some(_), None) => false,
            (None, None) => is_created_then,
            (None, Some(_)) => self.created.is_some() && is_created_then,
        };
        self.owner == current.owner && is_same_folder
    }

    /// Returns the digest of something in this project: of its `content` and of the identity.
    pub fn bind(&self, content: Hash) -> Hash {
        let identity = json!([self.owner, self.origin, content.to_string()]);
        digest::value(&identity)
    }
}

fn created(root: &Path) -> Option<u64> {
    let created = fs::metadata(root).ok()?.created().ok()?;
    let since = created.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

#[cfg(unix)]
fn owner(root: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    Some(fs::metadata(root).ok()?.uid())
}

#[cfg(not(unix))]
const fn owner(_root: &Path) -> Option<u32> {
    None
}

/// The configuration of the repository whose working tree is `folder`, if it is one.
fn git_config(folder: &Path) -> Option<PathBuf> {
    let entry = folder.join(".git");
    let meta = fs::metadata(&entry).ok()?;
    if meta.is_dir() {
        return Some(entry.join("config"));
    }
    // A linked working tree or a submodule: a file that names the repository.
    let repository = folder.join(read(&entry)?.strip_prefix("gitdir:")?.trim());
    let common = read(&repository.join("commondir"));
    let shared = common.map_or_else(|| repository.clone(), |path| repository.join(path.trim()));
    Some(shared.join("config"))
}

/// The first `url` of the section `[remote "origin"]`.
fn origin_url(config: &str) -> Option<String> {
    let mut in_section = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_section = line.starts_with(r#"[remote "origin"]"#);
        } else if in_section
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

/// The text of a small regular file.
fn read(path: &Path) -> Option<String> {
    let (file, _) = file::open(path, &ReadScope::User).ok()?;
    let mut text = String::new();
    file.take(MAX_GIT_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_may_get_a_remote_and_keep_its_identity() {
        let identity = |owner, origin: Option<&str>, created| Identity {
            owner: Some(owner),
            origin: origin.map(str::to_owned),
            created,
            is_nested: false,
        };
        let is_same = |recorded: &Identity, current: &Identity| recorded.is_same(current);
        let local = identity(1, None, Some(7));
        let cloned = identity(1, Some("a"), Some(7));
        assert!(is_same(&local, &local));
        assert!(is_same(&local, &cloned));
        assert!(is_same(&cloned, &identity(1, Some("a"), Some(8))));
        assert!(!is_same(&cloned, &local));
        assert!(!is_same(&cloned, &identity(1, Some("b"), Some(7))));
        assert!(!is_same(&local, &identity(1, Some("a"), Some(8))));
        assert!(!is_same(&local, &identity(2, None, Some(7))));
        assert!(!is_same(&local, &identity(1, None, Some(8))));
        let nested = |created| Identity {
            is_nested: true,
            ..identity(1, Some("a"), created)
        };
        assert!(is_same(&cloned, &nested(Some(7))));
        assert!(!is_same(&cloned, &nested(Some(8))));
        let unknown = identity(1, None, None);
        assert!(is_same(&unknown, &local));
        assert!(!is_same(&unknown, &identity(1, Some("a"), None)));
    }

    #[test]
    fn the_url_of_origin_is_found_among_other_sections() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = fork\n[remote \"origin\"]\n\tfetch = +refs\n\tURL = https://example.com/a.git\n\turl = second\n[branch \"main\"]\n";
        let expected = Some("https://example.com/a.git".to_owned());
        assert_eq!(origin_url(config), expected);
        assert_eq!(origin_url("[remote \"fork\"]\nurl = fork\n"), None);
        assert_eq!(origin_url(""), None);
    }
}
