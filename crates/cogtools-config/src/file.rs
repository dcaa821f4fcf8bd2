//! A configuration file to change: read once, and written unless it has changed since.

use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, Text, TextError};
use cogtools_core::{Origin, Project};

use crate::error::ConfigFileError;

/// The byte order mark, which some editors write.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A configuration file, which may not exist yet.
pub(crate) struct File {
    path: WritePath,
    text: Text,
    /// All bytes of the file; `None` if it does not exist.
    before: Option<Vec<u8>>,
    origin: fn(PathBuf) -> Origin,
}

impl File {
    /// The user's file.
    pub(crate) fn home(path: &Path) -> Result<Self, ConfigFileError> {
        Self::read(WritePath::of_user(path), path, Origin::Home)
    }

    /// The project's file.
    pub(crate) fn project(project: &Project) -> Result<Self, ConfigFileError> {
        let (path, display_path) = project.resolve(Path::new(Project::CONFIG));
        let path = WritePath::in_project(project.root(), &path);
        Self::read(path, &display_path, Origin::Project)
    }

    fn read(
        path: WritePath,
        display_path: &Path,
        origin: fn(PathBuf) -> Origin,
    ) -> Result<Self, ConfigFileError> {
        let scope = path.read_scope();
        let (text, before) = match text::bytes(&path.full(), display_path, Text::MAX_BYTES, &scope)
        {
            Ok(bytes) => {
                let text = Text::new(display_path, bytes.clone()).map_err(ConfigFileError::Text)?;
                (text, Some(bytes))
            }
            Err(TextError::NotFound(_)) => {
                let text = Text::new(display_path, Vec::new()).map_err(ConfigFileError::Text)?;
                (text, None)
            }
            Err(error) => return Err(ConfigFileError::Text(error)),
        };
        Ok(Self {
            path,
            text,
            before,
            origin,
        })
    }

    /// The text, without a byte order mark.
    pub(crate) const fn text(&self) -> &Text {
        &self.text
    }

    /// The configuration layer of the file.
    pub(crate) fn origin(&self) -> Origin {
        (self.origin)(self.text.display_path().to_path_buf())
    }

    /// Writes `text`, if it differs.
    pub(crate) fn write(&self, text: &str) -> Result<(), ConfigFileError> {
        let display_path = || self.text.display_path().to_path_buf();
        if self.before.is_some() && text == self.text.as_str() {
            return Ok(());
        }
        let before = self.before.as_deref();
        let mark = before
            .filter(|bytes| bytes.starts_with(BYTE_ORDER_MARK))
            .map_or(&[][..], |_| BYTE_ORDER_MARK);
        let content = [mark, text.as_bytes()].concat();
        file::replace_if_unchanged(&self.path, before, &content).map_err(|error| match error {
            WriteError::Changed => ConfigFileError::Changed(display_path()),
            error => ConfigFileError::Unwritable(display_path(), error),
        })
    }
}
