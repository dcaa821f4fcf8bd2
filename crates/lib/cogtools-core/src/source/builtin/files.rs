//! The files that built-in tools may see: those of the project, without what git ignores, and
//! without what is known to contain secrets.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Map, Value};

use super::walk::Walk;
use crate::file::{self, ReadError, ReadScope, WriteError, WritePath};
use crate::tool::RunError;
use crate::{Code, Context, Diagnostic};

/// The largest file that is read, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 4 << 20;
/// Files with secrets, by name; a star stands for any characters.
const SECRETS: &str = "\
    .env .env.* .envrc .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc .pgpass .my.cnf .boto \
    .s3cfg .dockercfg .htpasswd .vault-token .terraformrc .git-credentials id_dsa id_ecdsa \
    id_ecdsa_sk id_ed25519 id_ed25519_sk id_rsa *.key *.pem *.p12 *.pfx *.ppk *.jks *.keystore \
    *.kdbx *.tfstate *.tfstate.* *.tfvars *.tfvars.json kubeconfig credentials credentials.json \
    client_secret*.json service-account*.json service_account*.json secrets.json secrets.toml \
    secrets.yaml secrets.yml";

/// A folder in which files are listed.
pub(super) struct Files {
    root: PathBuf,
    folder: PathBuf,
    matcher: Option<GlobMatcher>,
}

impl Files {
    /// The files that the arguments `path` and `pattern` of a call of `tool` select.
    pub(super) fn of(
        tool: &str,
        arguments: &Map<String, Value>,
        cx: &Context,
    ) -> Result<Self, RunError> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let path = text("path").unwrap_or(".");
        let below = below(tool, path)?;
        let folder = cx.root.join(&below);
        let is_left = ReadScope::project(&cx.root).is_left_by(&folder);
        if is_left {
            return Err(failed(tool, outside(path)));
        }
        match folder.metadata() {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                let diagnostic = Diagnostic::new(Code::ToolFailed, not_a_folder(path));
                let hint = "read_file reads a file";
                return Err(failed(tool, diagnostic.hint(hint)));
            }
            Err(error) => {
                let message = format!("`{path}` cannot be read: {error}");
                return Err(failed(tool, Diagnostic::new(Code::ToolFailed, message)));
            }
        }
        let matcher = text("pattern").map(|pattern| matcher(tool, pattern));
        Ok(Self {
            root: cx.root.clone(),
            folder,
            matcher: matcher.transpose()?,
        })
    }

    /// Their paths relative to the project, sorted, with `/` between folders.
    pub(super) fn iter(&self) -> impl Iterator<Item = String> + '_ {
        Walk::new(&self.root, &self.folder)
            .filter_map(|path| self.path_of(&path))
            .filter(|path| {
                let matches = |matcher: &GlobMatcher| matcher.is_match(path);
                self.matcher.as_ref().is_none_or(matches) && !is_secret(Path::new(path))
            })
    }

    fn path_of(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<&str>> = below
            .components()
            .map(|part| part.as_os_str().to_str())
            .collect();
        Some(parts?.join("/"))
    }
}

/// The full path of the file `path` in the project, which need not exist.
pub(super) fn full_path(tool: &str, path: &str, cx: &Context) -> Result<PathBuf, RunError> {
    let below = below(tool, path)?;
    if is_secret(&below) || is_secret(&target(&below, cx)) {
        return Err(failed(tool, secret(path)));
    }
    match file::resolve(&WritePath::in_project(&cx.root, &below)) {
        Ok(_) => Ok(cx.root.join(&below)),
        Err(WriteError::Link { .. }) => Err(failed(tool, outside(path))),
        Err(error) => {
            let message = format!("`{path}` cannot be changed: {error}");
            let hint = error.hint("name another file of the project");
            let diagnostic = Diagnostic::new(Code::ToolFailed, message);
            Err(failed(tool, diagnostic.hint(hint)))
        }
    }
}

/// Whether the file at `path`, or the one that it leads to, may contain secrets.
pub(super) fn has_secrets(path: &Path) -> bool {
    is_secret(path) || path.canonicalize().is_ok_and(|target| is_secret(&target))
}

/// The text of the file `path` in the project.
pub(super) fn read(tool: &str, path: &str, cx: &Context) -> Result<String, RunError> {
    let below = below(tool, path)?;
    if is_secret(&below) || is_secret(&target(&below, cx)) {
        return Err(failed(tool, secret(path)));
    }
    read_text(&cx.root.join(&below), cx).map_err(|error| {
        let diagnostic = match error {
            ReadError::Outside { .. } => outside(path),
            error => {
                let message = format!("`{path}` cannot be read: {error}");
                let diagnostic = Diagnostic::new(Code::ToolFailed, message);
                diagnostic.hint("list_files lists the files of the project")
            }
        };
        failed(tool, diagnostic)
    })
}

/// The text of the file at `path`.
pub(super) fn read_text(path: &Path, cx: &Context) -> Result<String, ReadError> {
    let (file, meta) = file::open(path, &ReadScope::project(&cx.root))?;
    let other = |message: String| ReadError::Io(std::io::Error::other(message));
    if meta.len() > MAX_FILE_BYTES {
        let mib = MAX_FILE_BYTES >> 20;
        return Err(other(format!("it is larger than {mib} MiB")));
    }
    let bytes = read_all(&file)?;
    if bytes.contains(&0) {
        return Err(other("it is not text".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| other("it is not UTF-8".to_owned()))
}

/// A file may grow while it is read.
fn read_all(file: &File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `path` relative to the project, if it is in it as written.
fn below(tool: &str, path: &str) -> Result<PathBuf, RunError> {
    let mut below = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => below.push(part),
            Component::CurDir => {}
            Component::ParentDir if below.pop() => {}
            _ => return Err(failed(tool, outside(path))),
        }
    }
    Ok(below)
}

/// The file that `below` leads to, relative to the project.
fn target(below: &Path, cx: &Context) -> PathBuf {
    let real = cx.root.join(below).canonicalize();
    let (Ok(real), Ok(root)) = (real, cx.root.canonicalize()) else {
        return below.to_path_buf();
    };
    let target = real.strip_prefix(root).map(Path::to_path_buf);
    target.unwrap_or(real)
}

/// Whether a file of that path may contain secrets, or is git's own.
fn is_secret(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_named = |name: &str| {
        let name = name.to_ascii_lowercase();
        SECRETS
            .split_whitespace()
            .any(|pattern| wildmatch::WildMatch::new(pattern).matches(&name))
    };
    let mut parts = path.components();
    name.is_some_and(is_named) || parts.any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

fn matcher(tool: &str, pattern: &str) -> Result<GlobMatcher, RunError> {
    // Like git: a pattern without a slash matches names in any folder.
    let anywhere = (!pattern.contains('/')).then(|| format!("**/{pattern}"));
    let glob = GlobBuilder::new(anywhere.as_deref().unwrap_or(pattern))
        .literal_separator(true)
        .build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        let message = format!("`{pattern}` is not a pattern: {}", error.kind());
        let diagnostic = Diagnostic::new(Code::ToolFailed, message);
        failed(tool, diagnostic.hint("write it as in `src/**/*.rs`"))
    })
}

/// Why a file that may contain secrets is not read.
pub(super) fn secret(path: &str) -> Diagnostic {
    let message = format!("`{path}` may contain secrets and is not read");
    Diagnostic::new(Code::ToolFailed, message)
}

fn outside(path: &str) -> Diagnostic {
    let message = format!("`{path}` is outside the project");
    let diagnostic = Diagnostic::new(Code::ToolFailed, message);
    diagnostic.hint("name a path relative to the project's folder")
}

fn not_a_folder(path: &str) -> String {
    format!("`{path}` is not a folder")
}

/// `diagnostic` of a call of `tool`.
pub(super) fn failed(tool: &str, diagnostic: Diagnostic) -> RunError {
    Box::new(diagnostic.with_subject(tool))
}
