//! Paths of files with the folder that they must stay in, for reading and for writing.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use wildmatch::WildMatch;

use crate::file::WriteError;
use crate::file::folder::Folder;

/// The kind of folder that a file must stay in, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Boundary {
    /// The project.
    #[strum(to_string = "the project")]
    Project,
    /// A package.
    #[strum(to_string = "its package")]
    Package,
    /// The folder of a file outside the project.
    #[strum(to_string = "its folder")]
    Folder,
}

/// A path to write to, and the folder that it must stay in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritePath {
    /// The folder; links in its own path are followed.
    pub(super) root: PathBuf,
    /// The path below it.
    pub(super) below: PathBuf,
    pub(super) boundary: Boundary,
}

/// Where a file may be that is read, and whether messages may quote it.
///
/// Who names a file decides: the author of a repository must not make cogtools read, and
/// show, a file of its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReadScope {
    /// Anywhere: the user has named the file. Links are followed.
    #[default]
    User,
    /// Below a folder, which no link may leave.
    Within {
        /// The folder; links in its own path are followed.
        folder: Arc<Path>,
        /// The kind of folder.
        boundary: Boundary,
        /// True if messages may quote lines of its files.
        quotable: bool,
    },
}

impl WritePath {
    pub(super) fn new(root: &Path, below: &Path, boundary: Boundary) -> Self {
        Self {
            root: root.to_path_buf(),
            below: below.to_path_buf(),
            boundary,
        }
    }

    /// `path`, relative to the project's `root`. A path outside the project must stay
    /// in its own folder.
    pub fn in_project(root: &Path, path: &Path) -> Self {
        let path = root.join(path);
        let is_file = |below: &PathBuf| below.file_name().is_some();
        let below = below(root, &path).filter(is_file).or_else(|| {
            // The path of a source may be canonical.
            below(&root.canonicalize().ok()?, &path).filter(is_file)
        });
        below.map_or_else(
            || Self::in_folder(&path),
            |below| Self::new(root, &below, Boundary::Project),
        )
    }

    /// A `path` that the user controls, such as a file in the home directory. All links
    /// on it are followed.
    pub fn of_user(path: &Path) -> Self {
        let target = path.canonicalize();
        Self::in_folder(target.as_deref().unwrap_or(path))
    }

    /// `path`, below its nearest existing ancestor. Links in the path of that folder
    /// are followed.
    pub fn in_folder(path: &Path) -> Self {
        let mut folders = path.ancestors().skip(1);
        let root = folders.find(|folder| folder.is_dir());
        let root = root.unwrap_or(Path::new(""));
        Self::below(root, path.strip_prefix(root).unwrap_or(path))
    }

    /// `below`, relative to `folder`, which must exist. Links in the path of that folder are
    /// followed.
    pub fn below(folder: &Path, below: &Path) -> Self {
        Self::new(folder, below, Boundary::Folder)
    }

    /// Returns where the file may be when it is read.
    pub fn read_scope(&self) -> ReadScope {
        ReadScope::within(&self.root, self.boundary, true)
    }

    /// Returns true if the path is in the project; a link on it may lead out.
    pub fn is_in_project(&self) -> bool {
        self.boundary == Boundary::Project
    }

    /// Returns the full path.
    pub fn full(&self) -> PathBuf {
        self.root.join(&self.below)
    }
}

impl ReadScope {
    /// Files of the project at `root`.
    pub fn project(root: &Path) -> Self {
        Self::within(root, Boundary::Project, true)
    }

    /// Files of the package in the folder `root`.
    pub fn package(root: &Path, quotable: bool) -> Self {
        Self::within(root, Boundary::Package, quotable)
    }

    /// Files of a folder outside the project that the user has not named: messages quote
    /// none of them.
    pub fn foreign(folder: &Path) -> Self {
        Self::within(folder, Boundary::Folder, false)
    }

    /// Files of a folder of tools, of the project at `root` or outside it. `own` says
    /// that the user has named it, rather than the project.
    pub fn source(root: &Path, folder: &Path, own: bool) -> Self {
        let project = Self::project(root);
        if below(root, folder).is_some() || (folder.exists() && !project.is_left_by(folder)) {
            project
        } else if own {
            Self::User
        } else {
            Self::foreign(folder)
        }
    }

    fn within(folder: &Path, boundary: Boundary, quotable: bool) -> Self {
        let here = Path::new(".");
        let is_here = folder.as_os_str().is_empty();
        Self::Within {
            folder: if is_here { here } else { folder }.into(),
            boundary,
            quotable,
        }
    }

    /// Returns true if messages may quote lines of its files.
    pub const fn is_quotable(&self) -> bool {
        match self {
            Self::User => true,
            Self::Within { quotable, .. } => *quotable,
        }
    }

    /// Returns the kind of folder that links must not leave.
    pub const fn boundary(&self) -> Option<Boundary> {
        match self {
            Self::User => None,
            Self::Within { boundary, .. } => Some(*boundary),
        }
    }

    /// Returns true if `path` is below the folder, read from left to right without resolving
    /// links.
    pub fn covers(&self, path: &Path) -> bool {
        match self {
            Self::User => true,
            Self::Within { folder, .. } => below(folder, path).is_some(),
        }
    }

    /// Returns true if the file or folder at `path` is outside, once links are resolved.
    /// Anything that does not exist is not.
    pub fn is_left_by(&self, path: &Path) -> bool {
        let Self::Within { folder, .. } = self else {
            return false;
        };
        path.canonicalize().is_ok_and(|real| {
            let folder = folder.canonicalize();
            !folder.is_ok_and(|folder| real.starts_with(folder))
        })
    }
}

/// Returns true if `path`, relative to a folder, stays below it without `..`. Links are not resolved.
pub fn descends(path: &Path) -> bool {
    let mut parts = path.components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The rest of `path` below `root`, read from left to right without resolving links;
/// empty for `root` itself.
pub fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    let below = if root == Path::new(".") && path.is_relative() {
        path
    } else {
        path.strip_prefix(root).ok()?
    };
    let mut depth = 0_usize;
    for part in below.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth = depth.checked_sub(1)?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(below.to_path_buf())
}

/// Files with secrets, by name; a star stands for any characters.
const SECRETS: &str = "\
    .env* *.env .flaskenv .dev.vars .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc .pgpass \
    .my.cnf .mylogin.cnf .boto .s3cfg .dockercfg .databrickscfg .htpasswd .vault-token .terraformrc \
    terraform.rc *.tfrc.json .git-credentials .msmtprc .fetchmailrc id_dsa id_ecdsa id_ecdsa_sk \
    id_ed25519 id_ed25519_sk id_rsa *.key *.pem *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdb *.kdbx \
    *.ovpn *.tfstate *.tfstate.* *.tfvars *.tfvars.json kubeconfig credentials credentials.json \
    credentials.toml client_secret*.json service-account*.json service_account*.json \
    *firebase-adminsdk*.json oauth_creds.json local.settings.json wp-config.php .secrets secrets.json \
    secrets.toml secrets.yaml secrets.yml";
/// Folders whose files are secrets, or git's own.
const SECRET_FOLDERS: [&str; 6] = [".git", ".aws", ".docker", ".gnupg", ".kube", ".ssh"];
/// The patterns of [`SECRETS`], for many files.
static PATTERNS: LazyLock<Vec<WildMatch>> =
    LazyLock::new(|| SECRETS.split_whitespace().map(WildMatch::new).collect());

/// Returns true if a file of that path may contain secrets, or is git's own.
pub fn is_secret(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_named = |name: &str| {
        let name = name.to_ascii_lowercase();
        PATTERNS.iter().any(|pattern| pattern.matches(&name))
    };
    let is_folder = |part: Component<'_>| {
        let mut folders = SECRET_FOLDERS.iter();
        folders.any(|name| part.as_os_str().eq_ignore_ascii_case(name))
    };
    name.is_some_and(is_named) || path.components().any(is_folder)
}

/// Returns true if the file at `path`, of the folder `root` unless it is absolute, or the file that
/// it leads to, may contain secrets. The names of folders above `root` do not count.
pub fn has_secrets(root: &Path, path: &Path) -> bool {
    let path = root.join(path);
    let is_below = |root: &Path, path: &Path| is_secret(path.strip_prefix(root).unwrap_or(path));
    let real = || Some((root.canonicalize().ok()?, path.canonicalize().ok()?));
    is_below(root, &path) || real().is_some_and(|(root, path)| is_below(&root, &path))
}

/// The maximum number of links on a path, as on Linux.
const MAX_LINKS: usize = 40;

/// Treatment of a link with the file's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// It is followed to its target.
    Follow,
    /// The link itself is the file.
    KeepLast,
}

/// Treatment of missing folders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// Create them.
    Make,
    /// Treat the file as missing.
    Fail,
}

/// The location of a file, which need not exist.
pub(super) struct Found {
    pub(super) folder: Rc<Folder>,
    pub(super) name: OsString,
    pub(super) made: Made,
}

/// Folders that were created on the way; removed again unless they are kept.
#[derive(Default)]
pub(super) struct Made(Vec<(Rc<Folder>, OsString)>);

impl Made {
    pub(super) fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (folder, name) in self.0.iter().rev() {
            // A folder that another program already uses is not empty, and remains.
            let _ = folder.remove_folder(name);
        }
    }
}

/// Resolves the file at `path`.
pub(super) fn find(path: &WritePath, links: Links, missing: Missing) -> Result<Found, WriteError> {
    let root = path.root.canonicalize()?;
    Ok(enter(&root, &resolve(path, &root, links)?, missing)?)
}

/// Opens the folder of the file at `below` in the folder `root`. Fails at a link or at dots.
pub(super) fn enter(root: &Path, below: &Path, missing: Missing) -> io::Result<Found> {
    let mut folder = Rc::new(Folder::open(root)?);
    let mut made = Made::default();
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else {
            return Err(ErrorKind::InvalidInput.into());
        };
        if parts.peek().is_none() {
            let name = name.to_owned();
            return Ok(Found { folder, name, made });
        }
        let next = match folder.open_folder(name) {
            Err(error) if error.kind() == ErrorKind::NotFound && missing == Missing::Make => {
                match folder.make_folder(name) {
                    Ok(()) => made.0.push((Rc::clone(&folder), name.to_owned())),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                folder.open_folder(name)?
            }
            opened => opened?,
        };
        folder = Rc::new(next);
    }
    Err(ErrorKind::IsADirectory.into())
}

/// The path of the file below `root`, the folder of `path`, without links and dots. These are
/// only names: who opens them decides in the end.
pub(super) fn resolve(path: &WritePath, root: &Path, links: Links) -> Result<PathBuf, WriteError> {
    let parts = |path: &Path| -> Vec<OsString> { path.iter().map(OsString::from).collect() };
    let mut real = root.to_path_buf();
    let mut rest = VecDeque::from(parts(&path.below));
    // How many of the remaining parts come from a link, and how many links were followed.
    let (mut linked, mut followed) = (0_usize, 0);
    let mut last = None;
    let mut is_dangling = false;
    while let Some(part) = rest.pop_front() {
        let is_linked = linked > 0;
        linked = linked.saturating_sub(1);
        if part == ".." {
            real.pop();
        }
        if part == "." || part == ".." {
            continue;
        }
        let next = real.join(part);
        let is_kept = links == Links::KeepLast && rest.is_empty();
        if !is_kept && let Ok(target) = fs::read_link(&next) {
            followed += 1;
            if followed > MAX_LINKS {
                let error = next.metadata().err();
                let other = || io::Error::other("too many levels of symbolic links");
                return Err(error.unwrap_or_else(other).into());
            }
            let target_parts = parts(&target);
            linked += target_parts.len();
            for part in target_parts.into_iter().rev() {
                rest.push_front(part);
            }
            if let Ok(link) = next.strip_prefix(root) {
                last = Some((link.to_path_buf(), target));
            }
            continue;
        }
        let is_missing = |error: io::Error| error.kind() == ErrorKind::NotFound;
        is_dangling |= is_linked && next.symlink_metadata().is_err_and(is_missing);
        real = next;
    }
    let (link, target) = last.unwrap_or_else(|| (path.below.clone(), path.full()));
    match real.strip_prefix(root) {
        Ok(_) if is_dangling => Err(WriteError::Dangling { link, target }),
        Ok(below) => Ok(below.to_path_buf()),
        Err(_) => Err(WriteError::Link {
            link,
            target,
            boundary: path.boundary,
        }),
    }
}
