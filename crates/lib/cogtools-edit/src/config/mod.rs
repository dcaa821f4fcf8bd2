//! A configuration file to change: read once, and written unless it has changed since.

use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WriteError, WritePath};
use cogtools_core::text::{self, Span, Text, TextError};
use cogtools_core::yaml::{self, Node};
use cogtools_core::{Code, Config, Diagnostic, Location, Origin, Project};
use serde_json::Value;
use thiserror::Error;

use crate::{BYTE_ORDER_MARK, yaml as edit};

/// A configuration file, which may not exist yet.
pub struct ConfigFile {
    path: WritePath,
    text: Text,
    /// All bytes of the file; `None` if it does not exist.
    before: Option<Vec<u8>>,
    origin: fn(PathBuf) -> Origin,
}

impl ConfigFile {
    /// The user's file.
    pub fn home(path: &Path) -> Result<Self, ConfigFileError> {
        Self::read(WritePath::of_user(path), path, Origin::Home)
    }

    /// The project's file.
    pub fn project(project: &Project) -> Result<Self, ConfigFileError> {
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
        let before = match text::bytes(&path.full(), display_path, Text::MAX_BYTES, &scope) {
            Ok(bytes) => Some(bytes),
            Err(TextError::NotFound(_)) => None,
            Err(error) => return Err(ConfigFileError::Text(error)),
        };
        let text = Text::new(display_path, before.clone().unwrap_or_default());
        let text = text.map_err(ConfigFileError::Text)?;
        Ok(Self {
            path,
            text,
            before,
            origin,
        })
    }

    /// The text, without a byte order mark.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// The configuration layer of the file.
    pub fn origin(&self) -> Origin {
        (self.origin)(self.text.display_path().to_path_buf())
    }

    /// The value of the key at the path `segments`; `None` if it is not set.
    pub fn value(&self, segments: &[&str]) -> Result<Option<Value>, ConfigFileError> {
        let root = self.parse()?.to_json();
        let value = segments.iter().try_fold(&root, |value, key| value.get(key));
        Ok(value.cloned())
    }

    /// The change that sets the key at the path `segments` for `project`, unless the result
    /// is not valid.
    pub fn plan_set(
        self,
        project: &Project,
        segments: &[&str],
        value: &Value,
    ) -> Result<ConfigChange, ConfigFileError> {
        let root = self.parse()?;
        let edited = edit::set(self.text.as_str(), &root, segments, value);
        self.check(project, segments, edited)
    }

    /// The change that adds the entries of `value` to the map at `key`, with a line for each key, and
    /// changes nothing else.
    pub fn plan_add(
        self,
        project: &Project,
        key: &str,
        value: &Value,
    ) -> Result<ConfigChange, ConfigFileError> {
        let root = self.parse()?;
        let edited = edit::set_lines(self.text.as_str(), root, &[key], value);
        self.check(project, &[key], edited)
    }

    /// The change that removes the key at the path `segments`; `None` if it is not set.
    pub fn plan_unset(
        self,
        project: &Project,
        segments: &[&str],
    ) -> Result<Option<ConfigChange>, ConfigFileError> {
        let root = self.parse()?;
        let edited = edit::unset(self.text.as_str(), &root, segments);
        let change = edited.map(|edited| self.check(project, segments, edited));
        change.transpose()
    }

    fn parse(&self) -> Result<Node, ConfigFileError> {
        yaml::parse(&self.text).map_err(|error| {
            let diagnostic = error.diagnostic(Code::InvalidConfig, &self.text);
            ConfigFileError::Invalid(vec![diagnostic])
        })
    }

    /// The change to the new text, if there is one with the key at `segments`, and it is a valid
    /// configuration.
    fn check(
        self,
        project: &Project,
        segments: &[&str],
        edited: Result<String, edit::EditError>,
    ) -> Result<ConfigChange, ConfigFileError> {
        let edited = edited.map_err(|error| {
            let location = self.text.location(Span::new(error.at, error.at));
            ConfigFileError::Entangled(segments.join("."), Box::new(location))
        })?;
        let text = Text::new(self.text.display_path(), edited.as_bytes().to_vec())
            .map_err(ConfigFileError::Text)?;
        Config::accept(project, text, self.origin()).map_err(ConfigFileError::Invalid)?;
        Ok(ConfigChange { file: self, edited })
    }

    /// Writes `text`, if it differs.
    fn write(&self, text: &str) -> Result<(), ConfigFileError> {
        let display_path = || self.text.display_path().to_path_buf();
        if self.before.is_some() && text == self.text.as_str() {
            return Ok(());
        }
        let before = self.before.as_deref();
        let mark = BYTE_ORDER_MARK.as_bytes();
        let has_mark = before.is_some_and(|bytes| bytes.starts_with(mark));
        let mark = if has_mark { mark } else { &[] };
        let content = [mark, text.as_bytes()].concat();
        file::replace_if_unchanged(&self.path, before, &content).map_err(|error| match error {
            WriteError::Changed => ConfigFileError::Changed(display_path()),
            error => ConfigFileError::Unwritable(display_path(), error),
        })
    }
}

/// A change of a file that has not been made yet.
pub struct ConfigChange {
    file: ConfigFile,
    edited: String,
}

impl ConfigChange {
    /// The file, for messages.
    pub fn file(&self) -> String {
        self.file.text.display_path().display().to_string()
    }

    /// The lines that are removed and added, each after its sign.
    pub fn preview(&self) -> String {
        let (before, after) = (self.file.text.as_str(), self.edited.as_str());
        let diff = text::compare(before, after);
        let lines = diff.iter_all_changes();
        lines
            .filter(|line| line.tag() != similar::ChangeTag::Equal)
            .map(|line| [&line.tag().to_string(), " ", line.value().trim_end(), "\n"].concat())
            .collect()
    }

    /// Makes the change.
    pub fn write(self) -> Result<(), ConfigFileError> {
        self.file.write(&self.edited)
    }
}

/// Why a configuration file is not changed.
#[derive(Debug, Error)]
pub enum ConfigFileError {
    /// `HOME` is not set.
    #[error("the home directory is unknown")]
    NoHome,
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It cannot be written.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
    /// The new value or the new text is not valid: all diagnostics.
    #[error("not a valid configuration")]
    Invalid(Vec<Diagnostic>),
    /// The key cannot be changed without changing the text around it.
    #[error("`{0}` cannot be changed without changing the text around it")]
    Entangled(String, Box<Location>),
    /// It has been changed by another process since it was read.
    #[error("`{0}` has been changed by another process")]
    Changed(PathBuf),
}

impl ConfigFileError {
    /// All diagnostics to show.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        let diagnostic = match &self {
            Self::Invalid(diagnostics) => return diagnostics.clone(),
            Self::NoHome => diagnostic(Code::Usage).hint("set HOME"),
            Self::Text(error) => error.diagnostic(Code::InvalidConfig),
            Self::Entangled(_, location) => diagnostic(Code::Usage)
                .at((**location).clone())
                .hint("nothing was written; edit the file by hand"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
            Self::Changed(_) => diagnostic(Code::IoFailed).hint("run this again"),
        };
        vec![diagnostic]
    }
}
