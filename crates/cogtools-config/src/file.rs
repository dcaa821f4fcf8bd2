//! A configuration file that is changed: read once, written beside its place and
//! put there, where a link leads to if it is one.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cogtools_core::text::{Text, TextError};
use cogtools_core::{Origin, Project};
use tempfile::Builder;

use crate::refusal::Refusal;

/// What some editors put in front of a text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A configuration file, which may not be there yet.
pub(crate) struct File {
    path: PathBuf,
    text: Text,
    /// What it holds, every byte of it; none when there is no file.
    before: Option<Vec<u8>>,
    origin: fn(PathBuf) -> Origin,
}

impl File {
    /// The user's.
    pub(crate) fn home(path: PathBuf) -> Result<Self, Refusal> {
        let shown = path.clone();
        Self::read(path, &shown, Origin::Home)
    }

    /// The project's.
    pub(crate) fn project(project: &Project) -> Result<Self, Refusal> {
        let (path, shown) = project.resolve(Path::new(Project::CONFIG));
        Self::read(path, &shown, Origin::Project)
    }

    fn read(path: PathBuf, shown: &Path, origin: fn(PathBuf) -> Origin) -> Result<Self, Refusal> {
        let (text, before) = match Text::read(&path, shown) {
            Ok(text) => {
                let bytes = fs::read(&path)
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
        (self.origin)(self.text.name().to_path_buf())
    }

    /// Writes `text`, if it is another one.
    pub(crate) fn write(&self, text: &str) -> Result<(), Refusal> {
        let shown = || self.text.name().to_path_buf();
        if self.before.is_some() && text == self.text.as_str() {
            return Ok(());
        }
        let failed = |error| Refusal::Unwritable(shown(), error);
        let target = match self.before {
            Some(_) => self.path.canonicalize().map_err(failed)?,
            None => self.path.clone(),
        };
        let folder = target.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).map_err(failed)?;
        let mut builder = Builder::new();
        builder.prefix(".cogtools-");
        permit(&mut builder, self.before.is_some());
        let mut beside = builder.tempfile_in(folder).map_err(failed)?;
        self.fill(&mut beside, text).map_err(failed)?;
        let Some(before) = &self.before else {
            return match beside.persist_noclobber(&target) {
                Ok(_) => Ok(()),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                    Err(Refusal::Overtaken(shown()))
                }
                Err(error) => Err(failed(error.error)),
            };
        };
        let permissions = fs::metadata(&target).map_err(failed)?.permissions();
        beside
            .as_file()
            .set_permissions(permissions)
            .map_err(failed)?;
        if fs::read(&target).map_err(failed)? != *before {
            return Err(Refusal::Overtaken(shown()));
        }
        let persisted = beside.persist(&target);
        persisted.map(drop).map_err(|error| failed(error.error))
    }

    /// Writes the new content beside the file, and makes sure that it is on disk.
    fn fill(&self, beside: &mut tempfile::NamedTempFile, text: &str) -> io::Result<()> {
        let before = self.before.as_deref().unwrap_or_default();
        if before.starts_with(MARK) {
            beside.write_all(MARK)?;
        }
        beside.write_all(text.as_bytes())?;
        beside.as_file().sync_all()
    }
}

/// A new file may be used as the user's umask allows; what replaces a file is
/// nobody's business until it has that file's permissions.
#[cfg(unix)]
fn permit(builder: &mut Builder<'_, '_>, replaces: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if replaces { 0o600 } else { 0o666 };
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn permit(_builder: &mut Builder<'_, '_>, _replaces: bool) {}
