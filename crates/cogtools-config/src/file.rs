//! A configuration file that is changed: read once, and written if it is still
//! what was read.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{Text, TextError};
use cogtools_core::{Origin, Project};

use crate::refusal::Refusal;

/// What some editors put in front of a text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A configuration file, which may not be there yet.
pub(crate) struct File {
    path: WritePath,
    text: Text,
    /// What it holds, every byte of it; none when there is no file.
    before: Option<Vec<u8>>,
    origin: fn(PathBuf) -> Origin,
}

impl File {
    /// The user's.
    pub(crate) fn home(path: &Path) -> Result<Self, Refusal> {
        Self::read(WritePath::of_user(path), path, Origin::Home)
    }

    /// The project's.
    pub(crate) fn project(project: &Project) -> Result<Self, Refusal> {
        let (path, shown) = project.resolve(Path::new(Project::CONFIG));
        let path = WritePath::in_project(project.root(), &path);
        Self::read(path, &shown, Origin::Project)
    }

    fn read(path: WritePath, shown: &Path, origin: fn(PathBuf) -> Origin) -> Result<Self, Refusal> {
        let full = path.full();
        let (text, before) = match Text::read(&full, shown) {
            Ok(text) => {
                let bytes = fs::read(&full)
                    .map_err(|error| Refusal::Text(TextError::Io(shown.to_path_buf(), error)))?;
                (text, Some(bytes))
            }
            Err(TextError::Absent(_)) => {
                let text = Text::new(shown, Vec::new()).map_err(Refusal::Text)?;
                (text, None)
            }
            Err(error) => return Err(Refusal::Text(error)),
        };
        Ok(Self {
            path,
            text,
            before,
            origin,
        })
    }

    /// Its text, without a byte order mark.
    pub(crate) const fn text(&self) -> &Text {
        &self.text
    }

    /// Whose configuration it is.
    pub(crate) fn origin(&self) -> Origin {
        (self.origin)(self.text.display_path().to_path_buf())
    }

    /// Writes `text`, if it is another one.
    pub(crate) fn write(&self, text: &str) -> Result<(), Refusal> {
        let shown = || self.text.display_path().to_path_buf();
        if self.before.is_some() && text == self.text.as_str() {
            return Ok(());
        }
        let mark = self.before.as_deref().unwrap_or_default();
        let mark = if mark.starts_with(MARK) { MARK } else { &[] };
        let content = [mark, text.as_bytes()].concat();
        let written = file::replace_if_unchanged(&self.path, self.before.as_deref(), &content);
        written.map_err(|error| match error {
            WriteError::Changed => Refusal::Overtaken(shown()),
            error => Refusal::Unwritable(shown(), error),
        })
    }
}
