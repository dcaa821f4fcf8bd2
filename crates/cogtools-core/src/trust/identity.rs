//! What tells a project from another one at the same path: its owner, and the
//! repository that it was cloned from.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::digest;

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
            origin: url.map(|url| digest::value(&url.into()).to_string()),
        }
    }
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
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(MAX_GIT_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::origin_url;

    #[test]
    fn the_url_of_origin_is_found_among_other_sections() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = fork\n[remote \"origin\"]\n\tfetch = +refs\n\tURL = https://example.com/a.git\n\turl = second\n[branch \"main\"]\n";
        let expected = Some("https://example.com/a.git".to_owned());
        assert_eq!(origin_url(config), expected);
        assert_eq!(origin_url("[remote \"fork\"]\nurl = fork\n"), None);
        assert_eq!(origin_url(""), None);
    }
}
