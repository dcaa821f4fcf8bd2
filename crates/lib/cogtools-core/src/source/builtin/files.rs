//! The files that built-in tools may see: files of the project, without what git ignores, and
//! without what is known to contain secrets.
//!
//! Rules of git come from `.gitignore` files in the project and from `.git/info/exclude`. They are
//! read like every other file of the project: no link leads out of it, and no pipe blocks.

use std::ffi::OsString;
use std::fs::FileType;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::file::{self, ReadError, ReadScope, WriteError, WritePath, has_secrets, is_secret};
use crate::tool::{RunError, ToolCall};
use crate::{Context, lexical};

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The largest file of rules that is used, in bytes.
const MAX_RULES: u64 = 256 << 10;
/// A folder in which files are listed.
pub(super) struct Files {
    root: PathBuf,
    folder: PathBuf,
    matcher: Option<GlobMatcher>,
}

impl Files {
    /// Finds the files that the arguments `path` and `pattern` select.
    pub(super) fn of(call: &ToolCall<'_>) -> Result<Self, RunError> {
        let path = call.text("path").unwrap_or(".");
        let root = &call.cx.root;
        let folder = root.join(below(call, path)?);
        if ReadScope::project(root).is_left_by(&folder) {
            return Err(outside(call, path));
        }
        match folder.metadata() {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                let message = format!("`{path}` is not a folder");
                return Err(call.failure_with(message, "read_file reads a file"));
            }
            Err(error) => {
                return Err(call.failure(format!("`{path}` cannot be read: {error}")));
            }
        }
        let pattern = call.text("pattern");
        let matcher = pattern.map(|pattern| matcher(call, pattern));
        Ok(Self {
            root: root.clone(),
            folder,
            matcher: matcher.transpose()?,
        })
    }

    /// Returns their paths relative to the project, sorted, with `/` between folders.
    pub(super) fn iter(&self) -> impl Iterator<Item = String> + '_ {
        Walk::new(&self.root, &self.folder)
            .filter_map(|path| self.path_of(&path))
            .filter(|path| {
                let matches = |matcher: &GlobMatcher| matcher.is_match(path);
                self.matcher.as_ref().is_none_or(matches) && !is_secret(Path::new(path))
            })
    }

    fn path_of(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.root).ok()?;
        let parts = below.components().map(|part| part.as_os_str().to_str());
        Some(parts.collect::<Option<Vec<&str>>>()?.join("/"))
    }
}

/// Returns the full path of the file `path` in the project, which need not exist.
pub(super) fn full_path(call: &ToolCall<'_>, path: &str) -> Result<PathBuf, RunError> {
    let below = public_path(call, path)?;
    match file::resolve(&WritePath::in_project(&call.cx.root, &below)) {
        Ok(_) => Ok(call.cx.root.join(&below)),
        Err(WriteError::Link { .. }) => Err(outside(call, path)),
        Err(error) => {
            let message = format!("`{path}` cannot be changed: {error}");
            Err(call.failure_with(message, error.hint("name another file of the project")))
        }
    }
}

/// Returns `path` relative to the project, unless the file may contain secrets.
fn public_path(call: &ToolCall<'_>, path: &str) -> Result<PathBuf, RunError> {
    let below = below(call, path)?;
    if has_secrets(&call.cx.root, &below) {
        return Err(secret(call, path));
    }
    Ok(below)
}

/// Reads the text of the file `path` in the project.
pub(super) fn read(call: &ToolCall<'_>, path: &str) -> Result<String, RunError> {
    let full = call.cx.root.join(public_path(call, path)?);
    read_text(&full, call.cx).map_err(|error| match error {
        ReadError::Outside { .. } => outside(call, path),
        error => {
            let message = format!("`{path}` cannot be read: {error}");
            call.failure_with(message, "list_files lists the files of the project")
        }
    })
}

/// Reads the text of the file at `path`.
pub(super) fn read_text(path: &Path, cx: &Context) -> Result<String, ReadError> {
    let (bytes, _) = file::read(path, &ReadScope::project(&cx.root), MAX_FILE_BYTES)?;
    let other = |message: &str| ReadError::Io(std::io::Error::other(message.to_owned()));
    if bytes.contains(&0) {
        return Err(other("it is not text"));
    }
    String::from_utf8(bytes).map_err(|_| other("it is not UTF-8"))
}

/// Returns `path` relative to the project, if it is in it as written.
fn below(call: &ToolCall<'_>, path: &str) -> Result<PathBuf, RunError> {
    match file::below(Path::new("."), Path::new(path)) {
        Some(below) => Ok(lexical(&below)),
        None => Err(outside(call, path)),
    }
}

fn matcher(call: &ToolCall<'_>, pattern: &str) -> Result<GlobMatcher, RunError> {
    // Like git: a pattern without a slash matches names in any folder.
    let anywhere = (!pattern.contains('/')).then(|| format!("**/{pattern}"));
    let glob = GlobBuilder::new(anywhere.as_deref().unwrap_or(pattern))
        .literal_separator(true)
        .build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        let message = format!("`{pattern}` is not a pattern: {}", error.kind());
        call.failure_with(message, "write it as in `src/**/*.rs`")
    })
}

/// Explains why a file that may contain secrets is not read.
pub(super) fn secret(call: &ToolCall<'_>, path: &str) -> RunError {
    call.failure(format!("`{path}` may contain secrets and is not read"))
}

fn outside(call: &ToolCall<'_>, path: &str) -> RunError {
    let message = format!("`{path}` is outside the project");
    call.failure_with(message, "name a path relative to the project's folder")
}

/// Walks the files below a folder, in the order of their names. Links are left out.
struct Walk {
    root: PathBuf,
    /// Where files are wanted: the root, or a folder below it.
    folder: PathBuf,
    /// The folders on the way, each with the rest of it.
    open: Vec<OpenFolder>,
}

/// A folder that is being walked.
struct OpenFolder {
    path: PathBuf,
    /// The rest of it, the next entry last.
    entries: Vec<(OsString, FileType)>,
    /// Its rules.
    rules: Vec<Gitignore>,
}

impl Walk {
    /// Starts a walk over the files below `folder`, which is `root` or below it. The walk begins at `root`, because
    /// rules of each folder on the way hold.
    fn new(root: &Path, folder: &Path) -> Self {
        let mut walk = Self {
            root: root.to_path_buf(),
            folder: folder.to_path_buf(),
            open: Vec::new(),
        };
        walk.enter(root.to_path_buf());
        if let Some(first) = walk.open.first_mut() {
            let exclude = root.join(".git").join("info").join("exclude");
            // The rules of the folder itself come first, because they win.
            first.rules.extend(rules(root, root, &exclude));
        }
        walk
    }

    /// Goes on with the entries of `path`. One that cannot be read has none.
    fn enter(&mut self, path: PathBuf) {
        let Ok(entries) = path.read_dir() else {
            return;
        };
        let mut entries: Vec<(OsString, FileType)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.file_name(), entry.file_type().ok()?))
            })
            .collect();
        entries.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        let rules = rules(&self.root, &path, &path.join(".gitignore"));
        self.open.push(OpenFolder {
            rules: rules.into_iter().collect(),
            path,
            entries,
        });
    }

    /// Returns true if the nearest rule that matches ignores `path`.
    fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        let nearest_first = self.open.iter().rev().flat_map(|folder| &folder.rules);
        let mut matches = nearest_first.map(|rules| rules.matched(path, is_folder));
        matches
            .find(|found| !found.is_none())
            .is_some_and(|found| matches!(found, Match::Ignore(_)))
    }
}

impl Iterator for Walk {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        loop {
            let open = self.open.last_mut()?;
            let Some((name, kind)) = open.entries.pop() else {
                self.open.pop();
                continue;
            };
            let path = open.path.join(&name);
            let is_below = path.starts_with(&self.folder);
            let is_on_the_way = kind.is_dir() && self.folder.starts_with(&path);
            if name == ".git" || !(is_below || is_on_the_way) {
                continue;
            }
            if self.is_ignored(&path, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                self.enter(path);
            } else if kind.is_file() {
                return Some(path);
            }
        }
    }
}

/// Reads the rules in the file at `path`, for what is in `folder`. A file that cannot be read has none,
/// and a line that is not a pattern is left out.
fn rules(root: &Path, folder: &Path, path: &Path) -> Option<Gitignore> {
    let (bytes, _) = file::read(path, &ReadScope::project(root), MAX_RULES).ok()?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // Git ignores such a line as well.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
