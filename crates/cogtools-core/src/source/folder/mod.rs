//! A folder of tool files, and the toolsets in it: its folders, all the way down.

mod walk;

use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walk::{Entry, Walker};

use super::{Candidate, Listing, SourceError};
use crate::text::TextError;
use crate::tool::{Provenance, ToolError};
use crate::{Name, Tool};

/// A folder with tool files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    display_path: PathBuf,
    named: bool,
    provenance: Arc<Provenance>,
    depth: usize,
    /// The folder, links resolved, that no link in this one may lead out of.
    within: Option<Arc<Path>>,
}

/// What lies in a folder, sorted by name.
#[derive(Default)]
struct Content {
    files: Vec<OsString>,
    folders: Vec<OsString>,
    links: Vec<OsString>,
    errors: Vec<SourceError>,
}

/// The ending of tool files.
const EXTENSION: &str = "yaml";

/// How deep toolsets are looked for below a source.
const MAX_DEPTH: usize = 8;

impl Folder {
    /// The folder at `path`, known to its user as `display_path`. One that the user
    /// `named` must be there; the standard one need not.
    pub fn new(path: PathBuf, display_path: PathBuf, named: bool) -> Self {
        let provenance = Arc::new(Provenance::local(&display_path));
        Self {
            path,
            display_path,
            named,
            provenance,
            depth: MAX_DEPTH,
            within: None,
        }
    }

    /// The same folder with tools of another provenance, of which no link leads
    /// out of `root`, a path without links.
    #[must_use]
    pub(crate) fn with_provenance(mut self, provenance: Provenance, root: &Path) -> Self {
        self.provenance = Arc::new(provenance);
        self.within = Some(root.into());
        self
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder as its user knows it.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// Whether tools in the folder `path` are found: it is this one, or a toolset
    /// in it.
    pub fn leads_to(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.path) else {
            return false;
        };
        let mut parts = below.components();
        below.components().count() <= self.depth && parts.all(|part| !is_excluded(part.as_os_str()))
    }

    /// The tool of that name, if this folder or a toolset in it has it. Only its
    /// own file is opened, however many there are; names are read only when the
    /// folder itself does not have it.
    pub fn find(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        if let Some(tool) = self.load_direct(name)? {
            return Ok(Some(tool));
        }
        let file = OsString::from(format!("{name}.{EXTENSION}"));
        // What cannot be read is named where all tools are listed.
        let mut having = Walker::over(self).filter(|stop| stop.files.contains(&file));
        having
            .find_map(|stop| stop.folder.load_direct(name).transpose())
            .transpose()
    }

    /// The tool of that name in the folder itself.
    fn load_direct(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        let file = format!("{name}.{EXTENSION}");
        let path = self.path.join(&file);
        if self.within.is_some() && path.is_symlink() && self.leads_outside(&path) {
            return Ok(None);
        }
        match Tool::load(&path, &self.display_path.join(&file)) {
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
    pub fn wrong_extension(&self, name: &Name) -> Option<PathBuf> {
        let file = format!("{name}.yml");
        let mut folders = Walker::over(self).map(|stop| stop.folder);
        folders.find_map(|folder| {
            let there = folder.path.join(&file).is_file();
            there.then(|| folder.display_path.join(&file))
        })
    }

    /// The files that want to be tools, sorted by name, then those of its
    /// toolsets, sorted as well, then those that links lead to. What begins with
    /// a dot is hidden. What cannot be read costs no more than itself.
    pub fn list(&self) -> Listing {
        let mut listing = Listing::default();
        for Entry {
            folder,
            files,
            errors,
        } in Walker::over(self)
        {
            listing
                .entries
                .extend(files.iter().map(|name| folder.candidate(name)));
            listing.errors.extend(errors);
        }
        listing
    }

    /// The folder itself and every toolset in it, in the order of [`Folder::list`].
    pub fn toolsets(&self) -> impl Iterator<Item = Self> {
        Walker::over(self).map(|stop| stop.folder)
    }

    /// What lies in the folder itself.
    fn content(&self) -> Content {
        match self.read() {
            Err(SourceError::Absent(_)) if !self.named => Content::default(),
            Ok(content) => content,
            Err(error) => Content {
                errors: vec![error],
                ..Content::default()
            },
        }
    }

    fn read(&self) -> Result<Content, SourceError> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => SourceError::Absent(self.display_path.clone()),
            ErrorKind::NotADirectory => SourceError::NotAFolder(self.display_path.clone()),
            _ => SourceError::Io(self.display_path.clone(), error),
        };
        let mut content = Content::default();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            self.sort(&entry.map_err(failed)?, &mut content);
        }
        content.files.sort_unstable();
        content.folders.sort_unstable();
        content.links.sort_unstable();
        content.errors.sort_by_cached_key(ToString::to_string);
        Ok(content)
    }

    /// Puts `entry` where it belongs, if it belongs anywhere.
    fn sort(&self, entry: &DirEntry, content: &mut Content) {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else {
            return;
        };
        let tool = Path::new(&name).extension() == Some(OsStr::new(EXTENSION));
        let deeper = !tool && !kind.is_file() && self.depth > 0 && !is_excluded(&name);
        if name.as_encoded_bytes().starts_with(b".") || !(tool || deeper) {
            return;
        }
        if kind.is_symlink() && self.leads_outside(&entry.path()) {
            let outside =
                SourceError::Outside(self.display_path.join(name), self.source().to_owned());
            content.errors.push(outside);
        } else if tool {
            content.files.push(name);
        } else if kind.is_dir() {
            content.folders.push(name);
        } else if kind.is_symlink() && entry.path().is_dir() {
            content.links.push(name);
        }
    }

    /// Whether the link at `path` leads to where it may not. One that leads
    /// nowhere does no harm.
    fn leads_outside(&self, path: &Path) -> bool {
        let Some(within) = &self.within else {
            return false;
        };
        path.canonicalize()
            .is_ok_and(|real| !real.starts_with(within))
    }

    /// The name of the source that it belongs to.
    fn source(&self) -> &str {
        &self.provenance.source
    }

    /// The folder `name` in it.
    fn toolset(&self, name: &OsStr) -> Self {
        Self {
            path: self.path.join(name),
            display_path: self.display_path.join(name),
            // It was there a moment ago.
            named: false,
            provenance: Arc::new(self.provenance.below(&name.to_string_lossy())),
            depth: self.depth - 1,
            within: self.within.clone(),
        }
    }

    fn candidate(&self, name: &OsString) -> Candidate {
        let stem = Path::new(name).file_stem().unwrap_or(name).to_owned();
        Candidate {
            name: stem,
            path: self.path.join(name),
            display_path: self.display_path.join(name),
            provenance: Arc::clone(&self.provenance),
            declared: None,
        }
    }
}

/// Whether a folder of that name holds no tools: it is hidden, or one of parts or
/// of packages.
fn is_excluded(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"_") || name == b"node_modules"
}
