//! All layers of a project, in their order.

use std::path::{Path, PathBuf};

use super::layer::{Layer, file, keys_of, package, variable};
use super::origin::Origin;
use super::{ConfigErrors, ConfigPaths, dotenv};
use crate::Project;
use crate::file::ReadScope;

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
    let (path, display_path) = project.resolve(Path::new(Project::CONFIG));
    let scope = project.read_scope();
    for layer in [
        host_folder(project, paths),
        package(project),
        file(&path, &display_path, &scope, Origin::Project),
    ] {
        match layer {
            Ok(layer) => layers.extend(layer),
            Err(errors) => ignored(errors)?,
        }
    }
    let directory = paths.directory.as_deref();
    for layer in directory.map_or_else(Vec::new, |directory| dotenv::layers(project, directory)) {
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

/// The project's file in the folder of Gemini CLI's settings, unless it is the user's.
fn host_folder(project: &Project, paths: &ConfigPaths) -> Result<Option<Layer>, ConfigErrors> {
    let name = Path::new(".gemini").join(ConfigPaths::FILE);
    let (path, display_path) = project.resolve(&name);
    // Whatever else is behind a link that leads elsewhere does not matter.
    if !path.exists() && !path.is_symlink() {
        return Ok(None);
    }
    let is_users =
        |users: PathBuf| users == path || users.canonicalize().ok() == path.canonicalize().ok();
    if paths.home_file().is_some_and(is_users) {
        return Ok(None);
    }
    file(
        &path,
        &display_path,
        &project.read_scope(),
        Origin::HostFolder,
    )
}
