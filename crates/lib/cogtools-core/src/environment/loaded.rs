//! Variables of the process that a host may have loaded from a file of the project.
//!
//! Hosts read a project's `.env` into the environment of every program that they start,
//! where its variables look like the user's own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{DotEnv, Environment};
use crate::file::ReadScope;
use crate::text::{self, Text, TextError};

/// The files that a host would load.
pub(super) struct LoadedFiles(Vec<LoadedFile>);

/// A file that a host would load.
enum LoadedFile {
    Parsed(String, DotEnv),
    /// Text that another parser may understand.
    Unparsable(String),
    /// It may contain anything.
    Unreadable,
}

/// The folders of hosts, in which they search for a `.env` before the folder itself.
const HOST_FOLDERS: [&str; 3] = [".gemini", ".qwen", ".iflow"];

/// The files that a host in `directory` may load into its environment, except those in
/// the user's `home`: in the directory and all above it.
pub fn host_files(directory: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let real_home = home.and_then(|home| home.canonicalize().ok());
    let is_home = |folder: &Path| Some(folder) == home || Some(folder) == real_home.as_deref();
    // A host's own path of the directory has no links.
    let real = directory.canonicalize().ok();
    let real = real.as_deref().filter(|real| *real != directory);
    let mut files = Vec::new();
    for directory in std::iter::once(directory).chain(real) {
        let folders = directory.ancestors().take_while(|folder| !is_home(folder));
        for folder in folders {
            files.push(folder.join(Environment::FILE));
            let hosts = HOST_FOLDERS.iter().map(|host| folder.join(host));
            files.extend(hosts.map(|folder| folder.join(Environment::FILE)));
        }
    }
    files
}

/// Returns true if a host may have loaded the variable `name` with this value from a file in
/// `directory` or above it.
pub fn may_be_loaded(directory: &Path, name: &str, value: &OsStr) -> bool {
    LoadedFiles::above(directory, None).may_set(name, value)
}

impl LoadedFiles {
    /// The [`host_files`] that exist.
    pub(super) fn above(directory: &Path, home: Option<&Path>) -> Self {
        let files = host_files(directory, home);
        let files = files.iter().filter_map(|file| LoadedFile::read(file));
        Self(files.collect())
    }

    /// Returns true if one of the files may have set `name` to `value`.
    pub(super) fn may_set(&self, name: &str, value: &OsStr) -> bool {
        self.0.iter().any(|file| file.may_set(name, value))
    }
}

impl LoadedFile {
    fn read(path: &Path) -> Option<Self> {
        let bytes = match text::bytes(path, path, Text::MAX_BYTES, &ReadScope::User) {
            Ok(bytes) => bytes,
            // `NotADirectory` is a file in place of the folder `.gemini`.
            Err(TextError::NotFound(_) | TextError::Dangling(_) | TextError::NotAFile(_)) => {
                return None;
            }
            Err(TextError::Io(_, error)) if error.kind() == std::io::ErrorKind::NotADirectory => {
                return None;
            }
            Err(_) => return Some(Self::Unreadable),
        };
        let content = String::from_utf8_lossy(&bytes).into_owned();
        let parsed = Text::new(path, bytes).ok().map(DotEnv::parse);
        Some(match parsed {
            Some(Ok(file)) => Self::Parsed(content, file),
            _ => Self::Unparsable(content),
        })
    }

    fn may_set(&self, name: &str, value: &OsStr) -> bool {
        match self {
            Self::Unreadable => true,
            Self::Unparsable(content) => contains_word(content, name),
            Self::Parsed(content, file) => {
                let value = value.to_string_lossy();
                let entries = file.variables().iter();
                entries
                    .filter(|entry| entry.name == name)
                    // Other parsers resolve more escapes, and expand variables.
                    .any(|entry| *entry.value == *value || entry.value.contains(['$', '\\']))
                    // They also have other comments and quotes.
                    || (!value.is_empty()
                        && content
                            .lines()
                            .any(|line| line.contains(name) && line.contains(&*value)))
            }
        }
    }
}

/// Returns true if `text` contains `name`, not as a part of another name.
fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}
