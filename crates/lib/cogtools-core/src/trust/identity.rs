//! What tells a project from another one at the same path: its owner, and the
//! repository that it was cloned from.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::digest::{self, Hash};
use crate::file::{self, ReadScope};

/// What tells a project from another one at the same path.
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
}

/// How many bytes of a file of git are read: 1 MiB.
const MAX_GIT_BYTES: u64 = 1 << 20;

impl Identity {
    /// The identity of the project in the folder `root`.
    pub fn of(root: &Path) -> Self {
        let url = root.ancestors().find_map(git_config).and_then(|config| {
            let text = read(&config)?;
            origin_url(&text)
        });
        Self {
            owner: owner(root),
            created: created(root),
            origin: url.map(|url| digest::value(&url.into()).to_string()),
        }
    }

    /// Whether this recorded identity is that of the project that is there now. A
    /// folder that had no remote may get one: it is still the same folder.
    pub(super) fn is_same(&self, current: &Self) -> bool {
        let is_published =
            self.origin.is_none() && self.created.is_some() && self.created == current.created;
        self.owner == current.owner && (self.origin == current.origin || is_published)
    }

    /// The digest of something in this project: that of `content` and the identity.
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
    use super::{Identity, origin_url};

    #[test]
    fn a_folder_may_get_a_remote_and_keep_its_identity() {
        let identity = |owner, origin: Option<&str>, created| Identity {
            owner: Some(owner),
            origin: origin.map(str::to_owned),
            created,
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
        let unknown = identity(1, None, None);
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
