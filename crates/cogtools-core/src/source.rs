//! Where tools come from: folders of tool files.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::text::TextError;
use crate::tool::ToolError;
use crate::{Code, Fault, Name, Tool};

/// A folder with tool files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    shown: PathBuf,
    named: bool,
}

/// A file of a folder that wants to be a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file's stem: the tool's name, if it is one.
    pub stem: OsString,
    /// The file.
    pub path: PathBuf,
    /// The file as its user knows it.
    pub shown: PathBuf,
}

/// Why a folder's files cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The configuration names it, but it is not there.
    #[error("the folder `{0}` does not exist")]
    Absent(PathBuf),
    /// Something other than a folder.
    #[error("`{0}` is not a folder")]
    NotAFolder(PathBuf),
    /// The system says why.
    #[error("the folder `{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
}

/// The ending of tool files.
const ENDING: &str = "yaml";

impl Folder {
    /// The folder at `path`, known to its user as `shown`. One that the user
    /// `named` must be there; the standard one need not.
    pub const fn new(path: PathBuf, shown: PathBuf, named: bool) -> Self {
        Self { path, shown, named }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder as its user knows it.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// The tool of that name, if this folder has it. Only its own file is opened,
    /// however many there are.
    pub fn find(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        let file = format!("{name}.{ENDING}");
        match Tool::load(&self.path.join(&file), &self.shown.join(&file)) {
            Ok(tool) => Ok(Some(tool)),
            Err(error) if error.is_absent() => Ok(None),
            // What stands in the folder's place is said where folders are listed.
            Err(ToolError::Text(TextError::Io(_, error)))
                if error.kind() == ErrorKind::NotADirectory =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The file of the tool of that name, if this folder has one; whether it is a
    /// tool is not looked at.
    pub fn locate(&self, name: &Name) -> Option<Listed> {
        let listed = self.listed(&OsString::from(format!("{name}.{ENDING}")));
        listed.path.symlink_metadata().is_ok().then_some(listed)
    }

    /// The file that would be the tool of that name if it ended as tool files do.
    pub fn misnamed(&self, name: &Name) -> Option<PathBuf> {
        let file = format!("{name}.yml");
        let there = self.path.join(&file).is_file();
        there.then(|| self.shown.join(file))
    }

    /// The files that want to be tools, sorted by name; hidden ones do not.
    pub fn list(&self) -> Result<Vec<Listed>, SourceError> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => SourceError::Absent(self.shown.clone()),
            ErrorKind::NotADirectory => SourceError::NotAFolder(self.shown.clone()),
            _ => SourceError::Io(self.shown.clone(), error),
        };
        let entries = match std::fs::read_dir(&self.path).map_err(failed) {
            Err(SourceError::Absent(_)) if !self.named => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            let path = Path::new(&name);
            if !hidden && path.extension().is_some_and(|ending| ending == ENDING) {
                files.push(name);
            }
        }
        files.sort_unstable();
        Ok(files.into_iter().map(|name| self.listed(&name)).collect())
    }

    fn listed(&self, name: &OsString) -> Listed {
        let stem = Path::new(name).file_stem().unwrap_or(name).to_owned();
        Listed {
            stem,
            path: self.path.join(name),
            shown: self.shown.join(name),
        }
    }
}

impl SourceError {
    /// The fault to show.
    pub fn fault(&self) -> Fault {
        let hint = match self {
            Self::Absent(_) => "create it, or change `tool_sources` in `.cogtoolrc.yaml`",
            Self::NotAFolder(_) => "name a folder in `tool_sources`",
            Self::Io(..) => "check that the folder is readable",
        };
        Fault::new(Code::InvalidConfig, self.to_string()).hint(hint)
    }
}
