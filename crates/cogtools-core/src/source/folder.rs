//! A folder of tool files, and the toolsets in it: its folders, all the way down.

use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Listed, Provenance, SourceError};
use crate::text::TextError;
use crate::tool::ToolError;
use crate::{Name, Tool};

/// A folder with tool files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    shown: PathBuf,
    named: bool,
    provenance: Arc<Provenance>,
    depth: usize,
}

/// What lies in a folder.
#[derive(Default)]
struct Content {
    files: Vec<OsString>,
    folders: Vec<OsString>,
}

/// The ending of tool files.
const ENDING: &str = "yaml";

/// How deep toolsets are looked for below a source.
const DEPTH: usize = 8;

impl Folder {
    /// The folder at `path`, known to its user as `shown`. One that the user
    /// `named` must be there; the standard one need not.
    pub fn new(path: PathBuf, shown: PathBuf, named: bool) -> Self {
        let provenance = Arc::new(Provenance::local(&shown));
        Self {
            path,
            shown,
            named,
            provenance,
            depth: DEPTH,
        }
    }

    /// The same folder with tools of another provenance.
    #[must_use]
    pub(crate) fn from(mut self, provenance: Provenance) -> Self {
        self.provenance = Arc::new(provenance);
        self
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder as its user knows it.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// Whether tools in the folder `path` are found: it is this one, or a toolset
    /// in it.
    pub fn leads_to(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.path) else {
            return false;
        };
        let mut parts = below.components();
        parts.all(|part| !is_apart(part.as_os_str()))
    }

    /// The tool of that name, if this folder or a toolset in it has it. Only its
    /// own file is opened, however many there are; names of folders are read only
    /// when the folder itself does not have it.
    pub fn find(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        if let Some(tool) = self.own(name)? {
            return Ok(Some(tool));
        }
        // A folder that cannot be read is named where all tools are listed.
        let content = self.content().unwrap_or_default();
        for folder in content.folders {
            if let Some(tool) = self.toolset(&folder).find(name)? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }

    /// The tool of that name in the folder itself.
    fn own(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        let file = format!("{name}.{ENDING}");
        match Tool::load(&self.path.join(&file), &self.shown.join(&file)) {
            Ok(tool) => Ok(Some(tool.from(Arc::clone(&self.provenance)))),
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

    /// The file that would be the tool of that name if it ended as tool files do.
    pub fn misnamed(&self, name: &Name) -> Option<PathBuf> {
        let file = format!("{name}.yml");
        let there = self.path.join(&file).is_file();
        there.then(|| self.shown.join(file))
    }

    /// The files that want to be tools, sorted by name, then those of its
    /// toolsets, sorted as well. What begins with a dot is hidden.
    pub fn list(&self) -> Result<Vec<Listed>, SourceError> {
        let content = match self.content() {
            Err(SourceError::Absent(_)) if !self.named => return Ok(Vec::new()),
            content => content?,
        };
        let files = content.files.iter().map(|name| self.listed(name));
        let mut listed: Vec<Listed> = files.collect();
        for folder in &content.folders {
            listed.extend(self.toolset(folder).list()?);
        }
        Ok(listed)
    }

    /// What lies in the folder, sorted by name.
    fn content(&self) -> Result<Content, SourceError> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => SourceError::Absent(self.shown.clone()),
            ErrorKind::NotADirectory => SourceError::NotAFolder(self.shown.clone()),
            _ => SourceError::Io(self.shown.clone(), error),
        };
        let mut content = Content::default();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if Path::new(&name).extension() == Some(OsStr::new(ENDING)) {
                content.files.push(name);
            } else if self.is_toolset(&entry, &name) {
                content.folders.push(name);
            }
        }
        content.files.sort_unstable();
        content.folders.sort_unstable();
        Ok(content)
    }

    /// Whether it is a folder in which tools are looked for: not one of parts, not
    /// one of packages, and no link back up.
    fn is_toolset(&self, entry: &DirEntry, name: &OsStr) -> bool {
        let Ok(kind) = entry.file_type() else {
            return false;
        };
        if kind.is_file() || self.depth == 0 {
            return false;
        }
        !is_apart(name) && (kind.is_dir() || self.leads_down(name))
    }

    fn leads_down(&self, link: &OsStr) -> bool {
        let path = self.path.join(link);
        let (Ok(target), Ok(here)) = (path.canonicalize(), self.path.canonicalize()) else {
            return false;
        };
        target.is_dir() && !here.starts_with(target)
    }

    fn toolset(&self, name: &OsStr) -> Self {
        Self {
            path: self.path.join(name),
            shown: self.shown.join(name),
            named: true,
            provenance: Arc::new(self.provenance.below(&name.to_string_lossy())),
            depth: self.depth - 1,
        }
    }

    fn listed(&self, name: &OsString) -> Listed {
        let stem = Path::new(name).file_stem().unwrap_or(name).to_owned();
        Listed {
            stem,
            path: self.path.join(name),
            shown: self.shown.join(name),
            provenance: Arc::clone(&self.provenance),
            declared: None,
        }
    }
}

/// Whether a folder of that name holds no tools: it is hidden, or one of parts or
/// of packages.
fn is_apart(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"_") || name == b"node_modules"
}
