//! An npm package, and the folders of tools that its `package.json` names.
//!
//! A package must not make cogtools read the user's other files, and show them in a
//! message. So neither a path nor a link may lead outside the package.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::{Folder, SourceError};
use crate::containment::is_excluded;
use crate::file::ReadScope;
use crate::text::{self, TextError};
use crate::tool::{Author, Provenance};

/// A package with tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name, with its scope: `@scope/name`.
    pub name: String,
    /// Its folder, with links resolved.
    pub root: PathBuf,
    /// Its folders of tools, in the order of its manifest.
    pub folders: Vec<Folder>,
}

/// The name of the folder that contains packages.
pub(super) const MODULES: &str = "node_modules";
/// The name of a package's manifest.
pub(super) const MANIFEST: &str = "package.json";
/// The maximum size of a manifest, in MiB.
const MAX_MANIFEST_MIB: usize = 4;
/// The byte order mark, which some editors write.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The content of a `package.json`, known to the user as `display_path`.
pub(super) fn manifest(path: &Path, display_path: &Path) -> Result<Vec<u8>, TextError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let scope = ReadScope::package(folder, false);
    let mut bytes = text::bytes(path, display_path, MAX_MANIFEST_MIB << 20, &scope)?;
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    Ok(bytes)
}

impl Package {
    /// The package `name` in `folder`, known to the user as `display_path`, if it has
    /// tools. Messages quote its files if it really is in the folder `home`.
    pub(super) fn read(
        name: &str,
        folder: &Path,
        display_path: &Path,
        home: &Path,
    ) -> Result<Option<Self>, SourceError> {
        let file = display_path.join(MANIFEST);
        let invalid = |message: String| SourceError::Package {
            package: name.to_owned(),
            file: file.clone(),
            message,
        };
        let bytes = match manifest(&folder.join(MANIFEST), &file) {
            Ok(bytes) => bytes,
            Err(TextError::NotFound(_)) => return Ok(None),
            Err(TextError::TooLarge(_)) => {
                return Err(invalid(format!("larger than {MAX_MANIFEST_MIB} MiB")));
            }
            Err(error) => return Err(SourceError::Manifest(name.to_owned(), error)),
        };
        let Some(paths) = tool_folders(&bytes).map_err(invalid)? else {
            return Ok(None);
        };
        // The path is that of the link's target, because the package's files are there.
        let real = folder.canonicalize();
        let root = real.unwrap_or_else(|_| folder.to_path_buf());
        let home = home.canonicalize();
        let scope = ReadScope::package(&root, home.is_ok_and(|home| root.starts_with(home)));
        let open = |path| {
            let below = relative_folder(path, &root)?;
            let path = root.join(&below);
            let folder = Folder::new(path, display_path.join(&below), true, scope.clone());
            let provenance = Provenance {
                source: name.to_owned(),
                toolset: Some(name.to_owned()),
                author: Author::Package(root.clone()),
            };
            Ok(folder.with_provenance(provenance))
        };
        let folders = paths
            .iter()
            .map(open)
            .collect::<Result<_, String>>()
            .map_err(invalid)?;
        Ok(Some(Self {
            name: name.to_owned(),
            folders,
            root,
        }))
    }
}

/// The value of `cogtools.tools` in a `package.json`, if present.
fn tool_folders(bytes: &[u8]) -> Result<Option<Vec<Value>>, String> {
    let key = br#""cogtools""#;
    // Most packages have no tools, and need not be parsed to see that.
    if !bytes.windows(key.len()).any(|window| window == key) {
        return Ok(None);
    }
    let json: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
    match json.get("cogtools") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(own)) => match own.get("tools") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(paths)) => Ok(Some(paths.clone())),
            Some(_) => Err("`cogtools.tools` is not a list of folders".to_owned()),
        },
        Some(_) => Err("`cogtools` is not an object".to_owned()),
    }
}

/// The folder that a package at `root` names by `path`, relative to `root`.
fn relative_folder(path: &Value, root: &Path) -> Result<PathBuf, String> {
    let contained = path
        .as_str()
        .map(Path::new)
        .filter(|path| is_contained(path));
    let relative: PathBuf = contained
        .ok_or_else(|| format!("`{path}` is not a folder inside the package"))?
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let name = relative.display();
    match root.join(&relative).canonicalize() {
        Ok(real) if !real.starts_with(root) => Err(format!(
            "`{name}` is a link that points outside the package"
        )),
        Ok(real) if !real.is_dir() => Err(format!("`{name}` is not a folder")),
        Ok(_) => Ok(relative),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("the folder `{name}` does not exist"))
        }
        Err(error) => Err(format!("the folder `{name}` cannot be read: {error}")),
    }
}

/// Whether a path stays below its starting point.
fn is_contained(path: &Path) -> bool {
    let mut parts = path.components();
    // Packages nested in a package are not covered by its approval.
    !path.as_os_str().is_empty()
        && parts.all(|part| match part {
            Component::Normal(name) => !is_excluded(name),
            part => part == Component::CurDir,
        })
}
