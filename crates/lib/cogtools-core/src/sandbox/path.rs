//! A path in a sandbox: below the project's root, below the home directory, or absolute.

use std::fmt::{self, Display, Formatter};
use std::path::{Component, Path, PathBuf};

use super::SandboxError;
use crate::file::{self, WriteError, WritePath};

/// A path, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxPath(String);

/// Where the paths begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roots<'r> {
    /// The project's root.
    pub(super) project: &'r Path,
    /// The home directory, if known.
    pub(super) home: Option<&'r Path>,
}

impl SandboxPath {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, SandboxError> {
        let below = text.strip_prefix("~/").unwrap_or(text);
        let is_other = text.starts_with('~') && text != "~" && below == text;
        if text.trim().is_empty() || text.contains('\0') || is_other {
            return Err(SandboxError::Path(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether it is below the project's root, as it is written.
    pub fn is_inside(&self) -> bool {
        let mut parts = Path::new(&self.0).components();
        let is_up = parts.any(|part| part == Component::ParentDir);
        !self.0.starts_with('~') && !Path::new(&self.0).is_absolute() && !is_up
    }

    /// What it names, without links; `None` if that does not exist. A path below the project's
    /// root must stay there.
    pub(super) fn resolve(&self, roots: Roots<'_>) -> Result<Option<PathBuf>, SandboxError> {
        let Some(path) = self.full(roots) else {
            return Ok(None);
        };
        match path.canonicalize() {
            Ok(real) => self.check(real, roots).map(Some),
            // Something that is not there may still be a link.
            Err(_) => Ok(None),
        }
    }

    /// The same for a path that will be written: a folder of the project is made if nothing is
    /// there.
    pub(super) fn resolve_or_create(
        &self,
        roots: Roots<'_>,
    ) -> Result<Option<PathBuf>, SandboxError> {
        if !self.is_inside() {
            return self.resolve(roots);
        }
        let path = roots.project.join(self.0.as_str());
        if path.symlink_metadata().is_err() {
            let folder = WritePath::in_project(roots.project, Path::new(&self.0));
            file::create_folder(&folder).map_err(|error| match error {
                WriteError::Link { .. } => SandboxError::Leaves(self.0.clone()),
                error => SandboxError::Create(self.0.clone(), error),
            })?;
        }
        self.resolve(roots)
    }

    /// `real`, unless it has left the project.
    fn check(&self, real: PathBuf, roots: Roots<'_>) -> Result<PathBuf, SandboxError> {
        let project = roots.project.canonicalize();
        let project = project.as_deref().unwrap_or(roots.project);
        if self.is_inside() && !real.starts_with(project) {
            return Err(SandboxError::Leaves(self.0.clone()));
        }
        Ok(real)
    }

    fn full(&self, roots: Roots<'_>) -> Option<PathBuf> {
        let text = self.0.as_str();
        if text == "~" {
            return roots.home.map(Path::to_path_buf);
        }
        match text.strip_prefix("~/") {
            Some(below) => roots.home.map(|home| home.join(below)),
            None => Some(roots.project.join(text)),
        }
    }
}

impl Display for SandboxPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_below_the_root_or_say_so() {
        for (text, expected) in [
            ("out", Some(true)),
            (".", Some(true)),
            ("./a/b", Some(true)),
            ("~", Some(false)),
            ("~/.npm", Some(false)),
            ("/var/tmp", Some(false)),
            ("", None),
            (" ", None),
            ("..", Some(false)),
            ("a/../b", Some(false)),
            ("~other", None),
            ("a\0b", None),
        ] {
            let parsed = SandboxPath::parse(text).ok();
            assert_eq!(parsed.map(|path| path.is_inside()), expected, "{text:?}");
        }
    }
}
