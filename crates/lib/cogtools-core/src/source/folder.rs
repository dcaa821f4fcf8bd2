//! A folder of tool files and its toolsets: all its subfolders.
//!
//! A walk visits subfolders first, then the targets of links. Each folder is visited once,
//! however many links lead to it, so that cyclic links are harmless, and a folder that
//! is reachable without a link is never named after one.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::environment::Vars;
use crate::file::{self, Boundary, ReadScope};
use crate::source::{Candidate, Listing, SourceError};
use crate::text::{self, Text, TextError};
use crate::tool::{Author, Provenance, ToolError};
use crate::{Name, Tool, lexical};

/// A folder with tool files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    display_path: PathBuf,
    named: bool,
    /// The provenance of its tools.
    pub(super) provenance: Arc<Provenance>,
    depth: usize,
    /// The scope of its files.
    scope: ReadScope,
}

/// The content of a folder, sorted by name.
#[derive(Default)]
struct Content {
    files: Vec<OsString>,
    folders: Vec<OsString>,
    links: Vec<OsString>,
    errors: Vec<SourceError>,
}

/// The extension of tool files.
const EXTENSION: &str = "yaml";

/// The end of the name of a file with cases for `cogtools eval`, which is no tool.
const EVALS_FILE: &[u8] = b".evals.yaml";

/// The file with parts of tools, unless it is a tool; and the end of the name of others.
const SHARED_FILE: &str = "shared.yaml";
const SHARED_END: &[u8] = b".shared.yaml";

/// Returns true if the file at `path` has parts of tools or cases for `cogtools eval`, and is no
/// tool.
pub fn is_beside_tools(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let ends = |end: &[u8]| name.as_encoded_bytes().ends_with(end);
    if ends(EVALS_FILE) || ends(SHARED_END) {
        return true;
    }
    let is_shared = name == SHARED_FILE && !path.is_symlink();
    is_shared
        && Text::read(path, path, &ReadScope::User).is_ok_and(|text| {
            let mut lines = text.as_str().lines();
            !lines.any(|line| line.starts_with("implementation:") || line.starts_with("name:"))
        })
}

/// The end of the name of a folder with the recordings of such cases.
const EVALS_FOLDER: &[u8] = b".evals";

/// The maximum depth of toolsets below a source.
const MAX_DEPTH: usize = 8;

impl Folder {
    /// The folder at `path`, known to the user as `display_path`, with files in `scope`.
    /// If it was `named` in the configuration it must exist; the default folder need not.
    pub fn new(path: PathBuf, display_path: PathBuf, named: bool, scope: ReadScope) -> Self {
        let provenance = Arc::new(Provenance::local(&display_path));
        Self {
            path,
            display_path,
            named,
            provenance,
            depth: MAX_DEPTH,
            scope,
        }
    }

    /// Returns the same folder, whose tools the user has written rather than the project.
    #[must_use]
    pub(crate) fn of_user(mut self) -> Self {
        self.provenance = Arc::new(Provenance {
            author: Author::User,
            ..(*self.provenance).clone()
        });
        self
    }

    /// Returns true if the user has written its tools, rather than the author of the project.
    pub fn is_users(&self) -> bool {
        self.provenance.author == Author::User
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The scope of its files.
    pub const fn scope(&self) -> &ReadScope {
        &self.scope
    }

    /// Its display path.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// Returns the path below the folder `root`, without `.` and `..`; `None` outside it.
    pub fn path_below(&self, root: &Path) -> Option<PathBuf> {
        file::below(root, &self.path).map(|below| lexical(&below))
    }

    /// Returns true if tools in the folder `path` belong to it: it is this one, or a toolset in
    /// it.
    pub fn leads_to(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.path) else {
            return false;
        };
        let mut parts = below.components();
        below.components().count() <= self.depth && parts.all(|part| !is_excluded(part.as_os_str()))
    }

    /// Finds the tool of that name, if this folder or a toolset in it has it. Only its own
    /// file is opened; folders are listed only if this folder itself does not have it.
    pub fn find(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        if let Some(tool) = self.load_direct(name)? {
            return Ok(Some(tool));
        }
        let file = OsString::from(format!("{name}.{EXTENSION}"));
        // Unreadable folders are reported where all tools are listed.
        let folders = Walker::over(self).filter(|(_, content)| content.files.contains(&file));
        let mut tools = folders.filter_map(|(folder, _)| folder.load_direct(name).transpose());
        tools.next().transpose()
    }

    /// Loads the tool of that name in the folder itself.
    fn load_direct(&self, name: &Name) -> Result<Option<Tool>, ToolError> {
        let file = format!("{name}.{EXTENSION}");
        let path = self.path.join(&file);
        if self.is_of_package() && path.is_symlink() && self.scope.is_left_by(&path) {
            return Ok(None);
        }
        match Tool::load(&path, &self.display_path.join(&file), &self.scope) {
            Ok(tool) => Ok(Some(tool.from(Arc::clone(&self.provenance)))),
            Err(error) if error.is_not_found() => Ok(None),
            // A link in place of the folder is reported where folders are listed.
            Err(ToolError::Text(TextError::Outside(_, Some(_), _))) => Ok(None),
            // A file in place of the folder is reported where folders are listed.
            Err(ToolError::Text(TextError::Io(_, error)))
                if error.kind() == ErrorKind::NotADirectory =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Finds the file that would be the tool of that name if it had the right extension.
    pub fn wrong_extension(&self, name: &Name) -> Option<PathBuf> {
        let file = format!("{name}.yml");
        self.toolsets().find_map(|folder| {
            let exists = folder.path.join(&file).is_file();
            exists.then(|| folder.display_path.join(&file))
        })
    }

    /// Lists the tool files, sorted by name, then the files of its toolsets, sorted as well, then
    /// the files reached through links. Names that begin with a dot are hidden. An
    /// unreadable entry affects only itself.
    pub fn list(&self) -> Listing {
        let mut listing = Listing::default();
        for (folder, content) in Walker::over(self) {
            let files = content.files.iter();
            listing
                .entries
                .extend(files.map(|name| folder.candidate(name)));
            listing.errors.extend(content.errors);
        }
        listing
    }

    /// Walks over the folder itself and every toolset in it, in the order of [`Folder::list`].
    pub fn toolsets(&self) -> impl Iterator<Item = Self> {
        Walker::over(self).map(|(folder, _)| folder)
    }

    /// Reads the content of the folder itself.
    fn content(&self) -> Content {
        match self.read() {
            Err(SourceError::NotFound(_)) if !self.named => Content::default(),
            Ok(content) => content,
            Err(error) => Content {
                errors: vec![error],
                ..Content::default()
            },
        }
    }

    fn read(&self) -> Result<Content, SourceError> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => SourceError::NotFound(self.display_path.clone()),
            ErrorKind::NotADirectory => SourceError::NotAFolder(self.display_path.clone()),
            _ => SourceError::Io(self.display_path.clone(), error),
        };
        if self.depth == MAX_DEPTH
            && let Some(boundary) = self.scope.boundary()
            && self.scope.is_left_by(&self.path)
        {
            return Err(self.linked_folder(self.display_path.clone(), boundary));
        }
        let mut content = Content::default();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            self.classify(&entry.map_err(failed)?, &mut content);
        }
        content.files.sort_unstable();
        content.folders.sort_unstable();
        content.links.sort_unstable();
        content.errors.sort_by_cached_key(ToString::to_string);
        Ok(content)
    }

    /// Adds `entry` to the list that it belongs to, if any.
    fn classify(&self, entry: &DirEntry, content: &mut Content) {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else {
            return;
        };
        let has_extension = Path::new(&name).extension() == Some(OsStr::new(EXTENSION));
        let is_tool = has_extension && !is_beside_tools(&entry.path());
        let is_toolset = !has_extension && !kind.is_file() && self.depth > 0 && !is_excluded(&name);
        if name.as_encoded_bytes().starts_with(b".") || !(is_tool || is_toolset) {
            return;
        }
        // A tool file of the project is checked when it is read.
        if kind.is_symlink()
            && let Some(boundary) = self.scope.boundary()
            && (self.is_of_package() || is_toolset && entry.path().is_dir())
            && self.scope.is_left_by(&entry.path())
        {
            let link = self.display_path.join(name);
            content.errors.push(if self.is_of_package() {
                SourceError::Outside(link, self.source().to_owned())
            } else {
                self.linked_folder(link, boundary)
            });
        } else if is_tool {
            content.files.push(name);
        } else if kind.is_dir() {
            content.folders.push(name);
        } else if kind.is_symlink() && entry.path().is_dir() {
            content.links.push(name);
        }
    }

    /// Returns true if it belongs to a package.
    fn is_of_package(&self) -> bool {
        self.scope.boundary() == Some(Boundary::Package)
    }

    fn linked_folder(&self, link: PathBuf, boundary: Boundary) -> SourceError {
        SourceError::LinkedFolder(link, self.source().to_owned(), boundary)
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
            // It existed a moment ago.
            named: false,
            provenance: Arc::new(self.provenance.below(&name.to_string_lossy())),
            depth: self.depth - 1,
            scope: self.scope.clone(),
        }
    }

    fn candidate(&self, name: &OsString) -> Candidate {
        let stem = Path::new(name).file_stem().unwrap_or(name).to_owned();
        Candidate {
            name: stem,
            path: self.path.join(name),
            display_path: self.display_path.join(name),
            provenance: Arc::clone(&self.provenance),
            scope: self.scope.clone(),
            declared: None,
        }
    }
}

/// Returns true if a folder of that name contains no tools: it is hidden, or contains partials,
/// packages or recordings.
fn is_excluded(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".")
        || name.starts_with(b"_")
        || name == b"node_modules"
        || name.ends_with(EVALS_FOLDER)
}

/// A walk in progress.
struct Walker {
    /// The folders to visit, the next one last, each with links resolved if that is known.
    pending: Vec<(Folder, Option<PathBuf>)>,
    /// The targets of links, each with the folder that contains the link.
    links: VecDeque<(Folder, PathBuf)>,
    /// The visited folders, with links resolved.
    seen: BTreeSet<PathBuf>,
}

impl Walker {
    /// Starts a walk through `folder`.
    fn over(folder: &Folder) -> Self {
        Self {
            pending: vec![(folder.clone(), None)],
            links: VecDeque::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Queues the folders and links in `folder`, which is `real` with links resolved.
    fn queue(&mut self, folder: &Folder, real: Option<PathBuf>, content: &Content) {
        if content.folders.is_empty() && content.links.is_empty() {
            return;
        }
        let Some(real) = real.or_else(|| folder.path().canonicalize().ok()) else {
            return;
        };
        self.seen.insert(real.clone());
        for name in &content.links {
            self.links.push_back((folder.toolset(name), real.clone()));
        }
        for name in content.folders.iter().rev() {
            let real = real.join(name);
            if self.seen.insert(real.clone()) {
                self.pending.push((folder.toolset(name), Some(real)));
            }
        }
    }

    /// The next folder that a link leads to, unless it contains the link or was visited
    /// before.
    fn follow_link(&mut self) -> Option<(Folder, Option<PathBuf>)> {
        while let Some((folder, from)) = self.links.pop_front() {
            let Ok(real) = folder.path().canonicalize() else {
                continue;
            };
            if !from.starts_with(&real) && self.seen.insert(real.clone()) {
                return Some((folder, Some(real)));
            }
        }
        None
    }
}

impl Iterator for Walker {
    type Item = (Folder, Content);

    fn next(&mut self) -> Option<(Folder, Content)> {
        let (folder, real) = self.pending.pop().or_else(|| self.follow_link())?;
        let content = folder.content();
        self.queue(&folder, real, &content);
        Some((folder, content))
    }
}

/// The name of the folder that contains packages.
pub(super) const MODULES: &str = "node_modules";

/// The folders of npm's global packages, located on first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalModules {
    prefix: Option<PathBuf>,
    settings: Option<PathBuf>,
    home: Option<PathBuf>,
    path: Option<OsString>,
}

/// The variables that set npm's prefix, and those that name the user's settings.
const PREFIXES: [&str; 2] = ["npm_config_prefix", "NPM_CONFIG_PREFIX"];
const SETTINGS: [&str; 2] = ["npm_config_userconfig", "NPM_CONFIG_USERCONFIG"];

/// The maximum size of the settings: 1 MiB.
const MAX_SETTINGS_BYTES: usize = 1 << 20;

impl GlobalModules {
    /// Uses `vars`, the environment of a process.
    pub fn new(vars: &Vars) -> Self {
        let var = |name: &str| vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let path = |names: [&str; 2]| names.iter().find_map(|name| var(name)).map(PathBuf::from);
        let home = var("HOME").map(PathBuf::from);
        Self {
            prefix: path(PREFIXES),
            settings: path(SETTINGS).or_else(|| Some(home.as_ref()?.join(".npmrc"))),
            home,
            path: var("PATH").cloned(),
        }
    }

    /// The existing folders of global packages: below the configured prefix, or else
    /// below the prefixes of `node`, as found on PATH and with links resolved.
    pub fn folders(&self) -> Vec<PathBuf> {
        let configured = self.prefix.clone().or_else(|| self.configured_prefix());
        let prefixes = configured.map_or_else(|| self.prefixes_of_node(), |prefix| vec![prefix]);
        let mut folders: Vec<PathBuf> = Vec::new();
        for prefix in prefixes.iter().filter(|prefix| prefix.is_absolute()) {
            let folder = if cfg!(windows) {
                prefix.join(MODULES)
            } else {
                prefix.join("lib").join(MODULES)
            };
            if folder.is_dir() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// The prefix in the user's settings.
    fn configured_prefix(&self) -> Option<PathBuf> {
        let file = self.settings.as_ref()?;
        let bytes = text::bytes(file, file, MAX_SETTINGS_BYTES, &ReadScope::User).ok()?;
        let settings = String::from_utf8(bytes).ok()?;
        let mut values = settings.lines().filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "prefix").then(|| value.trim().trim_matches(['"', '\'']))
        });
        let value = values.next_back().filter(|value| !value.is_empty())?;
        for home in ["~", "${HOME}"] {
            if let Some(rest) = value.strip_prefix(home) {
                return Some(
                    self.home
                        .as_ref()?
                        .join(rest.trim_start_matches(['/', '\\'])),
                );
            }
        }
        Some(PathBuf::from(value))
    }

    /// The prefixes of the first `node` on PATH: it may be a link made by a package
    /// manager, with packages next to either end.
    fn prefixes_of_node(&self) -> Vec<PathBuf> {
        let node = format!("node{}", std::env::consts::EXE_SUFFIX);
        let path = self.path.as_deref().unwrap_or_default();
        let mut files = std::env::split_paths(path).map(|folder| folder.join(&node));
        let Some(file) = files.find(|file| file.is_absolute() && file.is_file()) else {
            return Vec::new();
        };
        let real = file.canonicalize();
        let ends = std::iter::once(file).chain(real);
        ends.filter_map(|file| prefix(&file)).collect()
    }
}

/// The prefix that contains the `node` at `file`.
fn prefix(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let prefix = if cfg!(windows) {
        folder
    } else {
        folder.parent()?
    };
    Some(prefix.to_path_buf())
}
