//! The variables in a project's `.env` that set a key: those that choose among the tools.
//!
//! Hosts load the file into the environment, so that these variables count there anyway;
//! here they count for every caller. They are the project's, like its other files, and
//! add to the filters of the user: a file in a clone can hide tools and cannot add any.
//! All others could name programs or loosen a setting, and set nothing.

use std::path::Path;

use super::layer::{self, Layer};
use super::origin::Origin;
use super::{ConfigErrors, ConfigPaths};
use crate::Project;
use crate::environment::{DotEnv, EnvPriority, Environment, Vars};
use crate::owner::Owners;

/// The variables that only choose among the tools.
const CHOOSING: [&str; 3] = ["COGTOOLS_TOOLS", "COGTOOLS_EXCLUDE", "COGTOOLS_TOOLSETS"];

impl ConfigPaths {
    /// Whether a project's `.env` may set the variable `name`.
    pub fn may_be_in_dotenv(name: &str) -> bool {
        CHOOSING.contains(&name)
    }
}

/// The layers in the `.env` of `project` for a caller in `directory`. A file that cannot
/// be read has none: the call of a tool that needs it reports the error.
pub(super) fn layers(
    project: &Project,
    directory: &Path,
    owners: &Owners,
) -> Vec<Result<Layer, ConfigErrors>> {
    let environment = Environment::new(Vars::new())
        .with_owners(owners.clone())
        .with_dotenv(
            directory,
            project.root(),
            project.display_path(),
            EnvPriority::Project,
        );
    let file = environment.file().ok().flatten();
    file.map(|file| choosing(project, &file))
        .unwrap_or_default()
}

fn choosing(project: &Project, file: &DotEnv) -> Vec<Result<Layer, ConfigErrors>> {
    CHOOSING
        .into_iter()
        .filter_map(|name| file.get(name))
        // As everywhere, an empty variable counts as unset.
        .filter(|variable| !variable.value.is_empty())
        .filter_map(|variable| {
            let keys = layer::keys_of(&variable.name)?;
            let read = layer::variable(project, &variable.name, keys, &variable.value);
            Some(read.map(|layer| Layer {
                origin: Origin::DotEnv(file.display_path().to_path_buf()),
                is_user: false,
                line: Some(variable.line),
                ..layer
            }))
        })
        .collect()
}
