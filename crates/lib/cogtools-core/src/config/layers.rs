//! All layers of a project, in their order.

use std::path::{Path, PathBuf};

use super::layer::{Layer, accepted_file, file, keys_of, package, variable};
use super::origin::Origin;
use super::{ConfigErrors, ConfigPaths, dotenv};
use crate::Project;
use crate::file::ReadScope;
use crate::text::{self, TextError};

/// The maximum size of a `package.json`: 16 MiB.
const MAX_MANIFEST_BYTES: usize = 16 << 20;

/// All layers of `project`, in order of increasing precedence. Errors of the project's
/// own layers go to `ignored`, which decides whether the other ones are enough.
pub(super) fn layers(
    project: &Project,
    paths: &ConfigPaths,
    ignored: &mut dyn FnMut(ConfigErrors) -> Result<(), ConfigErrors>,
) -> Result<Vec<Layer>, ConfigErrors> {
    let mut layers = Vec::new();
    if let Some(path) = &paths.system {
        layers.extend(file(path, path, &ReadScope::User, Origin::System)?);
    }
    if let Some(path) = paths.home_file() {
        layers.extend(file(&path, &path, &ReadScope::User, Origin::Home)?);
    }
    // What another user has put into a shared folder is not its project.
    if !project.is_foreign() {
        for layer in [
            host_folder(project, paths),
            package(project, &paths.owners),
            of_project(project, paths, Path::new(Project::CONFIG), Origin::Project),
        ] {
            match layer {
                Ok(layer) => layers.extend(layer),
                Err(errors) => ignored(errors)?,
            }
        }
    }
    let directory = paths.directory.as_deref();
    let of_dotenv = directory.map(|directory| dotenv::layers(project, directory, &paths.owners));
    for layer in of_dotenv.unwrap_or_default() {
        match layer {
            Ok(layer) => layers.push(layer),
            Err(errors) => ignored(errors)?,
        }
    }
    for (name, value) in &paths.variables {
        let Some(keys) = keys_of(name) else {
            continue;
        };
        let is_user = !paths.dotenv_variables.contains(name);
        match variable(project, name, keys, value) {
            Ok(layer) => layers.push(Layer { is_user, ..layer }),
            Err(errors) if is_user => return Err(errors),
            Err(errors) => ignored(errors)?,
        }
    }
    Ok(layers)
}

impl ConfigPaths {
    /// Whether some layer of `project` mentions `key`, which is cheaper to see than its
    /// value. A file that cannot be read may contain anything.
    pub fn may_set(&self, project: &Project, key: &str) -> bool {
        let mentions =
            |file: PathBuf| match text::bytes(&file, &file, MAX_MANIFEST_BYTES, &ReadScope::User) {
                Ok(bytes) => bytes.windows(key.len()).any(|part| part == key.as_bytes()),
                Err(TextError::NotFound(_)) => false,
                Err(_) => true,
            };
        self.files(project).into_iter().any(mentions)
    }

    /// The files in which `project` is configured, whether they exist or not. The `.env` is not
    /// one of them.
    pub fn files(&self, project: &Project) -> Vec<PathBuf> {
        let (manifest, _) = project.resolve(Path::new("package.json"));
        let (own, _) = project.resolve(Path::new(Project::CONFIG));
        let (host, _) = project.resolve(&Path::new(".gemini").join(Self::FILE));
        let of_user = self.system.clone().into_iter().chain(self.home_file());
        of_user.chain([own, host, manifest]).collect()
    }
}

/// The project's file in the folder of Gemini CLI's settings, unless it is the user's.
fn host_folder(project: &Project, paths: &ConfigPaths) -> Result<Option<Layer>, ConfigErrors> {
    let name = Path::new(".gemini").join(ConfigPaths::FILE);
    let (path, _) = project.resolve(&name);
    // Whatever else is behind a link that leads elsewhere does not matter.
    if !path.exists() && !path.is_symlink() {
        return Ok(None);
    }
    let is_users =
        |users: PathBuf| users == path || users.canonicalize().ok() == path.canonicalize().ok();
    if paths.home_file().is_some_and(is_users) {
        return Ok(None);
    }
    of_project(project, paths, &name, Origin::HostFolder)
}

/// The file `name` of the project, if it belongs to one of the owners.
fn of_project(
    project: &Project,
    paths: &ConfigPaths,
    name: &Path,
    origin: fn(PathBuf) -> Origin,
) -> Result<Option<Layer>, ConfigErrors> {
    let (path, display_path) = project.resolve(name);
    let scope = project.read_scope();
    accepted_file(&path, &display_path, &scope, origin, |meta| {
        paths.owners.check_opened(&path, meta, project.root())
    })
}
